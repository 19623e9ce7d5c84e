import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { lockFolder } from '@fairlead/store';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import {
  readServerFile,
  removeServerFile,
  type ServerFile,
  writeServerFile,
} from '../src/state/server-file.ts';
import { hostAt } from './host-in-file.ts';

const server: ServerFile = hostAt('http://127.0.0.1:7420', { command: 'up', runner: 'local' });

test('what was written is read again, mode 0600, until it is removed', async (t) => {
  const folder = temporaryFolder(t);
  await using _lock = await lockFolder(folder);
  await writeServerFile(folder, server);
  assert.equal(statSync(join(folder, 'server.json')).mode & 0o777, 0o600);
  assert.deepEqual(JSON.parse(readFileSync(join(folder, 'server.json'), 'utf8')), server);
  assert.deepEqual(await readServerFile(folder), server);
  await removeServerFile(folder);
  assert.equal(existsSync(join(folder, 'server.json')), false);
  assert.equal(await readServerFile(folder), null);
  await removeServerFile(folder);
});

test('a file in a directory that nobody holds names nobody, whoever has its process number now', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  for (const pid of [1, process.pid]) {
    await writeServerFile(folder, { ...server, pid });
    assert.equal(await readServerFile(folder), null);
  }
});

test('a holder that was killed holds no more', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const script = `const { lockFolder } = await import('@fairlead/store'); await lockFolder(process.argv[1]); console.log('held'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, folder], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  await writeServerFile(folder, { ...server, pid: child.pid ?? 0 });
  assert.equal((await readServerFile(folder))?.pid, child.pid);
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.equal(await readServerFile(folder), null);
});

test('a folder in the place of the file is named, and stays', async (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'server.json'));
  await assert.rejects(removeServerFile(folder), { code: 'state_directory_unwritable' });
  assert.equal(existsSync(join(folder, 'server.json')), true);
});

test('a file that this version does not understand names nobody', async (t) => {
  const folder = temporaryFolder(t);
  await using _lock = await lockFolder(folder);
  const { url: _url, ...withoutUrl } = server;
  for (const text of [
    '',
    '{',
    '[]',
    'null',
    JSON.stringify(withoutUrl),
    JSON.stringify({ ...server, url: 'nowhere' }),
    JSON.stringify({ ...server, pid: '1' }),
    JSON.stringify({ ...server, pid: -1 }),
    JSON.stringify({ ...server, runner: 7 }),
    JSON.stringify({ ...server, startedWith: null }),
    JSON.stringify({ ...server, version: 'x'.repeat(70_000) }),
  ]) {
    writeFileSync(join(folder, 'server.json'), text);
    assert.equal(await readServerFile(folder), null, text.slice(0, 80));
  }
});
