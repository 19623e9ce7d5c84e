import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { hygiene, manualClock } from '@fairlead/testing';
import { Family } from '../src/family/family.ts';
import { procReader } from '../src/process-table/process-reader.ts';
import { SpawnedTree } from '../src/tree/process-tree.ts';
import { firstLine, shellTree, wholeText } from './test-trees.ts';

// Windows itself is not among the machines of these tests: what is shown here is which command would be given.

test('on Windows a tree is ended by taskkill, with everything below it', async (t) => {
  hygiene(t);
  const commands: string[] = [];
  const recording = ((command: string, args: string[], options: object) => {
    commands.push([command, ...args].join(' '));
    // What taskkill would do, as far as this machine can.
    const [program, rest] = command === 'taskkill' ? ['kill', ['-KILL', args[3] ?? '']] : [command, args];
    return spawn(program, rest, options);
  }) as typeof spawn;
  const tree = await shellTree(t, 'echo plain >&2; echo on; exec sleep 60', {
    platform: 'win32',
    spawn: recording,
  });
  const said = wholeText(tree.stderr);
  await firstLine(tree.stdout);
  assert.deepEqual(await tree.end(), { survivors: 0 });
  assert.equal(await said, 'plain\n');
  assert.deepEqual(commands.slice(1), [`taskkill /T /F /PID ${tree.pid}`]);
});

test('on Windows a tree that has ended by itself is left alone', async (t) => {
  hygiene(t);
  const commands: string[] = [];
  const recording = ((command: string, args: string[], options: object) => {
    commands.push(command);
    return spawn(command, args, options);
  }) as typeof spawn;
  const tree = await shellTree(t, 'exit', { platform: 'win32', spawn: recording });
  await tree.exited;
  assert.deepEqual(await tree.end(), { survivors: 0 });
  assert.deepEqual(commands, ['/bin/sh']);
});

test('on Windows a tree that taskkill does not end is given up after one second, and counted', async () => {
  const clock = manualClock();
  const pid = 4_194_301;
  const tree = new SpawnedTree({
    child: new EventEmitter() as ChildProcess,
    pid,
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    family: new Family({ root: { pid, started: 0 }, mark: Buffer.from('x'), spared: [] }),
    reader: procReader(),
    clock,
    platform: 'win32',
    spawn: (() => new EventEmitter()) as unknown as typeof spawn,
    signal: () => assert.fail('signalled'),
    forget: () => assert.fail('forgotten'),
  });
  const ending = tree.end();
  await clock.advance(999);
  assert.equal(tree.stdin.destroyed, false);
  await clock.advance(1);
  assert.equal(tree.stdin.destroyed, true);
  await clock.advance(100);
  assert.deepEqual(await ending, { survivors: 1 });
});
