import type { Platform } from '../platform.ts';

/** How a shell is spoken to. */
export type Dialect = 'posix' | 'powershell';

/** The `[shell]` table: how environments are made on this Runner. */
export type ShellEnvironment = {
  readonly program: string;
  /** Come before the one script argument, for example `-c`. */
  readonly args: readonly string[];
  readonly dialect: Dialect;
  readonly pathPrepend: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Text to run (the content of the file that the table names). Absent: no shell is started. */
  readonly initScript?: string;
};

/** A `[shell.profiles.NAME]` table: what it says holds over the base. */
export type ShellProfile = {
  readonly program?: string;
  readonly args?: readonly string[];
  readonly dialect?: Dialect;
  readonly env?: Readonly<Record<string, string>>;
  /** Text to run, instead of the base's. */
  readonly initScript?: string;
};

const KNOWN: Readonly<Record<string, Dialect>> = Object.freeze({
  sh: 'posix',
  bash: 'posix',
  powershell: 'powershell',
  pwsh: 'powershell',
});

/** The dialect of a shell whose table names none: told by a known program name, else the platform's own. */
export function shellDialect(program: string, platform: Platform): Dialect {
  const name = (program.split(/[\\/]/).pop() ?? '').toLowerCase().replace(/\.exe$/, '');
  const known = Object.hasOwn(KNOWN, name) ? KNOWN[name] : undefined;
  return known ?? (platform === 'win32' ? 'powershell' : 'posix');
}
