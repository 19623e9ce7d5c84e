import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { hygiene, manualClock, seededRandom, temporaryFolder } from '@fairlead/testing';
import { backup, openPeer, openStore, restore } from '../src/index.ts';
import { START_MS } from './peer-fixture.ts';

const NAMES = ['backup.json', 'peer.key', 'secret.key', 'fairlead.db'] as const;
const noFifo = process.platform === 'win32' ? 'there are no FIFOs on Windows' : false;

/** A backup, and a state directory that is in use; `look` is all that stands in the latter. */
async function backedUp(t: TestContext) {
  hygiene(t);
  const clock = manualClock({ startWallMs: START_MS });
  const stateDirectory = temporaryFolder(t);
  const from = join(temporaryFolder(t), 'backup');
  writeFileSync(join(stateDirectory, 'secret.key'), Buffer.alloc(32, 7), { mode: 0o600 });
  const store = await openStore({ path: join(stateDirectory, 'fairlead.db'), clock });
  const peer = await openPeer({ store, stateDirectory, clock, random: seededRandom(1) });
  await peer.create('session');
  await backup({ store, stateDirectory, to: from, clock });
  await peer.close();
  await store.close();
  const look = () =>
    readdirSync(stateDirectory)
      .toSorted()
      .map((name) => `${name} ${digestOf(join(stateDirectory, name))}`);
  const attempt = (into = stateDirectory) => restore({ from, stateDirectory: into, clock, replace: true });
  return { from, stateDirectory, clock, look, attempt };
}

/** Short, so that a difference is told at once. */
function digestOf(path: string): string {
  return statSync(path).isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'no file';
}

const peerKey = (change: (key: Record<string, unknown>) => void) => (path: string) => {
  const key = JSON.parse(readFileSync(path, 'utf8'));
  change(key);
  writeFileSync(path, JSON.stringify(key));
};

const damages: readonly [string, (typeof NAMES)[number], (path: string) => void][] = [
  ['holds nothing', 'peer.key', (path) => writeFileSync(path, '{}')],
  ['is no JSON', 'peer.key', (path) => writeFileSync(path, 'key')],
  ['is of another format', 'peer.key', peerKey((key) => Object.assign(key, { format: 'other' }))],
  ['has another id', 'peer.key', peerKey((key) => Object.assign(key, { id: 'A'.repeat(43) }))],
  ['has a short seed', 'peer.key', peerKey((key) => Object.assign(key, { seed: 'AAAA' }))],
  ['is longer than a key', 'peer.key', (path) => appendFileSync(path, ' '.repeat(4_096))],
  ['is a byte short', 'secret.key', (path) => truncateSync(path, 31)],
  ['is a byte long', 'secret.key', (path) => appendFileSync(path, 'x')],
  ['is no object', 'backup.json', (path) => writeFileSync(path, '[]')],
  ['is longer than a note', 'backup.json', (path) => appendFileSync(path, ' '.repeat(4_096))],
  ['was cut off', 'fairlead.db', (path) => truncateSync(path, 0)],
];

for (const [what, name, damage] of damages)
  test(`a backup whose ${name} ${what} is refused before anything is touched`, async (t) => {
    const { from, look, attempt } = await backedUp(t);
    const before = look();
    damage(join(from, name));
    await assert.rejects(attempt(), {
      code: 'backup_invalid',
      message: `The folder is no backup, or a damaged one: see its ${name}.`,
      detail: { file: name },
    });
    assert.deepEqual(look(), before);
  });

for (const name of NAMES) {
  test(`a folder or a link as a backup’s ${name} is refused, and nothing is left`, async (t) => {
    const { from, look, attempt } = await backedUp(t);
    const before = look();
    const path = join(from, name);
    const content = readFileSync(path);
    rmSync(path);
    mkdirSync(path);
    await assert.rejects(attempt(), { code: 'backup_invalid', detail: { file: name } });
    rmSync(path, { recursive: true });
    const elsewhere = join(temporaryFolder(t), name);
    writeFileSync(elsewhere, content);
    symlinkSync(elsewhere, path);
    await assert.rejects(attempt(), { code: 'backup_invalid', detail: { file: name } });
    assert.deepEqual(look(), before);
  });

  test(`a FIFO, a socket or a device as a backup’s ${name} is refused at once`, {
    skip: noFifo,
  }, async (t) => {
    const { from, look, attempt } = await backedUp(t);
    const before = look();
    const path = join(from, name);
    rmSync(path);
    execFileSync('mkfifo', [path]);
    await assert.rejects(attempt(), { code: 'backup_invalid', detail: { file: name } });
    rmSync(path);
    symlinkSync('/dev/zero', path);
    await assert.rejects(attempt(), { code: 'backup_invalid', detail: { file: name } });
    rmSync(path);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(path, resolve));
    await assert.rejects(attempt(), { code: 'backup_invalid', detail: { file: name } });
    await new Promise((resolve) => server.close(resolve));
    assert.deepEqual(look(), before);
  });
}

