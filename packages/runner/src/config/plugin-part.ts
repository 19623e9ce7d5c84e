import type { RunnerConfig } from './runner-config.ts';
import type { ShellConfig, ShellProfileConfig } from './shell-table.ts';

/** The configuration in force with the plugins of a file, and with what their environments are made from. */
export function withPluginPart(inForce: RunnerConfig, file: RunnerConfig): RunnerConfig {
  const { defaultProfile: _default, ...shell } = inForce.shell;
  const { program, args, dialect, pathPrepend, env, profiles } = partOf(file);
  const defaultProfile = (needsDefault(file) ? file : inForce).shell.defaultProfile;
  return {
    ...inForce,
    shell: {
      ...(defaultProfile === undefined ? {} : { defaultProfile }),
      ...(program === undefined ? {} : { program }),
      ...(args === undefined ? {} : { args }),
      ...(dialect === undefined ? {} : { dialect }),
      pathPrepend,
      env,
      profiles: new Map([...shell.profiles, ...profiles]),
      initTimeoutMs: shell.initTimeoutMs,
    },
    plugins: file.plugins,
  };
}

/** True where both have the same plugins with the same environments: such plugins need no new start. */
export function samePluginPart(left: RunnerConfig, right: RunnerConfig): boolean {
  return textOf(left) === textOf(right);
}

/** What of `[shell]` the environments of the configured plugins are made from. */
type PluginShell = Omit<ShellConfig, 'initTimeoutMs'>;

function partOf(config: RunnerConfig): PluginShell {
  const { initTimeoutMs: _limit, defaultProfile, profiles, ...base } = config.shell;
  const used = new Set(config.plugins.providers.map(({ profile }) => profile ?? defaultProfile));
  return {
    ...base,
    ...(needsDefault(config) && defaultProfile !== undefined ? { defaultProfile } : {}),
    profiles: new Map([...profiles].filter(([name]) => used.has(name))),
  };
}

function needsDefault({ plugins }: RunnerConfig): boolean {
  return plugins.providers.some(({ profile }) => profile === undefined);
}

function textOf(config: RunnerConfig): string {
  const { providers } = config.plugins;
  if (providers.length === 0) return '';
  const { profiles, ...base } = partOf(config);
  return JSON.stringify([
    providers.map(({ toolTimeoutMs, ...provider }) => [sorted(provider), sortedEntries(toolTimeoutMs)]),
    sorted({ ...base, env: sorted(base.env) }),
    sortedEntries(profiles).map(([name, profile]) => [name, profileText(profile)]),
  ]);
}

function profileText(profile: ShellProfileConfig): unknown {
  return sorted({ ...profile, env: sorted(profile.env) });
}

function sorted(object: object): readonly (readonly [string, unknown])[] {
  return Object.entries(object).sort(byName);
}

function sortedEntries<T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  return [...map].sort(byName);
}

function byName([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : 1;
}
