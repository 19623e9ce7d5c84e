import { resolveExecutable, sensitiveNames, startWatchdog } from '@fairlead/process';
import { EnvironmentSnapshots, type RunnerConfig } from '@fairlead/runner';
import type { CommandContext } from '../command-context.ts';
import type { PreparedPlugin } from './environments.ts';

/**
 * Prepares the environment of every plugin as the Runner does, which runs the init scripts of their profiles, and looks
 * their commands up. No plugin is started; what an init script leaves behind is ended.
 */
export async function prepareEnvironments(
  context: CommandContext,
  config: RunnerConfig,
): Promise<readonly PreparedPlugin[]> {
  const { env, cwd, platform, clock, random } = context;
  const { shell, plugins } = config;
  const profileOf = (name: string | undefined) => name ?? shell.defaultProfile ?? null;
  const profiles = new Set(plugins.providers.map(({ profile }) => profileOf(profile)));
  const scripts = [...profiles].filter(
    (name) => name !== null && shell.profiles.get(name)?.initScript !== undefined,
  );
  if (scripts.length > 0) context.stderr(`fairlead: running the init_script of ${scripts.join(', ')}\n`);
  await using watchdog = startWatchdog({ random, platform, clock });
  const snapshots = new EnvironmentSnapshots({
    shell,
    base: env,
    sensitive: sensitiveNames(),
    cwd,
    platform,
    clock,
    random,
    watchdog,
    signal: new AbortController().signal,
  });
  const prepared: PreparedPlugin[] = [];
  for (const provider of plugins.providers) {
    const { id, command } = provider;
    const environment = await snapshots.prepare(provider);
    const executable = environment.ok
      ? await resolveExecutable({ command, cwd: provider.cwd ?? cwd, env: environment.env, platform })
      : null;
    prepared.push({ plugin: id, command, profile: profileOf(provider.profile), environment, executable });
  }
  return prepared;
}
