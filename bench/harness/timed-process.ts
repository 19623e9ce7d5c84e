import { once } from 'node:events';
import type { BenchContext } from './bench.ts';
import { within } from './deadline.ts';

const END_LIMIT_MS = 60_000;

/** Runs a program to its end: milliseconds from before it was started until it was gone. Rejects when it fails. */
export async function timedProcess(
  context: BenchContext,
  command: string,
  args: readonly string[],
): Promise<number> {
  const startedMs = performance.now();
  const child = context.children.start(command, args);
  child.stdout.resume();
  child.stdin.end();
  const [code, killed] = await within(
    once(child, 'exit'),
    END_LIMIT_MS,
    `the end of ${command}`,
    context.signal,
  );
  const tookMs = performance.now() - startedMs;
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${killed ?? code}`);
  return tookMs;
}
