import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock, systemRandom } from '@fairlead/base';
import { hygiene, manualClock, pidIsAlive, requires, temporaryFolder, waitFor } from '@fairlead/testing';
import {
  type EnvironmentAnswer,
  type EnvironmentRequest,
  prepareEnvironment,
  type ShellEnvironment,
  sensitiveNames,
} from '../src/index.ts';
import { gone, testWatchdog } from './test-trees.ts';

const PATH = process.env['PATH'] ?? '';

const plain: ShellEnvironment = { program: 'sh', args: ['-c'], dialect: 'posix', pathPrepend: [], env: {} };

function prepare(
  shell: Partial<ShellEnvironment>,
  over: Partial<EnvironmentRequest> = {},
): Promise<EnvironmentAnswer> {
  return prepareEnvironment({
    base: { PATH, HOME: '/home/someone' },
    shell: { ...plain, ...shell },
    cwd: '/',
    platform: process.platform,
    sensitive: sensitiveNames(),
    clock: systemClock(),
    random: systemRandom(),
    ...over,
  });
}

async function made(shell: Partial<ShellEnvironment>, over: Partial<EnvironmentRequest> = {}) {
  const answer = await prepare(shell, over);
  if (!answer.ok) throw new Error(answer.localDetail);
  return answer.env;
}

async function refused(
  shell: Partial<ShellEnvironment>,
  over: Partial<EnvironmentRequest> = {},
): Promise<string> {
  const answer = await prepare(shell, over);
  assert.equal(answer.ok, false);
  if (answer.ok) return '';
  assert.equal(answer.code, 'plugin_environment_prepare_failed');
  return answer.localDetail;
}

test('without an init script no shell is started, and each table is laid over the one before', async (t) => {
  hygiene(t);
  const spawn = (): never => assert.fail('something was started');
  const env = await made(
    { pathPrepend: ['/opt/a', '/opt/b'], env: { A: 'shell', B: 'shell' } },
    {
      base: { PATH: '/usr/bin', A: 'base', C: 'base', NODE_OPTIONS: '--no-warnings' },
      profile: { env: { B: 'profile' } },
      spawn: spawn as unknown as EnvironmentRequest['spawn'] & object,
    },
  );
  assert.deepEqual(env, {
    PATH: '/opt/a:/opt/b:/usr/bin',
    A: 'shell',
    B: 'profile',
    C: 'base',
    NODE_OPTIONS: '--no-warnings',
  });
});

test('folders are put before a PATH that is absent or empty too', async () => {
  assert.deepEqual(await made({ pathPrepend: ['/opt/a'] }, { base: {} }), { PATH: '/opt/a' });
  assert.deepEqual(await made({ pathPrepend: ['/opt/a'] }, { base: { PATH: '' } }), { PATH: '/opt/a' });
});

test('on Windows a variable has one spelling, the newest', async () => {
  const env = await made(
    { pathPrepend: ['C:\\tools'], env: { temp: 'D:\\t' } },
    { base: { Path: 'C:\\bin', TEMP: 'C:\\t', '=C:': 'C:\\', Fairlead_Pat: 's' }, platform: 'win32' },
  );
  assert.deepEqual(env, { PATH: 'C:\\tools;C:\\bin', temp: 'D:\\t' });
});

test('credentials are taken out before and after: of the Runner, of the tables, of the init script', async (t) => {
  hygiene(t);
  const env = await made(
    {
      env: { FAIRLEAD_PAT: 'from-shell' },
      initScript:
        'export SEEN="[$FAIRLEAD_TOKEN$FAIRLEAD_PAT$SECRET_KEY]" FAIRLEAD_RUNNER_TOKEN=x SECRET_KEY=y KEPT=z',
    },
    {
      base: { PATH, FAIRLEAD_TOKEN: 'from-base', SECRET_KEY: 'from-base', AUTHORIZATION: 'Bearer x' },
      sensitive: sensitiveNames(['SECRET_KEY']),
    },
  );
  assert.deepEqual(env, { PATH, SEEN: '[]', KEPT: 'z' });
});

test('the instruments of the Runner’s own process are not inherited, but may be set by a table', async () => {
  const base = {
    NODE_V8_COVERAGE: '/c',
    NODE_TEST_CONTEXT: 'child',
    NODE_CHANNEL_FD: '3',
    FAIRLEAD_PROVIDER: 'a.b',
  };
  assert.deepEqual(await made({}, { base }), {});
  assert.deepEqual(await made({ env: { NODE_V8_COVERAGE: '/wanted' } }, { base }), {
    NODE_V8_COVERAGE: '/wanted',
  });
});

test('the coverage folder of a test run does not reach an init script either', async (t) => {
  hygiene(t);
  const { env } = process;
  const saved = env['NODE_V8_COVERAGE'];
  env['NODE_V8_COVERAGE'] = '/nonexistent/coverage';
  t.after(() => {
    if (saved === undefined) delete env['NODE_V8_COVERAGE'];
    else env['NODE_V8_COVERAGE'] = saved;
  });
  assert.deepEqual(await made({ initScript: ':' }, { base: { PATH } }), { PATH });
});

test('an init script changes, adds and removes, and its noise is passed over', async (t) => {
  hygiene(t);
  const env = await made({
    initScript:
      'echo A=noise; echo complaint >&2; export A="two\nlines" B=; unset HOME; PATH="/opt/x:$PATH"; # last',
  });
  assert.deepEqual(env, { PATH: `/opt/x:${PATH}`, A: 'two\nlines', B: '' });
});

