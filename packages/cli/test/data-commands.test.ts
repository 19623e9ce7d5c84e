import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext as NodeTest, test } from 'node:test';
import { systemClock, systemRandom } from '@fairlead/base';
import { openPeer, openStore } from '@fairlead/store';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { main } from '../src/index.ts';
import { writeServerFile } from '../src/state/server-file.ts';
import { holdFolder } from './held-folder.ts';
import { hostAt } from './host-in-file.ts';
import { apiServer, failure, success } from './loopback-server.ts';
import { testContext } from './test-context.ts';

function machine(t: NodeTest, typed?: string) {
  hygiene(t);
  const folder = temporaryFolder(t);
  const state = join(folder, 'state');
  const input = new PassThrough();
  if (typed !== undefined) {
    Object.assign(input, { isTTY: true });
    input.end(typed);
  }
  const context = testContext(folder, { streams: { input, output: new PassThrough() } });
  const run = async (...args: string[]) => {
    context.printed.stdout = '';
    context.printed.stderr = '';
    const exit = await main(args, { cloneRoot: context.cloneRoot, context });
    return { exit, ...context.printed };
  };
  return { folder, state, run };
}

/** A state directory with a session of one entry; answers the session's root id and the peer's. */
async function written(state: string, text: string, root?: string) {
  if (!existsSync(state)) mkdirSync(state, { mode: 0o700 });
  const clock = systemClock();
  await using store = await openStore({ path: join(state, 'fairlead.db'), clock });
  await using peer = await openPeer({ store, stateDirectory: state, clock, random: systemRandom() });
  const session = root === undefined ? await peer.create('session') : await peer.open(root);
  await session.table('entries').append(text);
  const { rows } = await session.table('entries').tail(10);
  return {
    root: session.root,
    peerId: peer.peerId,
    author: peer.author,
    texts: rows.map(({ value }) => value).reverse(),
  };
}

test('a backup of a directory where nothing runs is restored, with the same peer under a new author', async (t) => {
  const { state, folder, run } = machine(t);
  const first = await written(state, 'kept');
  const copy = join(folder, 'copy');
  assert.deepEqual(await run('backup', 'copy'), {
    exit: 0,
    stdout: `${copy}\n`,
    stderr: 'Keep it like a password: whoever has it can act as this peer.\n',
  });
  assert.deepEqual(readdirSync(copy).toSorted(), ['backup.json', 'fairlead.db', 'peer.key']);
  await written(state, 'lost', first.root);
  const held = await run('restore', 'copy');
  assert.equal(held.exit, 1);
  assert.match(held.stderr, /restore_target_in_use/);
  const restored = await run('restore', 'copy', '--replace');
  assert.equal(restored.exit, 0);
  const [, putAside = ''] = /^what was there is in (.+)$/m.exec(restored.stdout) ?? [];
  assert.deepEqual(readdirSync(putAside).toSorted(), ['author.key', 'fairlead.db', 'peer.key']);
  assert.match(restored.stderr, /^It is the same peer with the same rights\./);
  const after = await written(state, 'new', first.root);
  assert.deepEqual(after.texts, ['kept', 'new']);
  assert.equal(after.peerId, first.peerId);
  assert.notEqual(after.author, first.author);
});

test('what a restore put aside is nobody’s to remove but yours: reset names it', async (t) => {
  const { state, run } = machine(t);
  await written(state, 'kept');
  await run('backup', 'copy');
  const held = await run('restore', 'copy');
  assert.match(
    held.stderr,
    /next: Restore into another state directory, or give --replace: what is there is put aside/,
  );
  await run('restore', 'copy', '--replace');
  const [aside = ''] = readdirSync(state).filter((name) => name.startsWith('before-restore-'));
  mkdirSync(join(state, 'before-restore-mine'));
  writeFileSync(join(state, 'before-restore-mine', 'fairlead.db'), '');
  const line = `${aside} still holds an earlier database; remove it by hand\n`;
  assert.deepEqual(await run('reset', '--yes'), {
    exit: 0,
    stdout: `removed fairlead.db from ${state}\n`,
    stderr: line,
  });
  assert.equal(existsSync(join(state, aside, 'fairlead.db')), true);
  assert.equal((await run('reset', '--yes')).stderr, line);
  assert.deepEqual(JSON.parse((await run('reset', '--yes', '--json')).stdout).kept, [aside]);
});

