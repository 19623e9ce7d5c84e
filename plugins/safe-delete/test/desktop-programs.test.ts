import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { backendsOf } from '../src/machine.ts';
import { type RunProgram, runProgram } from '../src/run-program.ts';
import { diskWith, type Scene, scene, systemError } from './scene.ts';

const TO_TRASH = '/bin/mkdir -p "$XDG_DATA_HOME/put" && exec /bin/mv "$3" "$XDG_DATA_HOME/put/"';
const TO_TRASH_PUT = '/bin/mkdir -p "$XDG_DATA_HOME/put" && exec /bin/mv "$2" "$XDG_DATA_HOME/put/"';

// The home trash is on another file system, as far as the rename tells.
const crossing = diskWith({ rename: () => Promise.reject(systemError('EXDEV')) });

function linux({ data, bin }: Scene, options: { env?: Record<string, string>; run?: RunProgram } = {}) {
  const { env = {}, run = runProgram } = options;
  return backendsOf(crossing, {
    platform: 'linux',
    env: { PATH: bin, XDG_DATA_HOME: data, ...env },
    run,
    now: () => new Date(),
  });
}

const error = (code: string, backend: string | null) => ({ outcome: 'error', code, backend });

test('what the home trash cannot take goes to gio', async (t) => {
  const here = scene(t);
  here.file('a/-b c.txt');
  here.program(
    'gio',
    `printf '%s\\n' "$@" > "$XDG_DATA_HOME/args"; pwd -P > "$XDG_DATA_HOME/where"; ${TO_TRASH}`,
  );
  here.program('trash-put', `touch "$XDG_DATA_HOME/second"`);
  assert.deepEqual(await here.remove('a/-b c.txt', { backends: linux(here) }), {
    outcome: 'trashed',
    backend: 'gio',
  });
  assert.equal(readFileSync(join(here.data, 'args'), 'utf8'), 'trash\n--\n./-b c.txt\n');
  assert.equal(readFileSync(join(here.data, 'where'), 'utf8'), `${here.rootPath}/a\n`);
  assert.equal(existsSync(join(here.data, 'put/-b c.txt')), true);
  assert.equal(existsSync(join(here.data, 'second')), false);
});

test('trash-put is asked when gio is not installed', async (t) => {
  const here = scene(t);
  here.file('a.txt');
  mkdirSync(join(here.bin, 'gio'));
  here.program('trash-put', `printf '%s\\n' "$@" > "$XDG_DATA_HOME/args"; ${TO_TRASH_PUT}`);
  assert.deepEqual(await here.remove('a.txt', { backends: linux(here) }), {
    outcome: 'trashed',
    backend: 'trash-put',
  });
  assert.equal(readFileSync(join(here.data, 'args'), 'utf8'), '--\n./a.txt\n');
});

test('after gio has really failed, trash-put is not asked, and the file is kept', async (t) => {
  const here = scene(t);
  const path = here.file('a.txt');
  here.program('gio', 'echo "gio: secret words" >&2; exit 1');
  here.program('trash-put', TO_TRASH_PUT);
  assert.deepEqual(
    await here.remove('a.txt', { backends: linux(here) }),
    error('trash_operation_failed', 'gio'),
  );
  assert.equal(existsSync(path), true);
});

test('a gio that cannot be started counts as failed', async (t) => {
  const here = scene(t);
  here.file('a.txt');
  here.program('gio', '');
  const run: RunProgram = (program, signal) =>
    runProgram({ ...program, command: `${program.command}-gone` }, signal);
  assert.deepEqual(
    await here.remove('a.txt', { backends: linux(here, { run }) }),
    error('trash_operation_failed', 'gio'),
  );
});

test('a gio that is ended by a signal and has left the file counts as failed', async (t) => {
  const here = scene(t);
  here.file('a.txt');
  here.program('gio', 'kill -9 $$');
  assert.deepEqual(
    await here.remove('a.txt', { backends: linux(here) }),
    error('trash_operation_failed', 'gio'),
  );
});

test('a gio that fails after the file has vanished leaves the outcome unknown', async (t) => {
  const here = scene(t);
  here.file('a.txt');
  here.program('gio', '/bin/rm "$3"; exit 1');
  assert.deepEqual(
    await here.remove('a.txt', { backends: linux(here) }),
    error('trash_operation_unknown', 'gio'),
  );
});

