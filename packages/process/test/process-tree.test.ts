import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { hygiene, pidIsAlive, processTable, requires, waitFor } from '@fairlead/testing';
import type { TreeOwner } from '../src/index.ts';
import { firstLine, gone, shellTree, testWatchdog, wholeText } from './test-trees.ts';

/** Prints the pid of a descendant that the script makes, and then waits for its own end. */
const cases: { readonly name: string; readonly script: string; readonly needs?: 'setsid' | 'python3' }[] = [
  { name: 'a child in the same group', script: 'sleep 60 & echo $!; wait' },
  {
    name: 'a child that ignores SIGTERM and SIGHUP',
    script: `sh -c 'trap "" TERM HUP; echo $$; while :; do sleep 1; done'`,
  },
  {
    name: 'a child in a group of its own',
    // Without a terminal dash makes no groups.
    script: `exec /bin/bash -c 'set -m; sleep 60 & echo $!; wait'`,
  },
  {
    name: 'a grandchild in a session of its own',
    needs: 'setsid',
    script: 'setsid sh -c "echo \\$\\$; exec sleep 60" & wait',
  },
  {
    name: 'a double fork whose parents have ended',
    needs: 'setsid',
    script: '(setsid sh -c "sleep 60 & echo \\$!" &) ; sleep 60',
  },
  {
    name: 'a grandchild without environment in the same session, whose parent has ended',
    script: '(env -i /bin/sh -c "echo \\$\\$; exec /bin/sleep 60" &) ; sleep 60',
  },
  {
    name: 'a descendant without environment in another session, while an ancestor lives',
    needs: 'setsid',
    script: 'sh -c "env -i setsid /bin/sh -c \\"echo \\\\\\$\\\\\\$; exec /bin/sleep 60\\"; :" & wait',
  },
  {
    name: 'a descendant without environment in a session that a member made, whose parent has ended',
    needs: 'setsid',
    script:
      'setsid sh -c "(env -i /bin/sh -c \\"echo \\\\\\$\\\\\\$; exec /bin/sleep 60\\" &); exec sleep 60" & wait',
  },
  {
    name: 'a child that the program left behind when it ended by itself',
    script: 'sleep 60 & echo $!',
  },
  {
    name: 'a stopped child',
    script: 'sleep 60 & kill -STOP $!; echo $!; wait',
  },
];

for (const { name, script, needs } of cases) {
  test(`ending a tree ends ${name}`, { skip: needs === undefined ? false : requires(needs) }, async (t) => {
    hygiene(t);
    const tree = await shellTree(t, script);
    const pid = Number(await firstLine(tree.stdout));
    assert.equal(pidIsAlive(pid), true);
    assert.deepEqual(await tree.end(), { survivors: 0 });
    assert.equal(pidIsAlive(pid), false);
    assert.equal(pidIsAlive(tree.pid), false);
  });
}

test('a tree that keeps forking is ended', async (t) => {
  hygiene(t);
  const tree = await shellTree(t, 'f() { while :; do (sleep 0.01 &); done; }; f & f & echo on; wait');
  await firstLine(tree.stdout);
  assert.deepEqual(await tree.end(), { survivors: 0 });
});

test('a flood on both streams does not keep a tree from ending', async (t) => {
  hygiene(t);
  const tree = await shellTree(t, 'yes & yes >&2');
  await once(tree.stdout, 'readable');
  assert.deepEqual(await tree.end(), { survivors: 0 });
  assert.equal(tree.stdout.destroyed && tree.stderr.destroyed && tree.stdin.destroyed, true);
});

test('what was written before the end is still read', async (t) => {
  hygiene(t);
  const tree = await shellTree(t, 'echo last words >&2; echo answer; kill -KILL $$');
  const said = wholeText(tree.stderr);
  const answered = wholeText(tree.stdout);
  assert.deepEqual(await tree.exited, { code: null, signal: 'SIGKILL' });
  await tree.end();
  assert.deepEqual([await said, await answered], ['last words\n', 'answer\n']);
});

test('ending twice is ending once', async (t) => {
  hygiene(t);
  const tree = await shellTree(t, 'sleep 60');
  const [first, second] = [tree.end(), tree.end()];
  assert.equal(first, second);
  await first;
});

test('the exit of the program is told, and its session is its own', async (t) => {
  hygiene(t);
  const tree = await shellTree(t, 'read -r word; echo "$word" $$; exit 7');
  tree.stdin.write('word\n');
  assert.equal(await firstLine(tree.stdout), `word ${tree.pid}`);
  assert.deepEqual(await tree.exited, { code: 7, signal: null });
});

test('eight trees are ended at the same time', async (t) => {
  hygiene(t);
  const owner = testWatchdog(t);
  const trees = await Promise.all(
    Array.from({ length: 8 }, () => shellTree(t, 'sleep 60 & wait', { owner })),
  );
  const ends = await Promise.all(trees.map((tree) => tree.end()));
  assert.deepEqual(
    ends,
    Array.from({ length: 8 }, () => ({ survivors: 0 })),
  );
});

test('a stream that fails while nobody listens does not end this process', async (t) => {
  hygiene(t);
  const tree = await shellTree(t, 'exec <&-; echo closed; sleep 60');
  await firstLine(tree.stdout);
  const closed = new Promise((resolve) => tree.stdin.once('close', resolve));
  tree.stdin.write('to nobody\n');
  await closed;
});

/** Notes what its trees tell it. */
function notingOwner(told: string[]): TreeOwner {
  return {
    token: 'noted',
    watch: (pid) => told.push(`watch ${pid}`),
    forget: (pid) => told.push(`forget ${pid}`),
  };
}

test('a program that ended by itself and left nobody gives its number up before its tree is ended', async (t) => {
  hygiene(t);
  const told: string[] = [];
  const tree = await shellTree(t, 'exit 0', { watchdog: notingOwner(told) });
  await tree.exited;
  await waitFor(() => told.length > 1, { what: 'the number to be given up' });
  assert.deepEqual(told, [`watch ${tree.pid}`, `forget ${tree.pid}`]);
  // Not as a zombie either.
  assert.deepEqual(
    processTable().filter(({ pid }) => pid === tree.pid),
    [],
  );
});

test('a program that left somebody in its session, in another group, keeps its number until its tree is ended', async (t) => {
  hygiene(t);
  const told: string[] = [];
  const owner = notingOwner(told);
  const kept = await shellTree(t, `exec /bin/bash -c 'set -m; sleep 60 & echo $!'`, { watchdog: owner });
  const left = Number(await firstLine(kept.stdout));
  await kept.exited;
  const after = await shellTree(t, 'exit 0', { watchdog: owner });
  await after.exited;
  await waitFor(() => told.includes(`forget ${after.pid}`), { what: 'the later number to be given up' });
  assert.equal(told.includes(`forget ${kept.pid}`), false);
  await kept.end();
  await gone(left);
  assert.equal(told.includes(`forget ${kept.pid}`), true);
});