test('as JSON each of the three is one line', async (t) => {
  const { state, folder, run } = machine(t);
  await written(state, 'kept');
  const copy = join(folder, 'copy');
  assert.deepEqual(await run('backup', copy, '--json'), {
    exit: 0,
    stdout: `{"to":"${copy}","stateDirectory":"${state}"}\n`,
    stderr: '',
  });
  assert.deepEqual(await run('reset', '--yes', '--json'), {
    exit: 0,
    stdout: `{"stateDirectory":"${state}","removed":["fairlead.db","author.key"],"kept":[]}\n`,
    stderr: '',
  });
  assert.deepEqual(await run('restore', copy, '--json'), {
    exit: 0,
    stdout: `{"from":"${copy}","stateDirectory":"${state}","putAside":null}\n`,
    stderr: '',
  });
});

test('a database from before peers had keys is backed up with one', async (t) => {
  const { state, folder, run } = machine(t);
  mkdirSync(state, { mode: 0o700 });
  const store = await openStore({ path: join(state, 'fairlead.db'), clock: systemClock() });
  await store.close();
  assert.equal((await run('backup', 'copy')).exit, 0);
  assert.equal((await run('restore', 'copy', '--state-dir', join(folder, 'other'))).exit, 0);
  assert.deepEqual(readFileSync(join(folder, 'other', 'peer.key')), readFileSync(join(state, 'peer.key')));
});

test('where there is no database nothing is copied, and no directory is made', async (t) => {
  const { state, run } = machine(t);
  const { exit, stderr } = await run('backup', 'copy');
  assert.equal(exit, 1);
  assert.match(stderr, /nothing_to_back_up/);
  assert.deepEqual(await run('reset', '--yes'), {
    exit: 0,
    stdout: `there is no database in ${state}\n`,
    stderr: '',
  });
  assert.equal(existsSync(state), false);
});

test('a running host is asked to back itself up', async (t) => {
  const { state, folder, run } = machine(t);
  mkdirSync(state);
  const to = join(folder, 'copy');
  const server = await apiServer(t, [{ envelope: success({ to: 'there' }) }]);
  writeFileSync(join(state, 'operator.token'), 'fairlead_pat_operator\n');
  await holdFolder(t, state);
  await writeServerFile(state, hostAt(server.url));
  assert.deepEqual(await run('backup', 'copy', '--json'), {
    exit: 0,
    stdout: `{"to":"${to}","stateDirectory":"${state}"}\n`,
    stderr: '',
  });
  assert.deepEqual(
    server.requests.map(({ method, path, authorization, body }) => [method, path, authorization, body]),
    [['POST', '/api/admin/backup', 'Bearer fairlead_pat_operator', { to }]],
  );
});

test('what the host refused is told with its code', async (t) => {
  const { state, run } = machine(t);
  mkdirSync(state);
  const server = await apiServer(t, [
    { status: 400, envelope: failure('backup_target_exists', 'outcome_unknown') },
  ]);
  writeFileSync(join(state, 'operator.token'), 'fairlead_pat_operator\n');
  await holdFolder(t, state);
  await writeServerFile(state, hostAt(server.url));
  const { exit, stderr } = await run('backup', 'copy');
  assert.equal(exit, 1);
  assert.match(stderr, /backup_target_exists/);
});

test('restore and reset are refused while a host holds the directory, with its address', async (t) => {
  const { state, folder, run } = machine(t);
  await written(state, 'kept');
  await run('backup', 'copy');
  const server = await apiServer(t, [{ envelope: success({}) }]);
  await holdFolder(t, state);
  await writeServerFile(state, hostAt(server.url));
  for (const args of [
    ['restore', join(folder, 'copy'), '--replace'],
    ['reset', '--yes'],
  ]) {
    const { exit, stderr } = await run(...args);
    assert.equal(exit, 1);
    assert.match(stderr, /state_directory_in_use/);
    assert.ok(stderr.includes(server.url), stderr);
  }
  assert.ok(existsSync(join(state, 'fairlead.db')));
});

test('an owner that is not ready is waited for by a backup, and not by the others', async (t) => {
  const { state, run } = machine(t);
  await written(state, 'kept');
  await holdFolder(t, state);
  const { exit, stderr } = await run('reset', '--yes');
  assert.equal(exit, 1);
  assert.match(stderr, /state_directory_in_use/);
  const server = await apiServer(t, [{ envelope: success({ to: 'there' }) }]);
  writeFileSync(join(state, 'operator.token'), 'fairlead_pat_operator\n');
  const copied = run('backup', 'copy');
  await writeServerFile(state, hostAt(server.url));
  assert.equal((await copied).exit, 0);
});

