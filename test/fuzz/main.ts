// npm run fuzz [-- --target NAME,… --minutes M --seed S --jobs N --keep] or [-- --target NAME --input FILE]: see README.md beside this file.
import { runFuzz } from './run-fuzz.ts';

process.exitCode = await runFuzz(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
});
