import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext as NodeTest, test } from 'node:test';
import { lockFolder } from '@fairlead/store';
import { hygiene, manualClock, temporaryFolder, waitFor } from '@fairlead/testing';
import { logs } from '../src/commands/trouble/logs.ts';
import { main } from '../src/index.ts';
import { openLogFile } from '../src/log/log-file.ts';
import { logText } from '../src/log/log-text.ts';
import { readLog } from '../src/log/read-log.ts';
import { writeServerFile } from '../src/state/server-file.ts';
import { hostAt } from './host-in-file.ts';
import { testContext } from './test-context.ts';

function machine(t: NodeTest) {
  hygiene(t);
  const folder = temporaryFolder(t);
  const log = join(folder, 'state/log');
  const context = testContext(folder);
  const run = async (...flags: string[]) => {
    context.printed.stdout = '';
    context.printed.stderr = '';
    const exit = await main(['logs', ...flags], { cloneRoot: context.cloneRoot, context });
    return { exit, ...context.printed };
  };
  mkdirSync(log, { recursive: true });
  return { log, state: join(folder, 'state'), context, run };
}

const line = (event: string, more = '') => `{"at":1798761600000,"level":"info","event":"${event}"${more}}\n`;

test('a line is shown as time, level, event and fields', () => {
  assert.equal(
    logText(
      '{"at":1798761600123,"level":"warn","event":"link.retry","retry_ms":1000,"reason":"lost","on":true,"x":null}',
    ),
    '2027-01-01T00:00:00.123Z warn  link.retry retry_ms=1000 reason=lost on=true x=null',
  );
});

test('what a field says cannot look like another field, move the cursor or hide', () => {
  assert.equal(
    logText('{"at":0,"level":"info","event":"e","a":"b c=d","n":"\\u001b[2J\\u202e","q":"\\""}'),
    '1970-01-01T00:00:00.000Z info  e a="b c=d" n="\\u001b[2J " q="\\""',
  );
});

test('what is no line of a log is shown as it is, made harmless', () => {
  assert.equal(logText('Segmentation \u001b[31mfault'), 'Segmentation  [31mfault');
  assert.equal(logText('[1]'), '[1]');
  assert.equal(logText('{}'), '- -     -');
  assert.equal(logText('{"at":1e300,"level":3}'), '- -     -');
});

test('the newest lines of all the files come, oldest first', async (t) => {
  const { log, run } = machine(t);
  writeFileSync(join(log, 'fairlead.log.2'), line('a') + line('b'));
  writeFileSync(join(log, 'fairlead.log.1'), line('c'));
  writeFileSync(join(log, 'fairlead.log'), `${line('d')}half`);
  const shown = (stdout: string) =>
    stdout
      .trimEnd()
      .split('\n')
      .map((text) => text.replace(/^.* /, ''));
  assert.deepEqual(shown((await run()).stdout), ['a', 'b', 'c', 'd', 'half']);
  assert.deepEqual(shown((await run('-n', '3')).stdout), ['c', 'd', 'half']);
  assert.equal((await run('--lines', '0')).stdout, '');
});

test('--json gives the lines as they were written, with nothing in them that drives a terminal', async (t) => {
  const { log, run } = machine(t);
  writeFileSync(join(log, 'fairlead.log'), `${line('a', ',"x":"\u009b"')}\u001b[2J\n`);
  assert.equal(
    (await run('--json')).stdout,
    '{"at":1798761600000,"level":"info","event":"a","x":"\\u009b"}\n\\u001b[2J\n',
  );
});

test('no log is told, and a number of lines is a number', async (t) => {
  const { run, log } = machine(t);
  const { exit, stderr } = await run();
  assert.equal(exit, 1);
  assert.match(stderr, /\(log_missing\)\n {2}file: .*\/log\/fairlead\.log\n {2}next: /);
  for (const count of ['x', '-1', '1000001']) assert.equal((await run(`--lines=${count}`)).exit, 2);
  assert.equal((await run('--runner', '../x')).exit, 1);
  mkdirSync(join(log, 'fairlead.log'));
  assert.equal((await run()).exit, 1);
});

