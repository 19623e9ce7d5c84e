import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { readTextFile } from '../src/index.ts';

test('a file of at most the bound is read whole', async (t) => {
  hygiene(t);
  const path = join(temporaryFolder(t), 'f');
  writeFileSync(path, 'hällo');
  assert.deepEqual(await readTextFile(path, 6), { ok: true, text: 'hällo' });
  assert.deepEqual(await readTextFile(path, 5), { ok: false, fault: 'too_large' });
});

test('what is no ordinary file of UTF-8 is refused by its kind', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const path = join(folder, 'f');
  writeFileSync(path, Uint8Array.of(0x61, 0xff));
  assert.deepEqual(await readTextFile(path, 10), { ok: false, fault: 'not_utf8' });
  assert.deepEqual(await readTextFile(folder, 10), { ok: false, fault: 'not_ordinary' });
  assert.deepEqual(await readTextFile(join(folder, 'gone'), 10), {
    ok: false,
    fault: 'absent',
    systemCode: 'ENOENT',
  });
  assert.deepEqual(await readTextFile(join(path, 'below'), 10), {
    ok: false,
    fault: 'unreadable',
    systemCode: 'ENOTDIR',
  });
  assert.deepEqual(await readTextFile('\0', 10), {
    ok: false,
    fault: 'unreadable',
    systemCode: 'ERR_INVALID_ARG_VALUE',
  });
});

test('a FIFO to which nobody writes is refused at once', {
  skip: process.platform === 'win32',
}, async (t) => {
  hygiene(t);
  const path = join(temporaryFolder(t), 'fifo');
  execFileSync('mkfifo', [path]);
  assert.deepEqual(await readTextFile(path, 10), { ok: false, fault: 'not_ordinary' });
});

test('a file whose size is not known before is bounded as well, and one may open that cannot be read', {
  skip: process.platform !== 'linux',
}, async (t) => {
  hygiene(t);
  assert.deepEqual(await readTextFile('/proc/self/status', 20), { ok: false, fault: 'too_large' });
  assert.deepEqual(await readTextFile('/proc/self/mem', 20), {
    ok: false,
    fault: 'unreadable',
    systemCode: 'EIO',
  });
});
