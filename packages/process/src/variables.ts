import type { Platform } from './platform.ts';

/** Two names with one key are one variable: on Windows their case does not count. */
export function environmentKey(name: string, platform: Platform): string {
  return platform === 'win32' ? name.toUpperCase() : name;
}

/** The value of a variable, whatever its case on Windows. */
export function readVariable(
  env: Readonly<Record<string, string>>,
  name: string,
  platform: Platform,
): string | undefined {
  if (platform !== 'win32') return Object.hasOwn(env, name) ? env[name] : undefined;
  const key = environmentKey(name, platform);
  return Object.entries(env).find(([other]) => environmentKey(other, platform) === key)?.[1];
}

/** `base` with the variables of `over` set; a variable keeps one spelling, the newer one. */
export function mergeEnvironment(
  base: Readonly<Record<string, string>>,
  over: Readonly<Record<string, string>>,
  platform: Platform,
): Record<string, string> {
  const replaced = new Set(Object.keys(over).map((name) => environmentKey(name, platform)));
  return Object.fromEntries([
    ...Object.entries(base).filter(([name]) => !replaced.has(environmentKey(name, platform))),
    ...Object.entries(over),
  ]);
}

/** What stands between two folders of PATH. */
function pathDelimiter(platform: Platform): string {
  return platform === 'win32' ? ';' : ':';
}

/** `env` with `folders` before those of its PATH. */
export function prependPath(
  env: Readonly<Record<string, string>>,
  folders: readonly string[],
  platform: Platform,
): Record<string, string> {
  if (folders.length === 0) return { ...env };
  const old = readVariable(env, 'PATH', platform);
  const path = [...folders, ...(old === undefined || old === '' ? [] : [old])].join(pathDelimiter(platform));
  return mergeEnvironment(env, { PATH: path }, platform);
}
