import { chmodSync, statSync } from 'node:fs';

/** What tells one incarnation of a database file from a copy of it. A value that the file system does not have is "". */
export type Incarnation = { readonly device: string; readonly inode: string; readonly born: string };

/** Reads the marks of the file. */
export function incarnationOf(path: string): Incarnation {
  const before = statSync(path, { bigint: true });
  // Without a birth time of its own a file shows the time of its last change there, which every start would move.
  chmodSync(path, 0o600);
  const after = statSync(path, { bigint: true });
  const born = before.birthtimeNs === after.birthtimeNs ? String(after.birthtimeNs) : '';
  return { device: String(after.dev), inode: String(after.ino), born };
}
