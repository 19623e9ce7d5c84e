import { chmod, mkdir, mkdtemp, readFile, realpath, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { FairleadError } from '@fairlead/base';
import { type FolderLock, lockFolder } from '@fairlead/store';
import { isRunnerId } from '../config/names.ts';
import { runnerErrors } from '../errors.ts';
import { limits } from '../limits.ts';

const SOCKET = 'runner.sock';
/** Holds the socket's real path where it did not fit into the Runner's folder. */
const SOCKET_NOTE = 'runner.sock.path';
const SPARE_PREFIX = 'fairlead-';

/** `runners/<runner id>/` of a state directory, held by this process. */
export class RunnerFolder implements AsyncDisposable {
  /** Where the local socket listens. Nothing is there yet. */
  readonly socketPath: string;
  readonly #path: string;
  readonly #lock: FolderLock;

  private constructor(path: string, socketPath: string, lock: FolderLock) {
    this.#path = path;
    this.socketPath = socketPath;
    this.#lock = lock;
  }

  /**
   * Makes and takes the folder. Rejects with `runner_folder_in_use` where another process holds it, `runner_folder_unusable` where it
   * cannot be made.
   */
  static async open(stateDirectory: string, runnerId: string): Promise<RunnerFolder> {
    const path = runnerFolderPath(stateDirectory, runnerId);
    let lock: FolderLock | null = null;
    try {
      await mkdir(path, { recursive: true, mode: 0o700 });
      lock = await lockFolder(path);
      if (lock === null) throw failure('runner_folder_in_use');
      await removeOldSocket(path);
      return new RunnerFolder(path, await placeSocket(path), lock);
    } catch (error) {
      await lock?.release();
      if (error instanceof FairleadError && error.code === 'runner_folder_in_use') throw error;
      throw failure('runner_folder_unusable', error);
    }
  }

  /** Removes the socket and lets the folder go. */
  async close(): Promise<void> {
    await removeOldSocket(this.#path).catch(() => {});
    await this.#lock.release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** The socket's path as whoever wants to speak to that Runner finds it. */
export async function findSocket(stateDirectory: string, runnerId: string): Promise<string> {
  const path = runnerFolderPath(stateDirectory, runnerId);
  return (await notedSocket(path)) ?? join(path, SOCKET);
}

function runnerFolderPath(stateDirectory: string, runnerId: string): string {
  if (!isRunnerId(runnerId)) throw failure('runner_folder_unusable');
  return join(stateDirectory, 'runners', runnerId);
}

async function placeSocket(path: string): Promise<string> {
  const inside = join(path, SOCKET);
  if (Buffer.byteLength(inside) <= limits.socketPathMaxBytes) return inside;
  const spare = await mkdtemp(join(await realpath(tmpdir()), SPARE_PREFIX));
  await chmod(spare, 0o700);
  const outside = join(spare, SOCKET);
  await writeFile(join(path, SOCKET_NOTE), outside, { mode: 0o600 });
  return outside;
}

/** What an earlier holder of the folder left: this process holds the lock, so nobody listens there. */
async function removeOldSocket(path: string): Promise<void> {
  const noted = await notedSocket(path);
  if (noted !== undefined) await rm(dirname(noted), { recursive: true, force: true });
  await rm(join(path, SOCKET_NOTE), { force: true });
  await unlink(join(path, SOCKET)).catch(ignoreAbsence);
}

/** The noted path, if it is one that this code can have written: nothing else is ever removed or dialled. */
async function notedSocket(path: string): Promise<string | undefined> {
  const noted = await readFile(join(path, SOCKET_NOTE), 'utf8').catch(() => undefined);
  if (noted === undefined) return undefined;
  const spare = dirname(noted);
  const ours = basename(noted) === SOCKET && basename(spare).startsWith(SPARE_PREFIX);
  return ours && spare.startsWith('/') ? noted : undefined;
}

function ignoreAbsence(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}

function failure(code: 'runner_folder_in_use' | 'runner_folder_unusable', cause?: unknown): FairleadError {
  return new FairleadError(code, runnerErrors[code].message, { cause });
}
