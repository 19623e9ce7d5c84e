import { join } from 'node:path';
import { type Clock, FairleadError } from '@fairlead/base';
import { createLog } from '@fairlead/gateway';
import type { Runner } from '@fairlead/runner';
import type { CommandContext } from '../command-context.ts';
import { exitCodes } from '../exit-codes.ts';
import { bindRunner, startEmbeddedRunner } from '../host/embedded-runner.ts';
import { answerForHeldDirectory } from '../host/held-directory.ts';
import { startHost } from '../host/host.ts';
import { type HostConfigFlags, loadHostConfig } from '../host/host-config.ts';
import { openLogFile } from '../host/log-file.ts';
import { operatorScopes } from '../host/operator-token.ts';
import { takeStateDirectory } from '../host/state-folder.ts';
import { watchNpm } from '../parent-watch.ts';
import { withProgress } from '../progress.ts';
import { type ReadyReport, readyText } from '../ready-output.ts';
import { removeServerFile, type StartedWith, writeServerFile } from '../server-file.ts';
import { hasExamples, writeStarterRunnerConfig } from '../starter-runner-config.ts';
import { resolveStateDirectory } from '../state-directory.ts';
import { type StopRequest, stopOnSignals } from '../stop-signals.ts';
import { readVersion } from '../version.ts';

/** The flags of `up` and `serve`. */
export type UpFlags = HostConfigFlags & {
  readonly stateDir?: string;
  readonly runnerConfig?: string;
  readonly examples?: boolean;
  readonly json?: boolean;
};

/** How long the ready line waits for providers; those that take longer are named and go on starting. */
const readyBudgetMs = 10_000;

/** `fairlead up`: a gateway and one Runner in this process, until it is told to stop. */
export function up(context: CommandContext, flags: UpFlags): Promise<number> {
  return run(context, 'up', flags);
}

/** `fairlead serve`: the gateway alone. */
export function serve(context: CommandContext, flags: UpFlags): Promise<number> {
  return run(context, 'serve', flags);
}

async function run(context: CommandContext, command: 'up' | 'serve', flags: UpFlags): Promise<number> {
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const startedWith: StartedWith = {
    command,
    bind: flags.bind ?? null,
    port: flags.port ?? null,
    config: flags.config ?? null,
    runnerConfig: flags.runnerConfig ?? null,
  };
  // Listening to signals comes first: one that arrives during the start must undo what has been started.
  const stop = stopOnSignals();
  const lock = await takeStateDirectory(stateDirectory);
  if (lock === null) {
    stop.release();
    return answerForHeldDirectory({ context, stateDirectory, startedWith, json: flags.json === true });
  }
  const stopWatching = watchNpm({
    env: context.env,
    parentPid: () => process.ppid,
    clock: context.clock,
    onGone: stop.ask,
  });
  try {
    await hold(context, stateDirectory, startedWith, flags, stop);
    return exitCodes.done;
  } finally {
    stopWatching();
    await lock.release();
    stop.release();
  }
}

/** Starts everything, says so, and ends it in reverse order when asked to. */
async function hold(
  context: CommandContext,
  stateDirectory: string,
  startedWith: StartedWith,
  flags: UpFlags,
  stop: StopRequest,
): Promise<void> {
  const reading = await loadHostConfig(context, stateDirectory, flags);
  for (const warning of reading.warnings) context.stderr(`fairlead: ${warning.message}\n`);
  await using stack = new AsyncDisposableStack();
  const logFile = openLogFile(join(stateDirectory, 'log/fairlead.log'));
  stack.defer(() => logFile.close());
  const log = createLog({ write: logFile.write, clock: context.clock });
  const { config, environmentKeys } = reading;
  const host = stack.use(await startHost({ context, stateDirectory, config, log, onStop: stop.ask }));
  let runner: Runner | null = null;
  if (startedWith.command === 'up') {
    if (flags.examples === true) await writeExamples(context, stateDirectory);
    const binding = await bindRunner(context, stateDirectory, flags.runnerConfig);
    for (const notice of binding.notices) context.stderr(`fairlead: ${notice}\n`);
    runner = stack.use(
      await startEmbeddedRunner({
        context,
        stateDirectory,
        binding,
        host,
        log,
        extraSensitive: environmentKeys,
      }),
    );
    await Promise.race([stop.asked, untilReady(context, runner)]);
  }
  stack.defer(() => removeServerFile(stateDirectory));
  await writeServerFile(stateDirectory, {
    url: host.url,
    pid: process.pid,
    startedAtMs: context.clock.wallMs(),
    version: readVersion(),
    runner: runner?.runnerId ?? null,
    startedWith,
  });
  announce(context, flags, {
    url: host.url,
    tokenFile: host.tokenFile,
    scopes: operatorScopes,
    runner: runner?.runnerId ?? null,
    providers: runner?.status() ?? [],
    command: hasExamples(context.cloneRoot) ? './fairlead' : 'fairlead',
  });
  const fault = await Promise.race([stop.asked, ...(runner === null ? [] : [runner.fatal])]);
  if (fault instanceof FairleadError) throw fault;
  if (flags.json !== true) context.stderr('fairlead: stopping\n');
}

async function writeExamples(context: CommandContext, stateDirectory: string): Promise<void> {
  const { cloneRoot, env } = context;
  if (!hasExamples(cloneRoot)) {
    throw new FairleadError('examples_missing', 'there are no example plugins beside this command');
  }
  await writeStarterRunnerConfig(join(stateDirectory, 'runner.toml'), {
    cloneRoot,
    nodePath: process.execPath,
    env,
  });
}

/** The Runner is registered and every provider is ready or failed; or the budget is over, and the slow ones are named. */
async function untilReady(context: CommandContext, runner: Runner): Promise<void> {
  const everything = Promise.all([runner.registered, runner.settled]);
  const starting = () =>
    runner
      .status()
      .filter((row) => row.status === 'starting')
      .map((row) => row.id);
  const inTime = await withProgress(
    context,
    () => `starting ${starting().join(', ') || 'the Runner'}`,
    () => Promise.race([everything.then(() => true), after(context.clock, readyBudgetMs).then(() => false)]),
  );
  if (!inTime) {
    const late = starting();
    context.stderr(
      late.length === 0
        ? 'fairlead: the Runner has not registered yet; it goes on trying\n'
        : `fairlead: still starting, and going on: ${late.join(', ')}\n`,
    );
  }
}

function after(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => clock.setTimer(delayMs, resolve, { unref: true }));
}

function announce(context: CommandContext, flags: UpFlags, report: ReadyReport): void {
  const { url, tokenFile, runner } = report;
  if (flags.json === true) {
    context.stdout(`${JSON.stringify({ ready: true, url, tokenFile, runner, pid: process.pid })}\n`);
  } else context.stdout(readyText(report));
}