test('it runs in the provider’s folder, and what the shell sets for itself is not taken over', async (t) => {
  hygiene(t);
  const cwd = temporaryFolder(t);
  const initScript = 'export WHERE="$(pwd)"; cd /; export _=x SHLVL=9';
  assert.deepEqual(await made({ initScript }, { base: { PATH, PWD: '/stale' }, cwd }), {
    PATH,
    WHERE: cwd,
    PWD: '/stale',
  });
});

test('the profile’s text, program and arguments stand for those of the base', async (t) => {
  hygiene(t);
  const env = await made(
    { program: '/nonexistent/shell', args: ['--no'], initScript: 'exit 1' },
    { profile: { program: '/bin/sh', args: ['-uc'], dialect: 'posix', initScript: 'export OPTIONS="$-"' } },
  );
  assert.match(env['OPTIONS'] ?? '', /u/);
});

test('a last line that goes on, and functions of the names that are used, do no harm', async (t) => {
  hygiene(t);
  const env = await made({ initScript: 'printf() { :; }; env() { :; }; export A=1 \\' });
  assert.equal(env['A'], '1');
});

test('a PATH that leads nowhere afterwards is the plugin’s own matter', async (t) => {
  hygiene(t);
  assert.equal((await made({ initScript: 'PATH=/nonexistent' }))['PATH'], '/nonexistent');
});

const failures: readonly (readonly [string, string, RegExp])[] = [
  ['an error stops it', 'false; export A=1', /it ended with 1$/],
  ['its complaint is kept locally', 'echo the reason >&2; exit 3', /it ended with 3; it said: the reason\n$/],
  ['a syntax error', 'if', /it ended with 2; it said: /],
  ['an end by a signal', 'kill -TERM $$', /it was ended by SIGTERM$/],
  ['an early good end', 'exit 0', /ended the shell before its environment was printed$/],
  ['an entry that is not UTF-8', `export BAD="$(printf '\\377')"`, /an environment entry is not UTF-8: BAD$/],
  ['a flood on stdout', 'yes', /it printed more than 4 MiB$/],
];
for (const [name, initScript, detail] of failures) {
  test(`plugin_environment_prepare_failed: ${name}`, async (t) => {
    hygiene(t);
    assert.match(await refused({ initScript }), detail);
  });
}

test('4,096 bytes of its complaints are kept', async (t) => {
  hygiene(t);
  const detail = await refused({
    initScript: 'i=0; while [ $i -lt 2000 ]; do echo complaint >&2; i=$((i+1)); done; exit 1',
  });
  assert.equal(detail.split('it said: ')[1]?.length, 4096);
});

test('a shell that is not there, and one that cannot be started', async (t) => {
  hygiene(t);
  assert.match(
    await refused({ program: 'no-such-shell', initScript: ':' }),
    /no-such-shell is no executable file/,
  );
  assert.match(
    await refused({ initScript: ':' }, { cwd: '/nonexistent' }),
    /the cwd \/nonexistent is not a folder/,
  );
});

test('after 30 s it is given up, and its whole tree is ended', { skip: requires('setsid') }, async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const clock = manualClock();
  const owner = testWatchdog(t);
  const initScript = `setsid sleep 60 & echo $! > ${folder}/pid; sleep 60`;
  const answer = refused({ initScript }, { clock, watchdog: owner });
  const pid = Number(await waitFor(() => readPid(folder), { what: 'the descendant' }));
  await clock.advance(29_999);
  assert.equal(pidIsAlive(pid), true);
  await clock.advance(1);
  assert.match(await answer, /it took more than 30 s$/);
  await gone(pid);
});

test('another limit is kept to the millisecond, and named', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const clock = manualClock();
  const initScript = `echo $$ > ${folder}/pid; sleep 60`;
  const answer = refused({ initScript }, { clock, initTimeoutMs: 1000 });
  const pid = Number(await waitFor(() => readPid(folder), { what: 'the shell' }));
  await clock.advance(999);
  assert.equal(pidIsAlive(pid), true);
  await clock.advance(1);
  assert.match(await answer, /it took more than 1 s$/);
  await gone(pid);
});

test('a background process that it leaves is ended, and does not hold it up', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const env = await made({ initScript: `sleep 60 & echo $! > ${folder}/pid; export A=1` });
  assert.equal(env['A'], '1');
  await gone(Number(readPid(folder)));
});

test('a Runner that stops does not wait for it', async (t) => {
  hygiene(t);
  const stop = new AbortController();
  const folder = temporaryFolder(t);
  const answer = refused({ initScript: `echo $$ > ${folder}/pid; sleep 60` }, { signal: stop.signal });
  const pid = Number(await waitFor(() => readPid(folder), { what: 'the shell' }));
  stop.abort();
  assert.match(await answer, /the Runner is stopping$/);
  await gone(pid);
  assert.match(
    await refused({ initScript: ':' }, { signal: AbortSignal.abort() }),
    /the Runner is stopping$/,
  );
});

test('a script file can be what the text sources', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'a b'));
  writeFileSync(join(folder, 'a b', 'init.sh'), 'export FROM_FILE=1\n');
  assert.equal((await made({ initScript: `. '${folder}/a b/init.sh'` }))['FROM_FILE'], '1');
});

function readPid(folder: string): string {
  try {
    return readFileSync(join(folder, 'pid'), 'utf8').trim();
  } catch {
    return '';
  }
}