test('a gio that says it succeeded and has left the file is not believed', async (t) => {
  const here = scene(t);
  here.file('a.txt');
  here.program('gio', 'exit 0');
  assert.deepEqual(
    await here.remove('a.txt', { backends: linux(here) }),
    error('trash_postcondition_unknown', 'gio'),
  );
});

test('a gio that does not end is killed', async (t) => {
  const here = scene(t);
  here.file('a.txt');
  here.program('gio', 'exec /bin/sleep 600');
  // Without the home trash, which would have to give up within the same time.
  const backends = linux(here).filter(({ name }) => name === 'gio');
  assert.deepEqual(
    await here.remove('a.txt', { backends, timeoutMs: 100 }),
    error('trash_operation_timeout', 'gio'),
  );
});

test('with nothing installed there is no trash, and the file is kept', async (t) => {
  const here = scene(t);
  const path = here.file('a.txt');
  assert.deepEqual(
    await here.remove('a.txt', { backends: linux(here) }),
    error('trash_backend_unavailable', null),
  );
  assert.equal(existsSync(path), true);
  assert.deepEqual(here.trashed('info'), []);
});

test('a program that lies in the folder itself is not taken for gio', async (t) => {
  const here = scene(t);
  here.file('a.txt');
  const planted = here.file('gio');
  for (const PATH of ['', '.', ':', '../root', `relative:${here.outside}`]) {
    assert.deepEqual(
      await here.remove('a.txt', { backends: linux(here, { env: { PATH } }) }),
      error('trash_backend_unavailable', null),
      PATH,
    );
  }
  assert.equal(existsSync(planted), true);
});

test('gio works in the folder that was looked at, also when its path leads elsewhere by then', async (t) => {
  const here = scene(t);
  here.file('a/kept.txt', 'inside');
  here.program('gio', TO_TRASH);
  const run: RunProgram = (program, signal) => {
    renameSync(join(here.rootPath, 'a'), join(here.rootPath, 'was'));
    symlinkSync(here.outside, join(here.rootPath, 'a'));
    return runProgram(program, signal);
  };
  assert.deepEqual(await here.remove('a/kept.txt', { backends: linux(here, { run }) }), {
    outcome: 'trashed',
    backend: 'gio',
  });
  assert.equal(readFileSync(join(here.data, 'put/kept.txt'), 'utf8'), 'inside');
  assert.equal(readFileSync(join(here.outside, 'kept.txt'), 'utf8'), 'kept');
});

test('the programs get a few chosen variables, and no service of the desktop is asked', async (t) => {
  const here = scene(t);
  here.file('a.txt');
  here.program('gio', '/usr/bin/env > "$XDG_DATA_HOME/seen"; exit 1');
  const env = {
    HOME: '/home/a',
    FAIRLEAD_PROVIDER: 'p',
    LD_PRELOAD: '/evil.so',
    DBUS_SESSION_BUS_ADDRESS: 'unix:x',
    SECRET: 's',
  };
  await here.remove('a.txt', { backends: linux(here, { env }) });
  const seen = readFileSync(join(here.data, 'seen'), 'utf8')
    .trimEnd()
    .split('\n')
    .filter((line) => !/^(PWD|OLDPWD|SHLVL|_|NODE_V8_COVERAGE)=/.test(line))
    .sort();
  assert.deepEqual(seen, [
    'FAIRLEAD_PROVIDER=p',
    'GIO_USE_VFS=local',
    'HOME=/home/a',
    `PATH=${here.bin}`,
    `XDG_DATA_HOME=${here.data}`,
  ]);
});

const skip = existsSync('/usr/bin/gio') ? false : 'needs gio, which is not installed here';

test('the real gio takes what the home trash could not', { skip }, async (t) => {
  const here = scene(t);
  here.file('a/b ü.txt', 'precious');
  const env = { PATH: '/usr/bin', HOME: here.data };
  assert.deepEqual(await here.remove('a/b ü.txt', { backends: linux(here, { env }) }), {
    outcome: 'trashed',
    backend: 'gio',
  });
  assert.equal(readFileSync(join(here.data, 'Trash/files/b ü.txt'), 'utf8'), 'precious');
  assert.match(
    readFileSync(join(here.data, 'Trash/info/b ü.txt.trashinfo'), 'utf8'),
    /^\[Trash Info\]\nPath=\/.*\/root\/a\/b%20%C3%BC\.txt\nDeletionDate=\d{4}-/,
  );
});
