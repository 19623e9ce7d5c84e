import { type Finding, ill, well } from './finding.ts';

/** What is at the state directory's path. */
export type StateDirectoryState = {
  readonly path: string;
  /** `absent`: it would be made, and can be. */
  readonly kind: 'writable' | 'absent' | 'unwritable' | 'not_a_folder';
  /** The system's word for why, such as EACCES. */
  readonly reason: string | null;
  /** Permission bits; null where there is no folder, or the system has none. */
  readonly mode: number | null;
};

/** Whether the state directory can be written, and whether others can look into it. */
export function checkStateDirectory(state: StateDirectoryState): Finding[] {
  const check = 'state directory';
  const { path, kind, reason, mode } = state;
  if (kind === 'unwritable' || kind === 'not_a_folder') {
    const why = kind === 'not_a_folder' ? 'is not a folder' : `cannot be written (${reason ?? 'unknown'})`;
    return [ill('fail', { check, what: `${path} ${why}`, code: 'state_directory_unwritable' })];
  }
  if (kind === 'absent') return [well(check, `${path} is not there yet and can be made`)];
  if (mode !== null && (mode & 0o022) !== 0) {
    return [
      ill('fail', {
        check,
        what: `${path} can be written by other users (mode ${octal(mode)})`,
        code: 'state_directory_open',
        next: `chmod 700 ${path}`,
      }),
    ];
  }
  return [well(check, `${path} can be written`)];
}

/** Permission bits as `chmod` takes them. */
export function octal(mode: number): string {
  return (mode & 0o777).toString(8);
}
