import { type FolderLock, lockFolder } from '@fairlead/store';

/** Holds a state directory as a host does, until the test ends or lets go: what its server.json says counts only meanwhile. */
export async function holdFolder(
  t: { after(hook: () => unknown): void },
  folder: string,
): Promise<FolderLock> {
  const lock = await lockFolder(folder);
  if (lock === null) throw new Error('another holder has the folder');
  t.after(() => lock.release());
  return lock;
}
