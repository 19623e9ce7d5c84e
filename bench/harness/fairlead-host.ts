import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BenchContext } from './bench.ts';
import { firstLine } from './first-line.ts';

/** The launcher of this clone: what a user types. */
export const launcher: string = fileURLToPath(new URL('../../fairlead', import.meta.url));

/** A `fairlead up` or `fairlead serve` that has said that it is ready. */
export type RunningHost = {
  readonly url: string;
  readonly tokenFile: string;
  readonly pid: number;
  /** From before the launcher was started until the ready line was read. */
  readonly readyMs: number;
  /** Ends it as a user's stop does and waits until it is gone. */
  stop(): Promise<void>;
};

/**
 * Starts `fairlead up` with a Runner as `runnerConfig` says, or `fairlead serve` without one, on a free port. What it says
 * on stderr is shown when it fails to start.
 */
export async function startHost(
  context: BenchContext,
  options: { readonly stateDirectory: string; readonly runnerConfig?: string },
): Promise<RunningHost> {
  const { stateDirectory, runnerConfig } = options;
  const command = runnerConfig === undefined ? ['serve'] : ['up', '--runner-config', runnerConfig];
  const stderrFile = `${stateDirectory}.stderr`;
  const startedMs = performance.now();
  const child = context.children.start(
    launcher,
    [...command, '--json', '--state-dir', stateDirectory, '--port', '0'],
    { stderrFile },
  );
  const line = await firstLine(child, `fairlead ${command[0]}`, context.signal).catch((cause) => {
    throw new Error(`${cause.message}\n${readFileSync(stderrFile, 'utf8').trimEnd()}`, { cause });
  });
  const readyMs = performance.now() - startedMs;
  const ready = JSON.parse(line) as { ready: boolean; url: string; tokenFile: string; pid: number };
  if (ready.ready !== true) throw new Error(`fairlead ${command[0]} said ${line}`);
  return { ...ready, readyMs, stop: () => context.children.end(child, 'SIGTERM') };
}
