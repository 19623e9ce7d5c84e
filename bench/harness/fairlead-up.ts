import { fileURLToPath } from 'node:url';
import type { BenchContext } from './bench.ts';
import { firstLine } from './first-line.ts';

/** The launcher of this clone: what a user types. */
export const launcher: string = fileURLToPath(new URL('../../fairlead', import.meta.url));

/** A `fairlead up` that has said that it is ready. */
export type RunningUp = {
  readonly url: string;
  readonly tokenFile: string;
  readonly runner: string;
  readonly pid: number;
  /** From before the launcher was started until the line was read. */
  readonly readyMs: number;
  /** Ends it as a user's stop does and waits until it is gone. */
  stop(): Promise<void>;
};

/** Starts `fairlead up` on a state directory of its own, on a free port. */
export async function startUp(
  context: BenchContext,
  options: { readonly stateDirectory: string; readonly runnerConfig: string },
): Promise<RunningUp> {
  const { stateDirectory, runnerConfig } = options;
  const startedMs = performance.now();
  const child = context.children.start(launcher, [
    ...['up', '--json', '--state-dir', stateDirectory, '--port', '0', '--runner-config', runnerConfig],
  ]);
  const line = await firstLine(child, 'fairlead up', context.signal);
  const readyMs = performance.now() - startedMs;
  const ready = JSON.parse(line) as {
    ready: boolean;
    url: string;
    tokenFile: string;
    runner: string;
    pid: number;
  };
  if (ready.ready !== true) throw new Error(`fairlead up said ${line}`);
  return { ...ready, readyMs, stop: () => context.children.end(child, 'SIGTERM') };
}
