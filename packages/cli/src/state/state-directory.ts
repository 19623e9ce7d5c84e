import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** What decides where the state directory is. */
export type StateDirectoryInputs = {
  /** `--state-dir`, relative to `cwd`. */
  readonly flag?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  /** The folder three levels above the command's entry; a clone when the launcher stands in it. */
  readonly cloneRoot: string;
  readonly exists?: (path: string) => boolean;
};

/**
 * The one place that decides: `--state-dir`, `FAIRLEAD_STATE_DIR`, the clone's `.fairlead`, `XDG_STATE_HOME/fairlead`,
 * `~/.local/state/fairlead`. Always absolute. See docs/reference/files.md.
 */
export function resolveStateDirectory(inputs: StateDirectoryInputs): string {
  const { flag, env, cwd } = inputs;
  if (flag !== undefined) return resolve(cwd, flag);
  const fromEnvironment = env['FAIRLEAD_STATE_DIR'];
  if (fromEnvironment !== undefined && fromEnvironment !== '') return resolve(cwd, fromEnvironment);
  return defaultStateDirectory(inputs);
}

/** Where it is when nobody says. */
export function defaultStateDirectory(inputs: StateDirectoryInputs): string {
  const { env, home, cloneRoot, exists = existsSync } = inputs;
  if (isClone(cloneRoot, exists)) return join(cloneRoot, '.fairlead');
  const xdg = env['XDG_STATE_HOME'];
  // The XDG specification says that a relative path is invalid and to be ignored.
  if (xdg?.startsWith('/') === true) return join(xdg, 'fairlead');
  return join(home, '.local/state/fairlead');
}

/** True where the command runs from a clone: the clone's own launcher stands there. */
export function isClone(cloneRoot: string, exists: (path: string) => boolean = existsSync): boolean {
  return exists(join(cloneRoot, 'tools/on-node24'));
}
