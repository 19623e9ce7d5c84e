import type { Clock, Random } from '@fairlead/base';
import {
  type Dialect,
  type EnvironmentAnswer,
  prepareEnvironment,
  type ShellEnvironment,
  type ShellProfile,
  shellDialect,
  type TreeOwner,
} from '@fairlead/process';
import type { ProviderConfig } from '../config/plugins-table.ts';
import type { ShellConfig, ShellProfileConfig } from '../config/shell-table.ts';

export type EnvironmentSnapshotsOptions = {
  readonly shell: ShellConfig;
  /** The Runner's own environment. */
  readonly base: Readonly<Record<string, string | undefined>>;
  /** Names that no plugin gets. */
  readonly sensitive: readonly string[];
  /** The folder of a provider without a `cwd`. */
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  readonly clock: Clock;
  readonly random: Random;
  readonly watchdog: TreeOwner;
  /** Ends init scripts early. */
  readonly signal: AbortSignal;
};

/**
 * The environments of one reading of `runner.toml`: prepared once per folder and profile, and shared by the providers
 * that have both in common.
 */
export class EnvironmentSnapshots {
  readonly #options: EnvironmentSnapshotsOptions;
  readonly #prepared = new Map<string, Promise<EnvironmentAnswer>>();

  constructor(options: EnvironmentSnapshotsOptions) {
    this.#options = options;
  }

  /** The environment of one provider: its profile, else the default one, else the base. */
  prepare(provider: ProviderConfig): Promise<EnvironmentAnswer> {
    const cwd = provider.cwd ?? this.#options.cwd;
    const profile = provider.profile ?? this.#options.shell.defaultProfile;
    const key = JSON.stringify([cwd, profile ?? null]);
    const known = this.#prepared.get(key);
    if (known !== undefined) return known;
    const prepared = this.#prepare(cwd, profile);
    this.#prepared.set(key, prepared);
    return prepared;
  }

  #prepare(cwd: string, profileName: string | undefined): Promise<EnvironmentAnswer> {
    const { shell: config, ...rest } = this.#options;
    const shell = shellEnvironment(config, rest.platform);
    const profile = profileName === undefined ? undefined : config.profiles.get(profileName);
    return prepareEnvironment({
      ...rest,
      cwd,
      shell,
      initTimeoutMs: config.initTimeoutMs,
      ...(profile === undefined ? {} : { profile: shellProfile(profile, shell, rest.platform) }),
    });
  }
}

function shellEnvironment(shell: ShellConfig, platform: NodeJS.Platform): ShellEnvironment {
  const program = shell.program ?? (platform === 'win32' ? 'powershell.exe' : 'sh');
  const dialect = shell.dialect ?? shellDialect(program, platform);
  const { pathPrepend, env } = shell;
  return { program, args: shell.args ?? ARGUMENTS[dialect], dialect, pathPrepend, env };
}

/** A profile that names a program of its own speaks that program's language, not the base's. */
function shellProfile(
  profile: ShellProfileConfig,
  base: ShellEnvironment,
  platform: NodeJS.Platform,
): ShellProfile {
  const { program } = profile;
  const dialect = profile.dialect ?? (program === undefined ? base.dialect : shellDialect(program, platform));
  const args = profile.args ?? (dialect === base.dialect ? base.args : ARGUMENTS[dialect]);
  return { ...profile, dialect, args };
}

/** What comes before the one script argument, where the file says nothing. */
const ARGUMENTS: Readonly<Record<Dialect, readonly string[]>> = {
  posix: ['-c'],
  powershell: ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command'],
};
