import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject, type Json, parseJson } from '@fairlead/base';
import { isFolderHeld } from '@fairlead/store';
import { cliError } from '../cli-error.ts';
import { replacePrivateFile } from './private-file.ts';
import { readBounded } from './read-bounded.ts';

/** What the process that owns a state directory was asked for, so that a second start can tell whether it asks the same. */
export type StartedWith = {
  readonly command: 'up' | 'serve';
  readonly bind: string | null;
  readonly port: number | null;
  readonly allowRemote: boolean;
  /** Absolute, as is the next one. */
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
const bounds = { maxBytes: 65_536, maxDepth: 8, maxNodes: 256, maxStringBytes: 65_536, maxKeyBytes: 256 };

/**
 * Null when there is no file, none that this version understands, or when nobody holds the directory: who wrote the file is gone
 * then, what listens at that address now may be anybody, and must not be sent a token. A process number would not do as
 * proof: numbers are given again, to other users too.
 */
export async function readServerFile(
  stateDirectory: string,
  isHeld: (folder: string) => Promise<boolean> = isFolderHeld,
): Promise<ServerFile | null> {
  const bytes = await readBounded(join(stateDirectory, fileName), bounds.maxBytes).catch(() => null);
  const parsed = bytes === null ? null : parseJson(bytes, bounds);
  const server = parsed?.ok === true ? serverOf(parsed.value) : null;
  return server !== null && (await isHeld(stateDirectory)) ? server : null;
}

function serverOf(value: Json): ServerFile | null {
  if (!isJsonObject(value)) return null;
  const { url, pid, runner, startedWith } = value;
  if (typeof url !== 'string' || URL.parse(url) === null) return null;
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid < 1) return null;
  if ((runner !== null && typeof runner !== 'string') || !isJsonObject(startedWith)) return null;
  return value as unknown as ServerFile;
}

/** Throws `state_directory_unwritable`. */
export async function writeServerFile(stateDirectory: string, server: ServerFile): Promise<void> {
  await replacePrivateFile(join(stateDirectory, fileName), `${JSON.stringify(server)}\n`);
}

/** Throws `state_directory_unwritable` where something stands there that is no file. */
export async function removeServerFile(stateDirectory: string): Promise<void> {
  const path = join(stateDirectory, fileName);
  try {
    await rm(path, { force: true });
  } catch (cause) {
    throw cliError('state_directory_unwritable', { message: `${path} cannot be removed.`, cause });
  }
}
