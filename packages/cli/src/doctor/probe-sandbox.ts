import { execFile } from 'node:child_process';
import type { CommandContext } from '../command-context.ts';
import { findBubblewrap } from '../host/bubblewrap.ts';
import type { SeenSandbox } from './sandbox.ts';

/** Finds bubblewrap and starts it once around `true`. */
export async function seeSandbox(context: Pick<CommandContext, 'env' | 'platform'>): Promise<SeenSandbox> {
  const { env, platform } = context;
  if (platform !== 'linux') return { kind: 'other_platform' };
  const path = await findBubblewrap(env, platform);
  return path === null ? { kind: 'absent' } : { kind: 'found', path, fault: await tryBubblewrap(path) };
}

/** Why nothing can be started in it, in its own words; null where it can. */
export function tryBubblewrap(path: string): Promise<string | null> {
  const args = ['--unshare-all', '--die-with-parent', '--ro-bind', '/', '/', 'true'];
  return new Promise((resolve) => {
    execFile(path, args, { timeout: 20_000, maxBuffer: 4_096 }, (error, _stdout, stderr) => {
      if (error === null) return resolve(null);
      const [first = ''] = stderr.trim().split('\n');
      resolve(first === '' ? String(error.code ?? error.signal ?? 'it failed') : first);
    });
  });
}