test('a FIFO beside a backup’s database is not opened, and nothing is made beside it', {
  skip: noFifo,
}, async (t) => {
  const { from, attempt } = await backedUp(t);
  for (const name of ['fairlead.db-wal', 'fairlead.db-journal']) execFileSync('mkfifo', [join(from, name)]);
  const before = readdirSync(from);
  await attempt();
  assert.deepEqual(readdirSync(from), before);
});

test('what an interrupted restore left is taken away by the next', async (t) => {
  const { stateDirectory, attempt } = await backedUp(t);
  for (const name of ['fairlead.db', 'peer.key', 'secret.key'])
    writeFileSync(join(stateDirectory, `${name}.restored`), 'half');
  const { putAside } = await attempt();
  assert.equal(putAside, join(stateDirectory, `before-restore-${START_MS}`));
  assert.deepEqual(readdirSync(stateDirectory).toSorted(), [
    `before-restore-${START_MS}`,
    'fairlead.db',
    'peer.key',
    'secret.key',
  ]);
  for (const name of ['fairlead.db', 'peer.key', 'secret.key'])
    assert.equal(statSync(join(stateDirectory, name)).mode & 0o777, 0o600);
});

for (const name of ['fairlead.db.restored', 'peer.key.restored', 'secret.key.restored'])
  test(`a folder or a link at ${name} is named, and stays with all the rest`, async (t) => {
    const { stateDirectory, look, attempt } = await backedUp(t);
    const path = join(stateDirectory, name);
    const refused = {
      code: 'restore_place_taken',
      message: `${path} is in the way: it is no file that an interrupted restore left. Nothing was changed.`,
      detail: { path },
    };
    mkdirSync(path);
    const before = look();
    await assert.rejects(attempt(), refused);
    assert.deepEqual(look(), before);
    rmSync(path, { recursive: true });
    symlinkSync(join(stateDirectory, 'peer.key'), path);
    await assert.rejects(attempt(), refused);
    assert.equal(existsSync(join(stateDirectory, 'peer.key')), true);
  });

test('a restore that fails in its middle leaves no copy of a key', async (t) => {
  const { stateDirectory, look, attempt } = await backedUp(t);
  // Something stands where the earlier database would be put aside.
  writeFileSync(join(stateDirectory, `before-restore-${START_MS}`), '');
  const before = look();
  await assert.rejects(attempt(), { code: 'EEXIST' });
  assert.deepEqual(look(), before);
});

test('a FIFO as a key of the state directory is not waited for', { skip: noFifo }, async (t) => {
  const { stateDirectory, clock, attempt } = await backedUp(t);
  for (const name of ['peer.key', 'secret.key']) {
    rmSync(join(stateDirectory, name));
    execFileSync('mkfifo', [join(stateDirectory, name)]);
  }
  {
    await using store = await openStore({ path: join(stateDirectory, 'fairlead.db'), clock });
    const invalid = { code: 'key_file_invalid' };
    await assert.rejects(openPeer({ store, stateDirectory, clock, random: seededRandom(2) }), invalid);
    const to = join(temporaryFolder(t), 'copy');
    await assert.rejects(backup({ store, stateDirectory, to, clock }), invalid);
    assert.equal(existsSync(to), false);
  }
  rmSync(join(stateDirectory, 'fairlead.db'));
  const { putAside } = await attempt();
  assert.deepEqual(readdirSync(putAside ?? '').toSorted(), ['author.key', 'peer.key', 'secret.key']);
  assert.deepEqual(readFileSync(join(stateDirectory, 'secret.key')), Buffer.alloc(32, 7));
});
