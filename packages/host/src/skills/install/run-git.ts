import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { delay, type Random, singleLine, systemClock } from '@fairlead/base';
import { type Platform, resolveExecutable, spawnTree, type TreeOwner } from '@fairlead/process';
import { hostError } from '../../errors.ts';
import { skillLimits } from '../../limits.ts';

/** What git runs with. */
export interface GitMachine {
  readonly watchdog: TreeOwner;
  readonly platform: Platform;
  readonly random: Random;
  /** The host's environment, without what holds secrets. */
  readonly env: Readonly<Record<string, string>>;
}

const HANDED_ON = [
  'PATH',
  'LANG',
  'LC_ALL',
  'TMPDIR',
  'SSH_AUTH_SOCK',
  'HTTPS_PROXY',
  'https_proxy',
  'NO_PROXY',
];

/** Neither the machine's nor a person's own settings: none of their filters, hooks and helpers runs. */
function environmentOf(env: Readonly<Record<string, string>>, home: string): Record<string, string> {
  const kept = HANDED_ON.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return {
    ...Object.fromEntries(kept),
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'true',
    GIT_ALLOW_PROTOCOL: 'file:https:ssh',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
  };
}

const ALWAYS = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'protocol.ext.allow=never',
  'submodule.recurse=false',
];

/**
 * Runs git in a folder of its own and answers what it printed. Ends it, with all that it started, when its time is over or nobody waits.
 * Rejects with `skill_fetch_failed` and its last words.
 */
export async function runGit(
  machine: GitMachine,
  folder: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const { watchdog, platform, random } = machine;
  const env = environmentOf(machine.env, folder);
  const git = await resolveExecutable({ command: 'git', cwd: folder, env, platform });
  if (!git.ok) throw hostError('skill_fetch_failed', 'this machine has no git');
  const settings = ALWAYS.flatMap((setting) => ['-c', setting]);
  const started = await spawnTree({
    ...{ path: git.path, args: [...settings, ...args], cwd: folder, env, watchdog, platform, random },
    isolation: 'none',
  });
  if (!started.ok) throw hostError('skill_fetch_failed', 'git could not be started');
  const { tree } = started;
  const out: string[] = [];
  const said: string[] = [];
  tree.stdin.end();
  tree.stdout.on('data', (chunk: Buffer) => keep(out, chunk));
  tree.stderr.on('data', (chunk: Buffer) => keep(said, chunk));
  const exited = new AbortController();
  // Real processes end in real time, whatever clock the host has.
  const over = AbortSignal.any([signal, exited.signal]);
  const late = delay(systemClock(), skillLimits.gitMs, over).then(
    () => 'it took too long, or nobody waited any more',
  );
  const large = outgrown(folder, over);
  const exit = await Promise.race([tree.exited, late, large]);
  exited.abort();
  await tree.end();
  if (typeof exit === 'string') throw hostError('skill_fetch_failed', exit);
  if (exit.code !== 0) throw hostError('skill_fetch_failed', lastLine(said.join('')));
  return out.join('');
}

/** Resolves once the folder holds more than a repository of skills should; otherwise never. */
async function outgrown(folder: string, over: AbortSignal): Promise<string> {
  const clock = systemClock();
  while (!over.aborted) {
    await delay(clock, skillLimits.gitLookMs, over);
    if (!over.aborted && (await bytesIn(folder)) > skillLimits.gitFolderBytes)
      return `it is larger than ${skillLimits.gitFolderBytes / 1024 / 1024} MiB`;
  }
  return await new Promise(() => {});
}

/** Files come and go meanwhile: what is gone counts for nothing. */
async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    bytes += (await lstat(join(entry.parentPath, entry.name)).catch(() => undefined))?.size ?? 0;
    if (bytes > skillLimits.gitFolderBytes) break;
  }
  return bytes;
}

function keep(chunks: string[], chunk: Buffer): void {
  if (chunks.reduce((sum, { length }) => sum + length, 0) < skillLimits.gitBytes)
    chunks.push(chunk.toString('utf8'));
}

/** What git says last is what went wrong. */
function lastLine(text: string): string {
  const line = text.trim().split('\n').at(-1) ?? '';
  return [...singleLine(line)].slice(0, skillLimits.gitSaid).join('');
}
