import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandLineOf } from '../../src/grants/command-words.ts';
import type { ShellGrant } from '../../src/grants/grants.ts';
import { allowsCommand } from '../../src/grants/shell-grant.ts';

function allows(grant: ShellGrant | undefined, text: string) {
  const line = commandLineOf(text);
  return line.kind !== 'empty' && allowsCommand(grant, line.argv);
}

test('without lists everything runs, with an empty one nothing', () => {
  assert.equal(allows(undefined, 'rm -rf x'), true);
  assert.equal(allows({}, 'ls | sh'), true);
  assert.equal(allows({ allow: [] }, 'ls'), false);
  assert.equal(allowsCommand(undefined, []), false);
  assert.equal(allowsCommand(undefined, ['']), false);
});

test('an allowed prefix is whole words of the program as it is called', () => {
  const grant = { allow: [['git', 'log'], ['/usr/bin/wc']] };
  const verdicts = [
    'git log -1',
    'git logs',
    'git',
    'git push',
    './git log',
    '/tmp/git log',
    '/usr/bin/wc f',
    'wc f',
  ];
  assert.deepEqual(
    verdicts.map((text) => allows(grant, text)),
    [true, false, false, false, false, false, true, false],
  );
});

test('what is denied beats what is allowed', () => {
  const grant = { allow: [['git']], deny: [['git', 'push']] };
  assert.equal(allows(grant, 'git log'), true);
  assert.equal(allows(grant, 'git push origin'), false);
});

test('a denied program is denied wherever it stands', () => {
  const grant = { deny: [['rm'], ['/sbin/reboot']] };
  for (const text of [
    'rm x',
    '/bin/rm x',
    './rm x',
    'RM x',
    'rm.exe x',
    'reboot',
    '/usr/sbin/reboot',
    "r'm' x",
    '\\rm x',
  ])
    assert.equal(allows(grant, text), false, text);
  for (const text of ['ls rm', 'rmdir x', 'git rm x']) assert.equal(allows(grant, text), true, text);
});

test('while something is denied, nothing runs that hides what it runs', () => {
  const grant = { deny: [['rm']] };
  const hidden = [
    ...['ls\nrm x', 'echo `rm x`', 'echo $(rm x)', 'X=1 rm x', 'ls | rm', 'ls && rm x', 'ls; rm', '(rm x)'],
    ...['sh -c ls', '/bin/bash x.sh', 'env rm x', 'xargs rm', 'sudo rm x', 'nohup rm x', 'timeout 1 rm x'],
    ...[
      `python3 -c 'import os'`,
      `perl -e 'unlink'`,
      `perl -ne 'x'`,
      'node --eval=x',
      'node -p 1',
      'python3',
      'ruby -',
    ],
    ...['find . -exec rm x +', 'find . -okdir rm', `awk 'BEGIN'`, 'busybox rm x'],
  ];
  for (const text of hidden) {
    assert.equal(allows(grant, text), false, text);
    assert.equal(allows({}, text), true, text);
  }
  for (const text of ['python3 run.py', 'node build.js', 'find . -name x', 'make'])
    assert.equal(allows(grant, text), true, text);
});

test('a command that needs a shell runs where sh is allowed, and nowhere else under a list', () => {
  assert.equal(allows({ allow: [['ls'], ['wc']] }, 'ls | wc'), false);
  assert.equal(allows({ allow: [['sh']] }, 'ls | wc'), true);
  assert.equal(allows({ allow: [['sh']], deny: [['rm']] }, 'ls | wc'), false);
});
