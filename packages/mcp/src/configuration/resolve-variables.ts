import type { Platform } from '@fairlead/process';
import type { HttpServer, StdioServer } from './server-config.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Texts with the variables that they name put in, and which of those are not set. */
export interface Resolved {
  readonly values: Readonly<Record<string, string>>;
  /** Values that came from the environment, or that an imported file wrote out for a header: nobody may see them. */
  readonly secrets: readonly string[];
  readonly missing: readonly string[];
}

const REFERENCE = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]{0,255})(?::-([^}]*))?\}/g;

/** The headers of every request to a server. */
export function resolveHeaders(server: HttpServer, env: Env): Resolved {
  const { values, secrets, missing } = resolveTexts(server.headers, env);
  const headers: Record<string, string> = { ...values };
  const absent = [...missing];
  for (const [header, variable] of Object.entries(server.headersEnv)) {
    const value = env[variable];
    if (value === undefined || value === '') absent.push(variable);
    else headers[header] = value;
  }
  return { values: headers, secrets: [...secrets, ...Object.values(headers)], missing: absent };
}

/** On Unix what a program needs to find itself and its files; on Windows what it needs to start at all. */
const ALLOWED: Readonly<Record<'unix' | 'win32', readonly string[]>> = Object.freeze({
  unix: ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR'],
  win32: [
    ...['APPDATA', 'COMSPEC', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'PATH', 'PATHEXT'],
    ...['PROCESSOR_ARCHITECTURE', 'PROGRAMDATA', 'PROGRAMFILES', 'SYSTEMDRIVE', 'SYSTEMROOT', 'TEMP', 'TMP'],
    ...['USERNAME', 'USERPROFILE', 'WINDIR'],
  ],
});

/**
 * The whole environment of a server's program: a short list of the host's variables, those that `env_pass` names, then `env`. Nothing else of the
 * host's, and never a variable that holds a secret of the host's, whoever names it.
 */
export function childEnvironment(
  server: StdioServer,
  host: Env,
  kept: { readonly platform: Platform; readonly secretVariables: readonly string[] },
): Resolved {
  const { platform, secretVariables } = kept;
  const allowed = ALLOWED[platform === 'win32' ? 'win32' : 'unix'];
  const secret = new Set(secretVariables);
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(host)) {
    const word = platform === 'win32' ? name.toUpperCase() : name;
    if (value === undefined || secret.has(name)) continue;
    if (allowed.includes(word) || (platform !== 'win32' && name.startsWith('LC_'))) values[name] = value;
  }
  const missing: string[] = [];
  const secrets: string[] = [];
  for (const name of server.envPass) {
    const value = host[name];
    if (value === undefined || secret.has(name)) missing.push(name);
    else {
      values[name] = value;
      secrets.push(value);
    }
  }
  const readable = Object.fromEntries(Object.entries(host).filter(([name]) => !secret.has(name)));
  const own = resolveTexts(server.env, readable);
  return {
    values: { ...values, ...own.values },
    secrets: [...secrets, ...own.secrets],
    missing: [...missing, ...own.missing],
  };
}

/** The variables that texts name, each once. */
export function variablesIn(texts: Readonly<Record<string, string>>): readonly string[] {
  const names = Object.values(texts).flatMap((text) =>
    [...text.matchAll(REFERENCE)].map(([, variable = '']) => variable),
  );
  return [...new Set(names)];
}

function resolveTexts(texts: Readonly<Record<string, string>>, env: Env): Resolved {
  const secrets: string[] = [];
  const missing: string[] = [];
  const values = Object.entries(texts).map(([name, text]): [string, string] => [
    name,
    text.replaceAll(REFERENCE, (_whole, variable: string, fallback: string | undefined) => {
      const value = env[variable];
      if (value === undefined) {
        if (fallback === undefined) missing.push(variable);
        return fallback ?? '';
      }
      secrets.push(value);
      return value;
    }),
  ]);
  return { values: Object.fromEntries(values), secrets, missing };
}
