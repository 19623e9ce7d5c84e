import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PLUGIN = join(import.meta.dirname, '../src/plugin.ts');

/** Only catches hanging. */
const HANGING_MS = 30_000;

/** A repository whose commits have the same object names on every machine. */
const FIXED = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_AUTHOR_DATE: '2024-01-01T00:00:00Z',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.org',
  GIT_COMMITTER_DATE: '2024-01-01T00:00:00Z',
};

export function git(folder: string, ...args: string[]): string {
  return execFileSync('git', args, {
    cwd: folder,
    env: { ...process.env, ...FIXED },
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

/** Makes a repository on branch `main` with the file `a.txt` committed. */
export function repository(folder: string): void {
  git(folder, 'init', '--quiet', '--initial-branch=main');
  writeFileSync(join(folder, 'a.txt'), 'one\n');
  git(folder, 'add', 'a.txt');
  git(folder, 'commit', '--quiet', '--message=first');
}

/** The object name of the commit that `repository` makes. */
export const FIRST_COMMIT = 'b4acc530bee583f20011d5c83e8a1465ec69b5ec';

/** Writes a shell script called `git` into a new folder below `folder` and returns that folder, for a PATH. */
export function fakeGit(folder: string, script: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'git'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, 'git'), 0o755);
  return bin;
}

/** Runs the plugin in `cwd` over `requests` until its input ends. */
export function runPlugin(
  cwd: string,
  requests: readonly string[],
  env: Readonly<Record<string, string>> = {},
): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PLUGIN], {
    cwd,
    input: requests.map((request) => `${request}\n`).join(''),
    encoding: 'utf8',
    timeout: HANGING_MS,
    env: { ...process.env, HOME: '/nonexistent', XDG_CONFIG_HOME: '/nonexistent', ...env },
  });
  return { status, stdout, stderr };
}

export const CALL =
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"git_summary","arguments":{}}}';

/** The one line that answers `CALL`. */
export function resultLine(
  text: string,
  structured: {
    branch?: string;
    head?: string;
    detached?: boolean;
    dirty?: boolean;
    status?: string;
    errorCode?: string;
  },
): string {
  const { branch = '', head = '', detached = false, status = '', dirty = false, errorCode = '' } = structured;
  const result = {
    content: [{ type: 'text', text }],
    structuredContent: { branch, head, detached, dirty, status, errorCode },
    isError: errorCode !== '',
  };
  return `${JSON.stringify({ jsonrpc: '2.0', id: 1, result })}\n`;
}
