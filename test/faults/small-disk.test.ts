import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { SmallDisk } from './small-disk.ts';

/** An empty folder that a disk may be mounted over; null where that is not permitted, and the test is skipped. */
function place(t: TestContext): string | null {
  hygiene(t);
  const folder = join(temporaryFolder(t), 'disk');
  mkdirSync(folder);
  const mounted = SmallDisk.mount(folder);
  if ('reason' in mounted) {
    assert.notEqual(process.env['FAIRLEAD_TEST_REQUIRE_ALL'], '1', mounted.reason);
    t.skip(mounted.reason);
    return null;
  }
  mounted.disk[Symbol.dispose]();
  return folder;
}

function isMounted(folder: string): boolean {
  return readFileSync('/proc/self/mounts', 'utf8').includes(` ${folder} `);
}

test('a disk that was filled has so much room as was to be left, and says so', (t) => {
  const folder = place(t);
  if (folder === null) return;
  const mounted = SmallDisk.mount(folder);
  assert.ok('disk' in mounted);
  using disk = mounted.disk;
  const database = join(folder, 'a.db');
  const free = () => {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  };
  assert.equal(disk.fill(database, 16_384), true);
  assert.equal(free(), 16_384);
  disk.free();
  assert.ok(free() > 1_000_000);
  assert.equal(isMounted(folder), true);
});

test('a process that ends at once leaves no disk mounted', (t) => {
  const folder = place(t);
  if (folder === null) return;
  const module = join(import.meta.dirname, 'small-disk.ts');
  const script = `
    const { SmallDisk } = await import(${JSON.stringify(module)});
    if (!('disk' in SmallDisk.mount(${JSON.stringify(folder)}))) process.exit(2);
    process.exit(130);`;
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
  assert.equal(status, 130);
  assert.equal(isMounted(folder), false);
});
