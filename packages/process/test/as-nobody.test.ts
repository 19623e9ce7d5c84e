import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, requires, spawnAsNobody, temporaryFolder } from '@fairlead/testing';
import { firstLine, gone } from './test-trees.ts';

const RUNNER_LIKE = join(import.meta.dirname, 'fixtures', 'runner-like.ts');

test('a Runner without privileges, killed, leaves nothing either', {
  skip: requires('setsid'),
}, async (t) => {
  hygiene(t);
  const home = temporaryFolder(t, { mode: 0o1777 });
  const scripts = [
    'sleep 60 & echo $!; wait',
    '(setsid sh -c "sleep 60 & echo \\$!" &) ; sleep 60',
    '(env -i /bin/sh -c "echo \\$\\$; exec /bin/sleep 60" &) ; sleep 60',
    'echo $$ >/dev/stderr; echo $$; sleep 60',
  ];
  const runner = spawnAsNobody(process.execPath, [RUNNER_LIKE, JSON.stringify({ scripts })], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, HOME: home },
  });
  t.after(() => runner.kill('SIGKILL'));
  assert.ok(runner.stdout);
  const known = JSON.parse(await firstLine(runner.stdout)) as {
    watchdog: number;
    roots: number[];
    descendants: number[];
  };
  runner.kill('SIGKILL');
  for (const pid of [...known.roots, ...known.descendants, known.watchdog]) await gone(pid);
});
