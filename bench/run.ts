// npm run bench [-- --only NAME,… --json FILE --quick --seed N --update-baseline --write --from FILE --against FILE]: see README.md beside this file.
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { benches } from './benches/index.ts';
import type { ChildSet } from './harness/child-set.ts';
import { runBenches } from './harness/run-benches.ts';

const here = import.meta.dirname;
const stop = new AbortController();
const started = new Set<ChildSet>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => stop.abort(new Error(`interrupted by ${signal}`)));
}
process.on('exit', () => {
  for (const children of started) children.killAll();
});

process.exitCode = await runBenches(process.argv.slice(2), benches, {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  freshSeed: () => randomInt(2 ** 32),
  signal: stop.signal,
  onChildren: (children) => started.add(children),
  latestFile: join(here, 'results/latest.json'),
  baselineFile: join(here, 'baseline.json'),
  pageFile: join(here, '../docs/reference/performance.md'),
  peersFolder: join(here, 'peers'),
});
