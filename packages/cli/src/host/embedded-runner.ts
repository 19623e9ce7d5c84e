import { join, resolve } from 'node:path';
import { FairleadError } from '@fairlead/base';
import type { Log } from '@fairlead/gateway';
import { noteText, type Runner, readRunnerConfig, startRunner } from '@fairlead/runner';
import type { CommandContext } from '../command-context.ts';
import type { Host } from './host.ts';

const defaultRunnerId = 'local';

/** Which `runner.toml` the Runner of `up` is bound to, and the id that it registers under. */
export type RunnerBinding = {
  readonly configPath: string;
  readonly runnerId: string;
  /** Sentences for people: what in the file is not known, or does not count here. */
  readonly notices: readonly string[];
};

/** Reads the file for its id. A named file must exist; the default one may be absent. Throws `plugin_config_*`. */
export async function bindRunner(
  context: CommandContext,
  stateDirectory: string,
  flag: string | undefined,
): Promise<RunnerBinding> {
  const configPath = flag === undefined ? join(stateDirectory, 'runner.toml') : resolve(context.cwd, flag);
  const file = await readRunnerConfig(configPath, context.platform);
  if (!file.ok) {
    if (file.absent === true && flag === undefined)
      return { configPath, runnerId: defaultRunnerId, notices: [] };
    throw new FairleadError(file.code, `${configPath}: ${file.localDetail}`);
  }
  const { clientId, serverUrl, token } = file.config;
  const notices = file.warnings.map((note) => `${configPath}: ${noteText(note)}`);
  for (const [key, value] of Object.entries({ server_url: serverUrl, token })) {
    if (value !== undefined)
      notices.push(`${configPath}: ${key} is ignored, because up runs its own gateway`);
  }
  return { configPath, runnerId: clientId ?? defaultRunnerId, notices };
}

/** Starts the Runner that shares this process; it still dials in over loopback, with a token of its own for this start. */
export async function startEmbeddedRunner(options: {
  readonly context: CommandContext;
  readonly stateDirectory: string;
  readonly binding: RunnerBinding;
  readonly host: Host;
  readonly log: Log;
  readonly extraSensitive: readonly string[];
}): Promise<Runner> {
  const { context, stateDirectory, binding, host, log, extraSensitive } = options;
  const { env, cwd, platform, clock, random } = context;
  const { secret } = await host.tokens.mintRunner({ runner: binding.runnerId, embedded: true });
  return startRunner({
    configPath: binding.configPath,
    runnerId: binding.runnerId,
    gatewayUrl: host.url,
    token: secret,
    stateDirectory,
    env,
    cwd,
    platform,
    clock,
    random,
    log,
    extraSensitive,
  });
}
