import { limits } from '../limits.ts';
import type { ConfigTable, TextRule } from './config-table.ts';
import { bytes, label } from './text-rules.ts';

/** Which language a shell program reads. */
type ShellDialect = 'posix' | 'powershell';

/** `[shell.profiles.NAME]`: what a provider's environment is prepared from. */
export type ShellProfileConfig = {
  readonly program?: string;
  readonly args?: readonly string[];
  readonly dialect?: ShellDialect;
  readonly env: Readonly<Record<string, string>>;
  /** Shell text, run once when the environment is prepared. */
  readonly initScript?: string;
};

/** `[shell]`. */
export type ShellConfig = {
  readonly defaultProfile?: string;
  readonly program?: string;
  readonly args?: readonly string[];
  readonly dialect?: ShellDialect;
  /** Folders put before PATH, in this order. */
  readonly pathPrepend: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly profiles: ReadonlyMap<string, ShellProfileConfig>;
  /** How long an init script may take. */
  readonly initTimeoutMs: number;
};

const PERSISTENT_SHELL_KEYS = [
  'max_persistent_shells',
  'persistent_shell_idle_timeout_secs',
  'environment_mode',
];
const DIALECTS = ['posix', 'powershell'] as const;

const program: TextRule = bytes(1, limits.commandMaxBytes);
const argument: TextRule = bytes(0, limits.argumentMaxBytes);
const text: TextRule = (value) => (value.includes('\0') ? 'must not hold a NUL character' : null);

/** Reads `[shell]` and its profiles. */
export function readShell(table: ConfigTable): ShellConfig {
  const defaultProfile = table.text('default_profile', bytes(1, limits.profileNameMaxBytes));
  const shell = readProgram(table);
  const pathPrepend = table.texts('path_prepend', bytes(1, limits.pathMaxBytes)) ?? [];
  const env = readEnv(table);
  const initTimeoutSecs =
    table.wholeNumber('init_timeout_secs', 1, limits.initTimeoutMaxSecs) ?? limits.initTimeoutDefaultSecs;
  const profiles = new Map<string, ShellProfileConfig>();
  const profileTables = table.table('profiles');
  for (const name of profileTables?.names() ?? []) {
    const profile = profileTables?.table(name);
    if (profile === undefined) continue;
    if (!isProfileName(name)) profile.findings.fault(profile.path, 'has a name that a profile cannot have');
    else profiles.set(name, readProfile(profile));
  }
  if (defaultProfile !== undefined && !profiles.has(defaultProfile)) {
    table.fault('default_profile', 'names a profile that is not in the file');
  }
  // A path to a script for interactive shells, which no provider is started through.
  table.withoutEffect(['init_script', ...PERSISTENT_SHELL_KEYS]);
  table.finish();
  return {
    ...(defaultProfile === undefined ? {} : { defaultProfile }),
    ...shell,
    pathPrepend,
    env,
    profiles,
    initTimeoutMs: initTimeoutSecs * 1000,
  };
}

function readProfile(table: ConfigTable): ShellProfileConfig {
  table.text('description', label(limits.descriptionMaxBytes));
  const shell = readProgram(table);
  const env = readEnv(table);
  const initScript = table.text('init_script', text);
  table.finish();
  return { ...shell, env, ...(initScript === undefined ? {} : { initScript }) };
}

function readProgram(table: ConfigTable): Pick<ShellProfileConfig, 'program' | 'args' | 'dialect'> {
  const named = table.text('program', program);
  const args = table.texts('args', argument);
  if ((args?.length ?? 0) > limits.argumentsMax)
    table.fault('args', `must have at most ${limits.argumentsMax} items`);
  const dialect = table.oneOf('dialect', DIALECTS);
  return {
    ...(named === undefined ? {} : { program: named }),
    ...(args === undefined ? {} : { args }),
    ...(dialect === undefined ? {} : { dialect }),
  };
}

function readEnv(table: ConfigTable): Record<string, string> {
  const env: Record<string, string> = {};
  const entries = table.table('env');
  for (const name of entries?.names() ?? []) {
    const value = entries?.text(name, text);
    if (!/^[A-Za-z0-9_]+$/.test(name)) entries?.fault(name, 'must be made of letters, digits and _');
    else if (value !== undefined)
      Object.defineProperty(env, name, { value, enumerable: true, writable: true });
  }
  return env;
}

function isProfileName(name: string): boolean {
  return /^[A-Za-z0-9_.-]+$/.test(name) && !name.includes('..') && name.length <= limits.profileNameMaxBytes;
}
