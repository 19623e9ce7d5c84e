import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { hygiene } from '@fairlead/testing';
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
