import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { escapeHidden, FairleadError } from '@fairlead/base';
import { isRunnerId, runnerErrors } from '@fairlead/runner';
import { cliError } from '../../cli-error.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { logLimits } from '../../limits.ts';
import { hostLogPath, runnerLogPath } from '../../log/log-path.ts';
import { logText } from '../../log/log-text.ts';
import { readLog } from '../../log/read-log.ts';
import { safeLine } from '../../output/safe-text.ts';
import { type SignalSource, stopOnSignals } from '../../process/stop-signals.ts';
import { readServerFile } from '../../state/server-file.ts';
import { resolveStateDirectory } from '../../state/state-directory.ts';
import { requireReadable } from '../../state/state-folder.ts';

type LogsFlags = {
  readonly stateDir?: string;
  readonly runner?: string;
  readonly lines?: number;
  readonly follow?: boolean;
  readonly json?: boolean;
};

/**
 * `fairlead logs`: the log of the host, or that of a Runner of this machine, with or without what comes from here on.
 * Throws `log_missing`.
 */
export async function logs(
  context: CommandContext,
  flags: LogsFlags,
  signals: SignalSource = process,
): Promise<number> {
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const path = await choosePath(context, stateDirectory, flags.runner);
  const print = (line: string) =>
    context.stdout(`${flags.json === true ? escapeHidden(line) : logText(line)}\n`);
  const reading = { path, lines: flags.lines ?? logLimits.shownLines, onLine: print };
  const { clock } = context;
  const isThere =
    flags.follow === true
      ? await untilStopped(context, signals, (signal) => readLog({ ...reading, follow: { clock, signal } }))
      : await readLog(reading);
  if (!isThere) throw cliError('log_missing', { detail: { file: path } });
  return exitCodes.done;
}

async function untilStopped(
  { clock }: CommandContext,
  signals: SignalSource,
  work: (signal: AbortSignal) => Promise<boolean>,
): Promise<boolean> {
  const stop = stopOnSignals(clock, signals);
  const ended = new AbortController();
  void stop.asked.then(() => ended.abort());
  try {
    return await work(ended.signal);
  } finally {
    stop.release();
  }
}

async function choosePath(
  context: CommandContext,
  stateDirectory: string,
  runner: string | undefined,
): Promise<string> {
  await requireReadable(stateDirectory);
  const ofHost = hostLogPath(stateDirectory);
  // Where only one Runner has ever run there is nothing else to mean.
  if (runner === undefined)
    return existsSync(ofHost) ? ofHost : ((await onlyRunnerLog(stateDirectory)) ?? ofHost);
  if (!isRunnerId(runner)) {
    const { message } = runnerErrors.runner_folder_unusable;
    throw new FairleadError('runner_folder_unusable', message);
  }
  const own = runnerLogPath(stateDirectory, runner);
  const isHosts = (await readServerFile(stateDirectory))?.runner === runner;
  if (!isHosts && (existsSync(own) || !existsSync(ofHost))) return own;
  context.stderr(`fairlead: Runner ${safeLine(runner)} shares the log of its host, if it has run here\n`);
  return ofHost;
}

async function onlyRunnerLog(stateDirectory: string): Promise<string | null> {
  const names = await readdir(join(stateDirectory, 'log')).catch(() => []);
  const [only, ...others] = names.filter((name) => /^runner-.+\.log$/.test(name));
  return only === undefined || others.length > 0 ? null : join(stateDirectory, 'log', only);
}
