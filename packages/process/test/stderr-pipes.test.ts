import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { closeSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, manualClock, temporaryFolder, waitFor } from '@fairlead/testing';
import { StderrPipes } from '../src/stderr/stderr-pipes.ts';
import { wholeText } from './test-trees.ts';

type Spawned = { readonly command: string; readonly args: readonly string[] };

function counting(spawned: Spawned[]): typeof spawn {
  return ((command: string, args: string[], options: object) => {
    spawned.push({ command, args });
    return spawn(command, args, options);
  }) as typeof spawn;
}

test('those who ask at the same time share one mkfifo, and no name is left', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const spawned: Spawned[] = [];
  const clock = manualClock();
  const pipes = new StderrPipes({ spawn: counting(spawned), temporaryFolder: () => folder, clock });
  const made = await Promise.all(Array.from({ length: 8 }, () => pipes.open()));
  assert.equal(spawned.length, 1);
  assert.deepEqual(spawned[0]?.args.slice(0, 2), ['-m', '600']);
  assert.equal(spawned[0]?.args.length, 10);
  assert.deepEqual(readdirSync(folder), []);
  for (const [index, pipe] of made.entries()) {
    assert.ok(pipe);
    writeSync(pipe.writeFd, `to ${index}`);
    closeSync(pipe.writeFd);
    assert.equal(await wholeText(pipe.reader), `to ${index}`);
  }
});

test('those who ask while one is made are served together by the next', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const spawned: Spawned[] = [];
  let late: Promise<unknown>[] = [];
  const pipes = new StderrPipes({
    spawn: ((command: string, args: string[], options: object) => {
      if (late.length === 0) late = [pipes.open(), pipes.open()];
      return counting(spawned)(command, args, options);
    }) as typeof spawn,
    temporaryFolder: () => folder,
    clock: manualClock(),
  });
  const all = [await pipes.open(), ...(await Promise.all(late))] as Awaited<ReturnType<typeof pipes.open>>[];
  assert.deepEqual(
    spawned.map(({ args }) => args.length - 2),
    [1, 2],
  );
  for (const pipe of all) {
    assert.ok(pipe);
    closeSync(pipe.writeFd);
    pipe.reader.destroy();
  }
});

test('where none can be made the answer is null, and nothing is left', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const withFolder = { temporaryFolder: () => folder };
  const missing = ((_: string, args: string[], options: object) =>
    spawn('/nonexistent/mkfifo', args, options)) as typeof spawn;
  const refusing = ((_: string, args: string[], options: object) =>
    spawn('false', args, options)) as typeof spawn;
  const lying = ((_: string, args: string[], options: object) =>
    spawn('true', args, options)) as typeof spawn;
  for (const maker of [missing, refusing, lying])
    assert.equal(await new StderrPipes({ spawn: maker, ...withFolder }).open(), null);
  assert.equal(await new StderrPipes({ spawn, temporaryFolder: () => join(folder, 'nowhere') }).open(), null);
  assert.deepEqual(readdirSync(folder), []);
});

test('a mkfifo that never ends is killed after 2 s, and the answer is null', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const clock = manualClock();
  const stuck = ((_: string, _args: string[], options: object) =>
    spawn('sleep', ['61'], options)) as typeof spawn;
  const pipe = new StderrPipes({ spawn: stuck, temporaryFolder: () => folder, clock }).open();
  await waitFor(() => clock.pendingTimers === 1, { what: 'the wait for mkfifo' });
  await clock.advance(2000);
  assert.equal(await pipe, null);
  assert.deepEqual(readdirSync(folder), []);
});

test('a reading end whose other end cannot be opened is closed again', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const fds = (): number => readdirSync('/proc/self/fd').length;
  const folders = ((_: string, args: string[], options: object) =>
    spawn('mkdir', args, options)) as typeof spawn;
  const before = fds();
  assert.equal(await new StderrPipes({ spawn: folders, temporaryFolder: () => folder }).open(), null);
  assert.equal(fds(), before);
});
