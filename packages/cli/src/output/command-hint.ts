import { join } from 'node:path';
import { defaultStateDirectory, isClone, type StateDirectoryInputs } from '../state/state-directory.ts';

/** How a command is typed where this one was: what lines that can be copied begin and end with. */
export type CommandHint = {
  /** `./fairlead` in the clone, a path elsewhere, the bare name of an installed package. */
  readonly command: string;
  /** ` --state-dir DIR` where the directory is not the one that a command finds by itself, else empty. */
  readonly stateFlag: string;
};

export function commandHint(inputs: StateDirectoryInputs, stateDirectory: string): CommandHint {
  const { env, cwd, cloneRoot, exists } = inputs;
  // npm runs a script in the package's folder, wherever the person stands.
  const folder = env['npm_command'] === undefined ? cwd : (env['INIT_CWD'] ?? cwd);
  const launcher = folder === cloneRoot ? './fairlead' : shellWord(join(cloneRoot, 'fairlead'));
  const isFound = stateDirectory === defaultStateDirectory(inputs);
  return {
    command: isClone(cloneRoot, exists) ? launcher : 'fairlead',
    stateFlag: isFound ? '' : ` --state-dir ${shellWord(stateDirectory)}`,
  };
}

/** A word that a POSIX shell reads as it stands. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
