import { sep } from 'node:path';

/** True where `path` is `folder` or stands below it, segment by segment. Both are absolute and folded. */
export function covers(folder: string, path: string): boolean {
  if (folder === path) return true;
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
