import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { GIT_OUTPUT_MAX_BYTES, GIT_TIMEOUT_MS } from './limits.ts';

/** Why there is no status. */
export type GitFailure =
  | 'not_git_repository'
  | 'git_not_found'
  | 'git_timeout'
  | 'git_output_too_large'
  | 'git_failed';

/** What Git printed, or why that does not count. */
export type GitStatus =
  | { readonly ok: true; readonly output: string }
  | { readonly ok: false; readonly failure: GitFailure };

export interface GitStatusOptions {
  /** The folder that is looked at. */
  readonly cwd: string;
  /** The environment of this process; Git gets a few names of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs?: number;
}

// Nothing that points Git at another repository (GIT_DIR), configures it (GIT_CONFIG_*) or runs a program. FAIRLEAD_PROVIDER is
// how the Runner finds the processes of a plugin again.
const PASSED_ON = [
  'PATH',
  'PATHEXT',
  'SYSTEMROOT',
  'HOME',
  'USERPROFILE',
  'XDG_CONFIG_HOME',
  'TMPDIR',
  'FAIRLEAD_PROVIDER',
];

const FIXED_ENVIRONMENT = {
  // Looking must not refresh the index.
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_PAGER: 'cat',
  // Git's messages are compared with English ones.
  LC_ALL: 'C',
};

// A repository's own configuration may name programs to run, remotes to fetch missing objects from, and other forms of output:
// none of it for a look.
const SETTINGS = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.quotePath=false',
  'protocol.allow=never',
  'status.relativePaths=false',
];

const ARGUMENTS = [
  '--no-pager',
  ...SETTINGS.flatMap((setting) => ['-c', setting]),
  'status',
  '--porcelain=v2',
  '--branch',
  '--untracked-files=normal',
  '--no-ahead-behind',
];

const STDERR_MAX_CHARACTERS = 4_096;

/** Runs `git status` once. Never rejects; never prints; ends Git when it takes or says too much. */
export function gitStatus({ cwd, env, timeoutMs = GIT_TIMEOUT_MS }: GitStatusOptions): Promise<GitStatus> {
  return new Promise((resolve) => {
    const git = spawn('git', ARGUMENTS, {
      cwd,
      env: { ...chosen(env), ...FIXED_ENVIRONMENT },
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    const chunks: Buffer[] = [];
    let bytes = 0;
    let complaint = '';

    function settle(status: GitStatus): void {
      clearTimeout(deadline);
      resolve(status);
    }

    // A helper of Git's that holds the pipes open must not hold up the answer.
    function giveUp(failure: GitFailure): void {
      git.kill('SIGKILL');
      git.stdout.destroy();
      git.stderr.destroy();
      settle({ ok: false, failure });
    }

    const deadline = setTimeout(() => giveUp('git_timeout'), timeoutMs);
    git.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > GIT_OUTPUT_MAX_BYTES) giveUp('git_output_too_large');
    });
    git.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(0, STDERR_MAX_CHARACTERS);
    });
    git.on('error', (cause) =>
      settle({ ok: false, failure: saysNoGit(cause, cwd) ? 'git_not_found' : 'git_failed' }),
    );
    git.on('close', (code) => {
      if (code === 0) settle({ ok: true, output: Buffer.concat(chunks).toString('utf8') });
      else
        settle({
          ok: false,
          failure: /not a git repository/.test(complaint) ? 'not_git_repository' : 'git_failed',
        });
    });
  });
}

function chosen(env: GitStatusOptions['env']): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of PASSED_ON) {
    const value = env[name];
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

// A folder that has gone gives the same code as a program that is not there.
function saysNoGit(cause: Error, cwd: string): boolean {
  return 'code' in cause && cause.code === 'ENOENT' && existsSync(cwd);
}