test('a folder that is no backup, or a target that is there, is refused and nothing changes', async (t) => {
  const { state, folder, run } = machine(t);
  const first = await written(state, 'kept');
  mkdirSync(join(folder, 'empty'));
  assert.match((await run('restore', 'empty', '--replace')).stderr, /backup_invalid/);
  assert.match((await run('restore', 'missing', '--replace')).stderr, /backup_invalid/);
  assert.match((await run('backup', 'empty')).stderr, /backup_target_exists/);
  assert.match((await run('backup', 'missing/copy')).stderr, /backup_unwritable/);
  assert.deepEqual((await written(state, 'more', first.root)).texts, ['kept', 'more']);
});

test('reset removes nothing until somebody says yes', async (t) => {
  const { state, run } = machine(t);
  await written(state, 'kept');
  const { exit, stdout, stderr } = await run('reset');
  assert.deepEqual([exit, stdout], [1, '']);
  assert.match(stderr, /reset_unconfirmed/);
  assert.ok(existsSync(join(state, 'fairlead.db')));
});

test('reset asks a person at a terminal, and keeps the peer', async (t) => {
  const { state, run } = machine(t, 'yes\n');
  await written(state, 'kept');
  const { exit, stdout, stderr } = await run('reset');
  assert.deepEqual([exit, stdout], [0, `removed fairlead.db, author.key from ${state}\n`]);
  assert.equal(
    stderr,
    `Remove the database in ${state}? There is no way back without a backup. Type yes to go on: `,
  );
  assert.deepEqual(readdirSync(state).toSorted(), ['lock', 'peer.key']);
});

for (const typed of ['no\n', 'y\n', '\n', ''])
  test(`reset takes ${JSON.stringify(typed)} for no`, async (t) => {
    const { state, run } = machine(t, typed);
    await written(state, 'kept');
    assert.match((await run('reset')).stderr, /reset_unconfirmed/);
    assert.ok(existsSync(join(state, 'fairlead.db')));
  });

test('reset with --forget-peer removes the keys too, also where the database is gone already', async (t) => {
  const { state, run } = machine(t);
  await written(state, 'kept');
  await run('reset', '--yes');
  assert.match((await run('reset', '--yes')).stdout, /^there is no database in /);
  assert.equal((await run('reset', '--yes', '--forget-peer')).stdout, `removed peer.key from ${state}\n`);
  assert.deepEqual(readdirSync(state), ['lock']);
  assert.equal(statSync(state).mode & 0o777, 0o700);
});

test('a state directory that may not be written is named, and no copy of a key stays in it', async (t) => {
  const { state, folder, run } = machine(t);
  await written(state, 'kept');
  await run('backup', 'copy');
  // A folder stands where the author's key would: what the disk says has a code of ours.
  const other = join(folder, 'other');
  mkdirSync(join(other, 'author.key'), { recursive: true });
  const { exit, stderr } = await run('restore', 'copy', '--state-dir', other);
  assert.equal(exit, 1);
  assert.match(stderr, /state_directory_unwritable/);
  assert.deepEqual(readdirSync(other).toSorted(), ['author.key', 'lock']);
});

test('what stands in the way of a restore is named', async (t) => {
  const { state, folder, run } = machine(t);
  await written(state, 'kept');
  await run('backup', 'copy');
  const other = join(folder, 'other');
  mkdirSync(join(other, 'fairlead.db.restored', 'x'), { recursive: true });
  const { exit, stderr } = await run('restore', 'copy', '--state-dir', other);
  assert.equal(exit, 1);
  assert.match(stderr, /restore_place_taken/);
  assert.ok(stderr.includes(`${join(other, 'fairlead.db.restored')} is in the way`), stderr);
  assert.doesNotMatch(stderr, /has room/);
});

test('a backup with a key that is none is refused, and the host starts on as it was', async (t) => {
  const { state, folder, run } = machine(t);
  const first = await written(state, 'kept');
  await run('backup', 'copy');
  writeFileSync(join(folder, 'copy', 'peer.key'), '{}');
  const { exit, stderr } = await run('restore', 'copy', '--replace');
  assert.equal(exit, 1);
  assert.match(stderr, /backup_invalid/);
  assert.match(stderr, /see its peer\.key/);
  const after = await written(state, 'more', first.root);
  assert.deepEqual([after.texts, after.peerId, after.author], [['kept', 'more'], first.peerId, first.author]);
});
