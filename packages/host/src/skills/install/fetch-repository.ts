import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { hostError } from '../../errors.ts';
import { isWithin } from '../folder-walk.ts';
import { type GitMachine, runGit } from './run-git.ts';
import type { SkillSource } from './skill-source.ts';

/** A folder of a repository as it is at one commit. */
export interface Fetched {
  readonly folder: string;
  /** The commit that the ref meant: 40 or 64 hexadecimal digits. */
  readonly revision: string;
}

/**
 * Fetches one commit of a repository into an empty folder. No history, no submodule, no hook, no filter. Rejects with `skill_fetch_failed`, or with
 * `skill_source_invalid` where it has no such folder, or one that leads out of it.
 */
export async function fetchRepository(
  machine: GitMachine,
  { url, ref = 'HEAD', inner = '' }: SkillSource & { readonly kind: 'git' },
  folder: string,
  signal: AbortSignal,
): Promise<Fetched> {
  const git = (...args: readonly string[]) => runGit(machine, folder, args, signal);
  await git('init', '--quiet', '--template=', 'repository');
  const inside = ['-C', 'repository'];
  await git(
    ...inside,
    'fetch',
    '--quiet',
    '--depth=1',
    '--no-tags',
    '--no-recurse-submodules',
    '--',
    url,
    ref,
  );
  const revision = (await git(...inside, 'rev-parse', '--verify', 'FETCH_HEAD^{commit}')).trim();
  if (!/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(revision))
    throw hostError('skill_fetch_failed', 'no commit came');
  await git(...inside, 'checkout', '--quiet', '--detach', revision);
  const whole = await realpath(join(folder, 'repository'));
  const found = await realpath(join(whole, inner)).catch(() => undefined);
  if (found === undefined || !isWithin(found, whole))
    throw hostError('skill_source_invalid', 'the repository has no such folder');
  return { folder: found, revision };
}
