// Waits for a line, takes the folder's lock, says whether it has it, and lives until its input ends.
import { once } from 'node:events';
import { lockFolder } from '../../src/index.ts';

const [folder = ''] = process.argv.slice(2);
console.log('ready');
await once(process.stdin, 'data');
try {
  const lock = await lockFolder(folder);
  console.log(lock === null ? 'taken' : 'held');
} catch (error) {
  console.log(error instanceof Error && 'code' in error ? String(error.code) : 'no code');
}
await once(process.stdin.resume(), 'end');
