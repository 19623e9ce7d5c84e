import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, repositoryRoot, requires, spawnAsNobody, temporaryFolder, waitFor } from '../src/index.ts';
import { fakeContext } from './fake-context.ts';

test('the repository root holds the workspaces', () => {
  assert.equal(existsSync(join(repositoryRoot, 'packages', 'testing', 'package.json')), true);
});

test('a temporary folder is private, and gone with its content when the test ends', async (t) => {
  hygiene(t);
  const inner = fakeContext();
  const folder = temporaryFolder(inner);
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  writeFileSync(join(folder, 'file'), 'x');
  await inner.end();
  assert.equal(existsSync(folder), false);
  assert.equal(statSync(temporaryFolder(t, { mode: 0o755 })).mode & 0o777, 0o755);
});

test('permissions hold for what is spawned as nobody', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t, { mode: 0o755 });
  const child = spawnAsNobody('sh', ['-c', 'id -u; touch "$0/file" 2>/dev/null; echo $?', folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout?.on('data', (chunk) => {
    printed += chunk;
  });
  await once(child, 'close');
  if (process.getuid?.() === 0) assert.equal(printed, '65534\n1\n');
  else assert.equal(printed.split('\n')[0], String(process.getuid?.()));
});

test('a program that is there is no reason to skip; one that is not is named', () => {
  const saved = { path: process.env['PATH'], all: process.env['FAIRLEAD_TEST_REQUIRE_ALL'] };
  try {
    assert.equal(requires('git'), false);
    process.env['PATH'] = '/nonexistent';
    delete process.env['FAIRLEAD_TEST_REQUIRE_ALL'];
    assert.equal(requires('git'), 'needs git, which is not installed here');
    process.env['FAIRLEAD_TEST_REQUIRE_ALL'] = '1';
    assert.throws(() => requires('git'), { message: 'needs git, which is not installed here' });
  } finally {
    process.env['PATH'] = saved.path;
    if (saved.all === undefined) delete process.env['FAIRLEAD_TEST_REQUIRE_ALL'];
    else process.env['FAIRLEAD_TEST_REQUIRE_ALL'] = saved.all;
  }
});

test('a condition is awaited, its value returned, and what never came is named', async () => {
  let looks = 0;
  const value = await waitFor(
    () => {
      looks += 1;
      return looks === 3 ? 'third' : null;
    },
    { what: 'the third look', intervalMs: 1 },
  );
  assert.equal(value, 'third');
  await assert.rejects(
    waitFor(() => false, { what: 'a miracle', timeoutMs: 5, intervalMs: 1 }),
    {
      message: 'waited 5 ms in vain: a miracle',
    },
  );
  await assert.rejects(
    waitFor(() => Promise.reject(new Error('broken')), { what: 'nothing' }),
    { message: 'broken' },
  );
});
