import { stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Whether a state directory has a database. One that there is not has none. */
export async function hasDatabase(stateDirectory: string): Promise<boolean> {
  return await isThere(join(stateDirectory, 'fairlead.db'));
}

/** Whether something stands at a path that this user can see. */
export async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    () => true,
    () => false,
  );
}
