import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Whether a state directory has a database. One that there is not has none. */
export async function hasDatabase(stateDirectory: string): Promise<boolean> {
  return await isThere(join(stateDirectory, 'fairlead.db'));
}

/** The folders that restores put earlier databases into, by name; a state directory that there is not has none. */
export async function putAsideFolders(stateDirectory: string): Promise<readonly string[]> {
  const names = await readdir(stateDirectory).catch(() => []);
  const folders: string[] = [];
  for (const name of names.toSorted())
    if (/^before-restore-\d+$/.test(name) && (await hasDatabase(join(stateDirectory, name))))
      folders.push(name);
  return folders;
}

/** Whether something stands at a path that this user can see. */
export async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
