import { execFile } from 'node:child_process';
import { open, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { readBounded } from '../state/read-bounded.ts';
import type { PrivateFile } from './private-files.ts';
import type { StateDirectoryState } from './state-directory.ts';

/** Tries to write where the state directory is or would be; leaves nothing behind. */
export async function probeStateDirectory(path: string): Promise<StateDirectoryState> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error) {
    if (found.code !== 'ENOENT') return { path, kind: 'unwritable', reason: found.code ?? null, mode: null };
    const reason = await writeFault(await nearestFolder(path));
    return { path, kind: reason === null ? 'absent' : 'unwritable', reason, mode: null };
  }
  if (!found.isDirectory()) return { path, kind: 'not_a_folder', reason: null, mode: null };
  const reason = await writeFault(path);
  return { path, kind: reason === null ? 'writable' : 'unwritable', reason, mode: found.mode };
}

async function nearestFolder(path: string): Promise<string> {
  const parent = dirname(path);
  if (parent === path) return path;
  const isThere = await stat(parent).then(
    () => true,
    () => false,
  );
  return isThere ? parent : nearestFolder(parent);
}

/** Why no file can be made in a folder, or null where one can. */
async function writeFault(folder: string): Promise<string | null> {
  const path = join(folder, `.fairlead-doctor-${process.pid}`);
  try {
    await (await open(path, 'wx', 0o600)).close();
    await rm(path);
    return null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

/** Those of the files that exist and hold a secret: all but TOML files without a token. */
export async function probePrivateFiles(paths: readonly string[]): Promise<PrivateFile[]> {
  const found = await Promise.all(
    paths.map(async (path) => {
      const entry = await stat(path).catch(() => null);
      if (entry === null || !entry.isFile() || !(await holdsSecret(path))) return null;
      return { path, mode: entry.mode };
    }),
  );
  return found.filter((file) => file !== null);
}

async function holdsSecret(path: string): Promise<boolean> {
  if (!path.endsWith('.toml')) return true;
  const bytes = await readBounded(path, 1024 * 1024).catch(() => Buffer.alloc(0));
  return /fairlead_(runner|pat)_/.test(bytes.toString('latin1'));
}

/** Why nobody can listen on an address, or null where it is free. */
export function probeListen(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
    server.listen({ host, port }, () => server.close(() => resolve(null)));
  });
}

/** What a program of the PATH says to `--version`, or null where it says nothing within 20 s. */
export function probeVersion(
  program: string,
  machine: { readonly env: Readonly<Record<string, string | undefined>>; readonly cwd: string },
): Promise<string | null> {
  const { env, cwd } = machine;
  return new Promise((resolve) => {
    const options = { env, cwd, timeout: 20_000, maxBuffer: 4_096 };
    execFile(program, ['--version'], options, (error, stdout) =>
      resolve(error === null ? stdout.trim() : null),
    );
  });
}
