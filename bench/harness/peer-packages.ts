import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The packages of `bench/peers`, ready to be loaded, or why they are not. */
export type PeerPackages =
  | { readonly ok: true; readonly folder: string }
  | { readonly ok: false; readonly reason: string };

/** A registry that has not answered by then will not: the packages are 70 MiB. */
const INSTALL_LIMIT_MS = 180_000;
const STAMP = 'node_modules/.installed-from';

export type PeerInstallOptions = {
  /** Holds package.json and package-lock.json; node_modules is made beside them. */
  readonly folder: string;
  /** npm's program. */
  readonly npm?: string;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
};

/**
 * Installs exactly what the lockfile says, without scripts, unless that stands there already. A machine without npm or
 * without a network gets a reason instead.
 */
export async function installPeers(options: PeerInstallOptions): Promise<PeerPackages> {
  const { folder, npm = 'npm', signal, say } = options;
  const lock = await readFile(join(folder, 'package-lock.json'));
  const digest = createHash('sha256').update(lock).digest('hex');
  const stamp = await readFile(join(folder, STAMP), 'utf8').catch(() => null);
  if (stamp === digest) return { ok: true, folder };
  say('installing what is measured beside Fairlead (once, into bench/peers)\n');
  // npm and what it starts run on the Node that measures; its own settings, such as the registry, stay as they are.
  const path = `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`;
  const child = spawn(npm, ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: folder,
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'ignore', 'pipe'],
    signal: AbortSignal.any([signal, AbortSignal.timeout(INSTALL_LIMIT_MS)]),
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-4_096);
  });
  try {
    const [code] = await once(child, 'close');
    if (code !== 0)
      return { ok: false, reason: `npm ci failed: ${firstFault(said) ?? `exit status ${code}`}` };
  } catch (error) {
    signal.throwIfAborted();
    return { ok: false, reason: `npm ci failed: ${error instanceof Error ? error.message : String(error)}` };
  }
  await writeFile(join(folder, STAMP), digest);
  return { ok: true, folder };
}

/** Loads one of the packages as a program in `folder` would. Its types are the caller's to know. */
export async function importPeer(folder: string, name: string): Promise<unknown> {
  const here = pathToFileURL(join(folder, 'package.json'));
  return await import(pathToFileURL(createRequire(here).resolve(name)).href);
}

/** npm's first complaint, without the address that it may name. */
function firstFault(said: string): string | null {
  const line = /^npm (?:error|ERR!) (.*)$/m.exec(said)?.[1];
  return line === undefined ? null : line.replaceAll(/https?:\/\/\S+/g, 'the registry');
}
