import { join, resolve } from 'node:path';
import { FairleadError } from '@fairlead/base';
import { createLog, readHostConfig } from '@fairlead/gateway';
import { connectLinkThrough, type Runner, readRunnerConfig, startRunner } from '@fairlead/runner';
import { cliError } from '../../cli-error.ts';
import { parseServerUrl } from '../../client/api-client.ts';
import { findProxy } from '../../client/find-proxy.ts';
import { findRunnerToken } from '../../client/token-source.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { openLogFile } from '../../log/log-file.ts';
import { runnerLogPath } from '../../log/log-path.ts';
import { safeLine } from '../../output/safe-text.ts';
import { watchNpm } from '../../process/parent-watch.ts';
import { stopOnSignals } from '../../process/stop-signals.ts';
import { resolveStateDirectory } from '../../state/state-directory.ts';
import { makeStateDirectory } from '../../state/state-folder.ts';

type RunFlags = {
  readonly stateDir?: string;
  readonly config?: string;
  readonly serverUrl?: string;
  readonly tokenFile?: string;
  readonly proxy?: string;
  /** False for `--no-system-proxy`. */
  readonly systemProxy?: boolean;
};

/** `fairlead runner run`: a Runner of its own, dialling a gateway, until it is told to stop. Its log goes to stderr and to its file. */
export async function runnerRun(context: CommandContext, flags: RunFlags): Promise<number> {
  const { env, cwd, platform, clock, random } = context;
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const { configPath, runnerId, gatewayUrl, token, proxy } = await readSettings(
    context,
    stateDirectory,
    flags,
  );
  await makeStateDirectory(stateDirectory);
  const extraSensitive = await hostVariables(stateDirectory);
  const logFile = openLogFile(runnerLogPath(stateDirectory, runnerId));
  const write = (line: string) => {
    context.stderr(line);
    logFile.write(line);
  };
  const log = createLog({ write, clock });
  const stop = stopOnSignals(clock);
  const { pid } = process;
  const stopWatching = watchNpm({ env, pid, parentPid: () => process.ppid, clock, onGone: stop.ask });
  try {
    await using runner = await startRunner({
      configPath,
      runnerId,
      gatewayUrl,
      token,
      stateDirectory,
      env,
      cwd,
      platform,
      clock,
      random,
      log,
      extraSensitive,
      ...(await throughProxy(gatewayUrl, proxy)),
    });
    void announce(context, runner, gatewayUrl);
    const fault = await Promise.race([stop.asked, runner.fatal]);
    if (fault instanceof FairleadError) throw fault;
    context.stderr('fairlead: stopping\n');
    return exitCodes.done;
  } finally {
    stopWatching();
    stop.release();
    logFile.close();
  }
}

/** How the Runner dials, where a proxy stands in between; read only then. */
async function throughProxy(gatewayUrl: string, proxy: URL | null) {
  if (proxy === null) return {};
  const { ProxyAgent } = await import('../../client/proxy-agent.ts');
  return { connect: connectLinkThrough(new ProxyAgent(proxy, gatewayUrl.startsWith('https:'))) };
}

async function readSettings(context: CommandContext, stateDirectory: string, flags: RunFlags) {
  const { env, cwd, platform } = context;
  const configPath =
    flags.config === undefined ? join(stateDirectory, 'runner.toml') : resolve(cwd, flags.config);
  const file = await readRunnerConfig(configPath, platform);
  if (!file.ok) throw new FairleadError(file.code, `${configPath}: ${file.localDetail}`);
  const { clientId: runnerId, serverUrl, token: configToken } = file.config;
  if (runnerId === undefined)
    throw cliError('runner_id_missing', { message: `${configPath} has no client_id.` });
  const gatewayUrl = flags.serverUrl ?? serverUrl;
  if (gatewayUrl === undefined) throw cliError('server_url_missing');
  const token = await findRunnerToken({ tokenFile: flags.tokenFile, env, cwd, configToken, stateDirectory });
  const { proxy: named, systemProxy } = flags;
  const proxy = findProxy(parseServerUrl(gatewayUrl, '/'), { proxy: named, systemProxy, env });
  return { configPath, runnerId, gatewayUrl, token, proxy };
}

/** Where a host shares the directory, what its fairlead.toml names as secrets is kept from this Runner's plugins as well. */
async function hostVariables(stateDirectory: string): Promise<readonly string[]> {
  const path = join(stateDirectory, 'fairlead.toml');
  // Whether the host may listen there is the host's own question.
  const reading = await readHostConfig({ path, env: {}, flags: { allowRemote: true } });
  if (reading.ok) return reading.environmentKeys;
  throw new FairleadError(reading.fault.code, reading.fault.message);
}

/** For people: the log has the same as JSON lines. */
async function announce(context: CommandContext, runner: Runner, gatewayUrl: string): Promise<void> {
  const { runnerId } = runner;
  await runner.registered;
  context.stderr(`fairlead: Runner ${safeLine(runnerId)} is registered at ${safeLine(gatewayUrl)}\n`);
  await runner.settled;
  const plugins = runner
    .status()
    .map(
      (row) => `${row.id} ${row.status}${row.error_code === null ? '' : ` (${safeLine(row.error_code)})`}`,
    );
  context.stderr(`fairlead: plugins: ${plugins.join(', ') || 'none is configured'}\n`);
}
