import { join, resolve } from 'node:path';
import { FairleadError } from '@fairlead/base';
import { createLog } from '@fairlead/gateway/log';
import type { Runner } from '@fairlead/runner';
import { cliError } from '../../cli-error.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { bindRunner, startEmbeddedRunner } from '../../host/embedded-runner.ts';
import { type Host, startHost } from '../../host/host.ts';
import { type HostConfigFlags, loadHostConfig } from '../../host/host-config.ts';
import { operatorScopes } from '../../host/operator-token.ts';
import { hasExamples, writeStarterRunnerConfig } from '../../host/starter-runner-config.ts';
import { untilRunnerReady } from '../../host/until-runner-ready.ts';
import { openLogFile } from '../../log/log-file.ts';
import { hostLogPath } from '../../log/log-path.ts';
import { commandHint } from '../../output/command-hint.ts';
import { readyText } from '../../output/ready-text.ts';
import { jsonLine } from '../../output/safe-text.ts';
import { answerForHeldDirectory } from '../../owner/held-directory.ts';
import { watchNpm } from '../../process/parent-watch.ts';
import { type StopRequest, stopOnSignals } from '../../process/stop-signals.ts';
import { removeServerFile, type StartedWith, writeServerFile } from '../../state/server-file.ts';
import { resolveStateDirectory } from '../../state/state-directory.ts';
import { takeStateDirectory } from '../../state/state-folder.ts';
import { readVersion } from '../../version.ts';

/** The flags of `up` and `serve`. */
export type UpFlags = HostConfigFlags & {
  readonly stateDir?: string;
  readonly runnerConfig?: string;
  readonly examples?: boolean;
  readonly json?: boolean;
};

/** `fairlead up`: a gateway and one Runner in this process, until it is told to stop. */
export function up(context: CommandContext, flags: UpFlags): Promise<number> {
  return run(context, 'up', flags);
}

/** `fairlead serve`: the gateway alone. */
export function serve(context: CommandContext, flags: UpFlags): Promise<number> {
  return run(context, 'serve', flags);
}

async function run(context: CommandContext, command: 'up' | 'serve', flags: UpFlags): Promise<number> {
  const { env, clock } = context;
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const startedWith = startedWithOf(context, command, flags);
  // Listening to signals comes first: one that arrives during the start must undo what has been started.
  const stop = stopOnSignals(clock);
  try {
    await using lock = await takeStateDirectory(stateDirectory);
    if (lock === null) {
      // Nothing of this process is to be undone any more, so a signal may end it as it ends any program.
      stop.release();
      return await answerForHeldDirectory(context, {
        stateDirectory,
        startedWith,
        json: flags.json === true,
      });
    }
    const { pid } = process;
    const parentPid = () => process.ppid;
    const stopWatching = watchNpm({ env, pid, parentPid, clock, onGone: stop.ask });
    try {
      await hold(context, { stateDirectory, startedWith, flags, stop });
      return exitCodes.done;
    } finally {
      stopWatching();
    }
  } finally {
    stop.release();
  }
}

function startedWithOf(context: CommandContext, command: 'up' | 'serve', flags: UpFlags): StartedWith {
  const pathOf = (flag: string | undefined) => (flag === undefined ? null : resolve(context.cwd, flag));
  return {
    command,
    bind: flags.bind ?? null,
    port: flags.port ?? null,
    allowRemote: flags.allowRemote ?? false,
    config: pathOf(flags.config),
    runnerConfig: pathOf(flags.runnerConfig),
  };
}

type Holding = {
  readonly stateDirectory: string;
  readonly startedWith: StartedWith;
  readonly flags: UpFlags;
  readonly stop: StopRequest;
};

/** Starts everything, says so, and ends it in reverse order when asked to. */
async function hold(context: CommandContext, holding: Holding): Promise<void> {
  const { stateDirectory, flags, stop } = holding;
  // One that was killed left its address; from here on the file says that nobody is ready.
  await removeServerFile(stateDirectory);
  const reading = await loadHostConfig(context, stateDirectory, flags);
  const { environmentKeys } = reading;
  const binding = await bindOwnRunner(context, holding);
  await using stack = new AsyncDisposableStack();
  const logFile = openLogFile(hostLogPath(stateDirectory));
  stack.defer(() => logFile.close());
  const log = createLog({ write: logFile.write, clock: context.clock });
  const { ask: onStop, asked: stopped } = stop;
  const host = stack.use(await startHost({ context, stateDirectory, loaded: reading, log, onStop, stopped }));
  // Where there is no model nothing costs anything.
  if (host.agents.models.default !== undefined)
    for (const line of await host.agents.firstWords()) context.stderr(`fairlead: ${line}\n`);
  let runner: Runner | null = null;
  if (binding !== null && !stop.isAsked) {
    const extraSensitive = environmentKeys;
    runner = stack.use(
      await startEmbeddedRunner({ context, stateDirectory, binding, host, log, extraSensitive }),
    );
    throwFault(await Promise.race([stop.asked, runner.fatal, untilRunnerReady(context, runner)]));
  }
  if (!stop.isAsked) {
    stack.defer(() => removeServerFile(stateDirectory));
    await becomeReady(context, holding, host, runner);
  }
  throwFault(await Promise.race([stop.asked, ...(runner === null ? [] : [runner.fatal])]));
  context.stderr('fairlead: stopping\n');
}

/** What made a Runner give up, rather than what asked for the end. */
function throwFault(fault: unknown): void {
  if (fault instanceof FairleadError) throw fault;
}

/** What the Runner of `up` runs with; null for `serve`. Before anything listens: a mistake in the file is told at once. */
async function bindOwnRunner(context: CommandContext, holding: Holding) {
  const { stateDirectory, startedWith, flags } = holding;
  if (startedWith.command === 'serve') return null;
  if (flags.examples === true && flags.runnerConfig === undefined) {
    await writeExamples(context, stateDirectory);
  }
  const binding = await bindRunner(context, stateDirectory, flags.runnerConfig);
  for (const notice of binding.notices) context.stderr(`fairlead: ${notice}\n`);
  return binding;
}

async function writeExamples(context: CommandContext, stateDirectory: string): Promise<void> {
  const { cloneRoot, env } = context;
  if (!hasExamples(cloneRoot)) throw cliError('examples_missing');
  await writeStarterRunnerConfig(join(stateDirectory, 'runner.toml'), {
    cloneRoot,
    nodePath: process.execPath,
    env,
    command: commandHint(context, stateDirectory).command,
  });
}

/** Writes `server.json`, then says that it is there. */
async function becomeReady(
  context: CommandContext,
  { stateDirectory, startedWith, flags }: Holding,
  host: Host,
  runner: Runner | null,
): Promise<void> {
  const { url, tokenFile } = host;
  const { pid } = process;
  const runnerId = runner?.runnerId ?? null;
  await writeServerFile(stateDirectory, {
    url,
    pid,
    startedAtMs: context.clock.wallMs(),
    version: readVersion(),
    runner: runnerId,
    startedWith,
  });
  if (flags.json === true) {
    context.stdout(jsonLine({ ready: true, url, tokenFile, runner: runnerId, pid }));
    return;
  }
  context.stdout(
    readyText({
      ...commandHint(context, stateDirectory),
      url,
      tokenFile,
      scopes: operatorScopes,
      runner: runnerId,
      providers: runner?.status() ?? [],
      extensions: host.extensions.administration.summary(),
      agents: { names: await host.agentNames(), model: host.agents.models.default ?? null },
    }),
  );
}
