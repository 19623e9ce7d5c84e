import type { Platform } from '../platform.ts';
import { environmentKey } from '../variables.ts';

/** Credentials of Fairlead and of the system whose plugins it runs. */
const CREDENTIALS: readonly string[] = Object.freeze([
  'FAIRLEAD_TOKEN',
  'FAIRLEAD_PAT',
  'FAIRLEAD_RUNNER_TOKEN',
  'AUTHORIZATION',
  'WEBCODEX_TOKEN',
  'WEBCODEX_AGENT_TOKEN',
  'WEBCODEX_USER_TOKEN',
  'WEBCODEX_PAT',
]);

/**
 * What belongs to the Runner's own process: instruments of a test run, the channel to its parent, the mark of the tree that it
 * stands in itself. In a plugin they would write into foreign files or break its start. NODE_OPTIONS is the user's and stays.
 */
const RUNTIME: readonly string[] = Object.freeze([
  'NODE_V8_COVERAGE',
  'NODE_TEST_CONTEXT',
  'NODE_TEST_WORKER_ID',
  'NODE_CHANNEL_FD',
  'NODE_CHANNEL_SERIALIZATION_MODE',
  'NODE_UNIQUE_ID',
  'FAIRLEAD_PROVIDER',
]);

/**
 * The variables that a plugin never sees: Fairlead's own credentials, and `extra`, the variables that the operator's files
 * name as keys.
 */
export function sensitiveNames(extra: readonly string[] = []): readonly string[] {
  return [...new Set([...CREDENTIALS, ...extra])];
}

/** The variables of the Runner's own process, which a plugin does not inherit; a shell table may still set them. */
export function runtimeNames(): readonly string[] {
  return RUNTIME;
}

/**
 * The environment without `names`. On Windows names have no case, and those that begin with `=` (the shell's current folders)
 * are dropped.
 */
export function filterEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
  platform: Platform,
): Record<string, string> {
  const dropped = new Set(names.map((name) => environmentKey(name, platform)));
  const kept: [string, string][] = [];
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || dropped.has(environmentKey(name, platform))) continue;
    if (platform === 'win32' && name.startsWith('=')) continue;
    kept.push([name, value]);
  }
  // Defines members, where an assignment to `__proto__` would set the prototype.
  return Object.fromEntries(kept);
}
