interface CodeEntry<Outcome extends string = 'rejected' | 'failed' | 'unknown'> {
  readonly outcome: Outcome;
  readonly message: string;
  readonly next: string;
}

/**
 * Every code of this plugin, with the outcome that it belongs to. `rejected`: the path was refused and no back end ran.
 * `failed`: what the path names is where it was. `unknown`: nobody knows, so look before trying again.
 */
export const safeDeleteErrors = Object.freeze({
  invalid_path: {
    outcome: 'rejected',
    message: 'This is no path that a file here could have.',
    next: 'Give a relative path of 1 to 4,096 characters.',
  },
  absolute_path_forbidden: {
    outcome: 'rejected',
    message: 'The path is absolute.',
    next: 'Give it relative to the folder that this plugin runs in.',
  },
  parent_traversal_forbidden: {
    outcome: 'rejected',
    message: 'The path has a ".." in it.',
    next: 'Give it without, relative to the folder that this plugin runs in.',
  },
  root_unavailable: {
    outcome: 'rejected',
    message: 'The folder that this plugin was started in is gone, or another one stands in its place.',
    next: 'Ask the operator to reload the plugin.',
  },
  root_delete_forbidden: {
    outcome: 'rejected',
    message: 'The path names the very folder that this plugin runs in.',
    next: 'Name something inside it.',
  },
  path_outside_root: {
    outcome: 'rejected',
    message: 'The path leads out of the folder that this plugin runs in.',
    next: 'Name something inside it.',
  },
  path_inspection_failed: {
    outcome: 'rejected',
    message: 'What the path names could not be looked at, or changed meanwhile.',
    next: 'Check its permissions; if something else works in that folder, wait for it and try again.',
  },
  symlink_unsupported: {
    outcome: 'rejected',
    message: 'The path names a symbolic link, or leads through one.',
    next: 'Name the thing itself, if it is inside the folder. A link is not moved to the trash.',
  },
  unsupported_file_type: {
    outcome: 'rejected',
    message: 'The path names neither a file nor a folder.',
    next: 'Sockets, FIFOs and devices are left to their owner.',
  },
  trash_backend_unavailable: {
    outcome: 'failed',
    message: 'This machine offers no trash for what the path names, and nothing was done.',
    next: 'It stays where it is. Ask the operator; this tool does not delete for good.',
  },
  trash_operation_failed: {
    outcome: 'failed',
    message: 'The move to the trash failed; what the path names is where it was.',
    next: 'Check the permissions of its folder and the space on its disk.',
  },
  trash_operation_timeout: {
    outcome: 'unknown',
    message: 'The move to the trash took too long. It may still happen.',
    next: 'Look at the path, and in the trash, before trying again.',
  },
  trash_operation_unknown: {
    outcome: 'unknown',
    message: 'The move to the trash failed, and yet what the path named is not where it was.',
    next: 'Look at the path, and in the trash, before trying again.',
  },
  trash_postcondition_unknown: {
    outcome: 'unknown',
    message: 'The move to the trash was reported as done, but the path still names something.',
    next: 'Look at the path, and in the trash, before trying again.',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>);

export type SafeDeleteErrorCode = keyof typeof safeDeleteErrors;

type CodesOf<Outcome extends string> = {
  [Code in SafeDeleteErrorCode]: (typeof safeDeleteErrors)[Code]['outcome'] extends Outcome ? Code : never;
}[SafeDeleteErrorCode];

/** Why a path is refused before any back end runs. */
export type RejectCode = CodesOf<'rejected'>;
