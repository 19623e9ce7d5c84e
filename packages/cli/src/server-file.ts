import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '@fairlead/base';

/** What the process that owns a state directory was asked for, so that a second start can tell whether it asks the same. */
export type StartedWith = {
  readonly command: 'up' | 'serve';
  readonly bind: string | null;
  readonly port: number | null;
  readonly config: string | null;
  readonly runnerConfig: string | null;
};

/** `server.json`: written when the process is ready, removed at a clean stop. */
export type ServerFile = {
  readonly url: string;
  readonly pid: number;
  readonly startedAtMs: number;
  readonly version: string;
  /** The runner id that `up` owns, null for `serve`. */
  readonly runner: string | null;
  readonly startedWith: StartedWith;
};

const fileName = 'server.json';

/** Null when there is no file, or none that this version understands. */
export async function readServerFile(stateDirectory: string): Promise<ServerFile | null> {
  try {
    const value: unknown = JSON.parse(await readFile(join(stateDirectory, fileName), 'utf8'));
    if (!isJsonObject(value) || typeof value['url'] !== 'string' || typeof value['pid'] !== 'number')
      return null;
    return value as unknown as ServerFile;
  } catch {
    return null;
  }
}

/** Written aside and renamed, so that a reader never sees half of it. Mode 0600. */
export async function writeServerFile(stateDirectory: string, server: ServerFile): Promise<void> {
  const path = join(stateDirectory, fileName);
  const aside = `${path}.${server.pid}`;
  await writeFile(aside, `${JSON.stringify(server)}\n`, { mode: 0o600 });
  await rename(aside, path);
}

export async function removeServerFile(stateDirectory: string): Promise<void> {
  await rm(join(stateDirectory, fileName), { force: true });
}
