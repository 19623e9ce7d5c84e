import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { gitStatus } from '../src/git-status.ts';
import { GIT_TIMEOUT_MS } from '../src/limits.ts';
import { fakeGit } from './repository.ts';

test('Git has five seconds', () => {
  assert.equal(GIT_TIMEOUT_MS, 5_000);
});

test('a Git that does not end is ended at the deadline', async (t) => {
  hygiene(t);
  const cwd = temporaryFolder(t);
  const PATH = `${fakeGit(cwd, 'exec sleep 600')}:/usr/bin:/bin`;
  assert.deepEqual(await gitStatus({ cwd, env: { PATH }, timeoutMs: 50 }), {
    ok: false,
    failure: 'git_timeout',
  });
});

test('a Git that prints too much is ended, and a helper that holds its pipes open does not hold up the answer', async (t) => {
  hygiene(t);
  const cwd = temporaryFolder(t);
  // `yes` is the helper: it ends when nobody reads it any more.
  const PATH = `${fakeGit(cwd, 'yes & exec sleep 600')}:/usr/bin:/bin`;
  const status = await gitStatus({ cwd, env: { PATH }, timeoutMs: 60_000 });
  assert.deepEqual(status, { ok: false, failure: 'git_output_too_large' });
});

test('a Git that ends badly counts as failed, and what it printed is dropped', async (t) => {
  hygiene(t);
  const cwd = temporaryFolder(t);
  const PATH = `${fakeGit(cwd, 'echo "# branch.oid abc"; echo secret >&2; exit 1')}:/usr/bin:/bin`;
  assert.deepEqual(await gitStatus({ cwd, env: { PATH } }), { ok: false, failure: 'git_failed' });
});

test('a folder that has gone is not taken for a missing Git', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const PATH = fakeGit(folder, 'exit 0');
  assert.deepEqual(await gitStatus({ cwd: join(folder, 'gone'), env: { PATH } }), {
    ok: false,
    failure: 'git_failed',
  });
});

test('Git gets a few chosen variables, and is asked to look without writing, paging, asking or fetching', async (t) => {
  hygiene(t);
  const cwd = temporaryFolder(t);
  const PATH = `${fakeGit(cwd, 'env > seen; printf "%s\\n" "$@" > arguments')}:/usr/bin:/bin`;
  await gitStatus({
    cwd,
    env: {
      PATH,
      HOME: '/home/a',
      FAIRLEAD_PROVIDER: 'p',
      GIT_DIR: '/elsewhere',
      GIT_CONFIG_COUNT: '1',
      SECRET: 's',
    },
  });
  const seen = readFileSync(join(cwd, 'seen'), 'utf8')
    .trimEnd()
    .split('\n')
    .filter((line) => !/^(PWD|OLDPWD|SHLVL|_|NODE_V8_COVERAGE)=/.test(line))
    .sort();
  assert.deepEqual(seen, [
    'FAIRLEAD_PROVIDER=p',
    'GIT_OPTIONAL_LOCKS=0',
    'GIT_PAGER=cat',
    'GIT_TERMINAL_PROMPT=0',
    'HOME=/home/a',
    'LC_ALL=C',
    `PATH=${PATH}`,
  ]);
  assert.equal(
    readFileSync(join(cwd, 'arguments'), 'utf8'),
    '--no-pager\n-c\ncore.fsmonitor=false\n-c\ncore.hooksPath=/dev/null\n-c\ncore.quotePath=false\n-c\nprotocol.allow=never\n-c\nstatus.relativePaths=false\n' +
      'status\n--porcelain=v2\n--branch\n--untracked-files=normal\n--no-ahead-behind\n',
  );
});
