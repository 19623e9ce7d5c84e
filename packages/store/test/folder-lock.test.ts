import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { lockFolder } from '../src/index.ts';
import { startProgram } from './child-program.ts';

test('a folder has one holder in a process, and a released one is free', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const first = await lockFolder(folder);
  assert.notEqual(first, null);
  assert.equal(await lockFolder(folder), null);
  assert.equal(await lockFolder(folder), null);
  await first?.release();
  await first?.release();
  {
    await using second = await lockFolder(folder);
    assert.notEqual(second, null);
  }
  const third = await lockFolder(folder);
  assert.notEqual(third, null);
  await third?.release();
  assert.equal(statSync(join(folder, 'lock')).mode & 0o777, 0o600);
});

test('a lock held here turns another process away, also after this process was refused it once more', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const lock = await lockFolder(folder);
  assert.equal(await lockFolder(folder), null);
  const other = startProgram('hold-lock.ts', [folder]);
  assert.equal(await other.line(), 'ready');
  other.say('go');
  assert.equal(await other.line(), 'taken');
  await other.kill();
  await lock?.release();
});

test('a lock dies with its holder: after SIGKILL it is free at once', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  for (let round = 0; round < 2; round += 1) {
    const holder = startProgram('hold-lock.ts', [folder]);
    assert.equal(await holder.line(), 'ready');
    holder.say('go');
    assert.equal(await holder.line(), 'held');
    assert.equal(await lockFolder(folder), null);
    await holder.kill();
    const lock = await lockFolder(folder);
    assert.notEqual(lock, null);
    await lock?.release();
  }
});

test('of six processes that try at once exactly one gets the lock', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const rivals = Array.from({ length: 6 }, () => startProgram('hold-lock.ts', [folder]));
  await Promise.all(rivals.map((rival) => rival.line()));
  for (const rival of rivals) rival.say('go');
  const answers = await Promise.all(rivals.map((rival) => rival.line()));
  assert.deepEqual(answers.toSorted(), ['held', 'taken', 'taken', 'taken', 'taken', 'taken']);
  await Promise.all(rivals.map((rival) => rival.kill()));
});

test('a lock that cannot be taken for another reason says which', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  await assert.rejects(lockFolder(join(folder, 'missing')), { code: 'store_folder_missing' });
  mkdirSync(join(folder, 'text'));
  writeFileSync(
    join(folder, 'text', 'lock'),
    'this is no lock but a text, long enough to have a header of its own\n'.repeat(4),
  );
  await assert.rejects(lockFolder(join(folder, 'text')), { code: 'store_not_a_database' });
  mkdirSync(join(folder, 'folder', 'lock'), { recursive: true });
  await assert.rejects(lockFolder(join(folder, 'folder')), { code: 'store_not_a_database' });
  mkdirSync(join(folder, 'closed'), { mode: 0o755 });
  chmodSync(folder, 0o755);
  const stranger = startProgram('open-as.ts', ['lock', join(folder, 'closed')], { nobody: true });
  if (process.getuid?.() === 0) assert.equal(await stranger.line(), 'store_permission_denied');
  await stranger.ended();
});