test('a Runner with a process of its own has its own log; that of up shares the host’s', async (t) => {
  const { log, state, run } = machine(t);
  writeFileSync(join(log, 'runner-far.log'), line('far'));
  assert.match((await run()).stdout, / far\n$/, 'the only log that there is');
  writeFileSync(join(log, 'fairlead.log'), line('host'));
  writeFileSync(join(log, 'runner-local.log'), line('old'));
  assert.match((await run()).stdout, / host\n$/);
  assert.match((await run('--runner', 'far')).stdout, / far\n$/);
  assert.match((await run('--runner', 'local')).stdout, / old\n$/);
  await using _ = await lockFolder(state);
  await writeServerFile(state, hostAt('http://127.0.0.1:1', { command: 'up', runner: 'local' }));
  const shared = await run('--runner', 'local');
  assert.match(shared.stdout, / host\n$/);
  assert.equal(shared.stderr, 'fairlead: Runner local shares the log of its host, if it has run here\n');
  assert.match((await run('--runner', 'gone')).stdout, / host\n$/);
});

test('a line longer than 64 KiB is shown in pieces', async (t) => {
  const { log } = machine(t);
  const path = join(log, 'x.log');
  writeFileSync(path, `${'x'.repeat(200_000)}\nend\n`);
  const told: string[] = [];
  await readLog({ path, lines: 100, onLine: (text) => told.push(text) });
  assert.equal(told.join('').length, 200_003);
  assert.equal(told.at(-1), 'end');
  assert.ok(told.length > 2);
});

/** Follows a log by a clock of the test's; `until` advances it until as many lines have come. */
function following(t: NodeTest, path: string, lines = 10) {
  const clock = manualClock();
  const ended = new AbortController();
  const told: string[] = [];
  const reading = readLog({
    path,
    lines,
    onLine: (text) => told.push(text),
    follow: { clock, signal: ended.signal },
  });
  t.after(() => ended.abort());
  const until = (count: number) =>
    waitFor(
      async () => {
        await clock.advance(200);
        return told.length >= count;
      },
      { what: `${count} lines` },
    );
  return { told, until, stop: () => ended.abort(), reading };
}

test('what is written is followed, a line when it is whole', async (t) => {
  const { log } = machine(t);
  const path = join(log, 'x.log');
  writeFileSync(path, 'one\ntw');
  const { told, until, stop, reading } = following(t, path);
  await until(1);
  assert.deepEqual(told, ['one']);
  writeFileSync(path, 'o\nthree\n', { flag: 'a' });
  await until(3);
  assert.deepEqual(told, ['one', 'two', 'three']);
  stop();
  assert.equal(await reading, true);
});

test('a log is followed over its rotation, also over several at once', async (t) => {
  const { log } = machine(t);
  const path = join(log, 'x.log');
  const file = openLogFile(path, { bytes: 8, files: 5 });
  t.after(() => file.close());
  file.write('0\n');
  const { told, until } = following(t, path);
  await until(1);
  const words = Array.from({ length: 9 }, (_, index) => `${index + 1}`);
  for (const word of words) file.write(`${word}\n`);
  await until(10);
  assert.deepEqual(told, ['0', ...words]);
});

test('where more was rotated than is kept, it goes on with the oldest that is there', async (t) => {
  const { log } = machine(t);
  const path = join(log, 'x.log');
  writeFileSync(path, 'first\n');
  const { told, until } = following(t, path);
  await until(1);
  rmSync(path);
  writeFileSync(`${path}.1`, 'second\n');
  writeFileSync(path, 'third\n');
  await until(3);
  assert.deepEqual(told, ['first', 'second', 'third']);
});

test('a log that was emptied is followed from its beginning', async (t) => {
  const { log } = machine(t);
  const path = join(log, 'x.log');
  writeFileSync(path, 'a long first line\n');
  const { told, until } = following(t, path);
  await until(1);
  truncateSync(path);
  await until(1);
  writeFileSync(path, 'two\n', { flag: 'a' });
  await until(2);
  assert.deepEqual(told, ['a long first line', 'two']);
});

test('while its file is away a log is waited for', async (t) => {
  const { log } = machine(t);
  const path = join(log, 'x.log');
  writeFileSync(path, 'one\n');
  const { told, until } = following(t, path);
  await until(1);
  renameSync(path, join(log, 'elsewhere'));
  await until(1);
  writeFileSync(path, 'two\n');
  await until(2);
  assert.deepEqual(told, ['one', 'two']);
});

test('Ctrl-C ends it well', async (t) => {
  const { log, context } = machine(t);
  writeFileSync(join(log, 'fairlead.log'), line('a'));
  const signals = Object.assign(new EventEmitter(), { exit: () => assert.fail('it ends by itself') });
  const done = logs(context, { follow: true }, signals);
  await waitFor(() => context.printed.stdout !== '', { what: 'the first line' });
  signals.emit('SIGINT');
  assert.equal(await done, 0);
  assert.equal(signals.listenerCount('SIGINT'), 0);
});
