import { resolve } from 'node:path';
import { FairleadError } from '@fairlead/base';
import { cliError } from '../../cli-error.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { runTextLimits } from '../../limits.ts';
import { printError } from '../../output/error-output.ts';
import { awaitHost, findHost } from '../../owner/host-in-charge.ts';
import { stopOnSignals } from '../../process/stop-signals.ts';
import { resolveStateDirectory } from '../../state/state-directory.ts';
import { takeStateDirectory } from '../../state/state-folder.ts';
import { UsageError } from '../../usage-error.ts';
import { type RunReport, tellRun } from './run-report.ts';
import type { RunWish } from './run-wish.ts';

/** The flags of `run`. */
export type RunFlags = {
  readonly session?: string;
  readonly model?: string;
  readonly agent?: string;
  readonly workspace?: string;
  readonly approve?: 'all' | readonly string[];
  readonly timeout?: number;
  readonly stateDir?: string;
  readonly config?: string;
  readonly json?: boolean;
};

/**
 * `fairlead run TEXT`: one turn of an agent, through the running host or, where none runs, through one of its own. Exit 0 completed or
 * silent, 1 failed, 2 wrong usage, 3 where the end of a call is not known, 130 where it was broken off.
 */
export async function run(context: CommandContext, text: string, flags: RunFlags): Promise<number> {
  const wish = await wishOf(context, text, flags);
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const stop = stopOnSignals(context.clock);
  const controller = new AbortController();
  void stop.asked.then(() => controller.abort(cliError('interrupted')));
  try {
    const report = await runOn(context, { stateDirectory, wish, flags, signal: controller.signal });
    return await tellRun(context, report, { json: flags.json === true, isInterrupted: stop.isAsked });
  } catch (error) {
    if (!stop.isAsked && !isLost(error)) throw error;
    await printError(context, error, 'run');
    return stop.isAsked ? exitCodes.interrupted : exitCodes.unknown;
  } finally {
    stop.release();
  }
}

/** What was asked for may have been done. */
function isLost(error: unknown): boolean {
  return error instanceof FairleadError && (error.code === 'run_lost' || error.code === 'answer_lost');
}

async function wishOf(context: CommandContext, text: string, flags: RunFlags): Promise<RunWish> {
  const { session, model, agent, workspace, approve, timeout } = flags;
  const said = text === '-' ? await readText(context) : text;
  if (said.trim() === '') throw new UsageError('There is nothing to say: the text is empty.');
  return {
    text: said,
    workspace: resolve(context.cwd, workspace ?? '.'),
    ...(session === undefined ? {} : { session }),
    ...(model === undefined ? {} : { model }),
    ...(agent === undefined ? {} : { agent }),
    ...(approve === undefined ? {} : { approve }),
    ...(timeout === undefined ? {} : { timeoutSecs: timeout }),
  };
}

async function readText(context: CommandContext): Promise<string> {
  const bytes = await context.readStdin(runTextLimits.bytes);
  if (bytes.length > runTextLimits.bytes)
    throw new UsageError(`The text of standard input is larger than ${runTextLimits.bytes} bytes.`);
  return bytes.toString('utf8');
}

type Run = {
  readonly stateDirectory: string;
  readonly wish: RunWish;
  readonly flags: RunFlags;
  readonly signal: AbortSignal;
};

/** Through whoever owns the state directory, else as its owner for as long as the turn takes. */
async function runOn(
  context: CommandContext,
  { stateDirectory, wish, flags, signal }: Run,
): Promise<RunReport> {
  const server = await findHost(context, stateDirectory);
  if (server !== null) return await throughHost(context, { url: server.url, stateDirectory }, wish, signal);
  await using lock = await takeStateDirectory(stateDirectory);
  if (lock === null) {
    const late = await awaitHost(context, stateDirectory);
    if (late !== null) return await throughHost(context, { url: late.url, stateDirectory }, wish, signal);
    throw cliError('state_directory_in_use', {
      message: `Another process owns ${stateDirectory} and does not answer.`,
    });
  }
  const { runAlone } = await import('./run-alone.ts');
  return await runAlone(context, { stateDirectory, wish, config: flags.config, signal });
}

async function throughHost(
  context: CommandContext,
  host: { readonly url: string; readonly stateDirectory: string },
  wish: RunWish,
  signal: AbortSignal,
): Promise<RunReport> {
  const { runThroughHost } = await import('./run-through-host.ts');
  return await runThroughHost(context, host, wish, signal);
}
