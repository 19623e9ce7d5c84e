import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import {
  readServerFile,
  removeServerFile,
  type ServerFile,
  writeServerFile,
} from '../src/state/server-file.ts';

const server: ServerFile = {
  url: 'http://127.0.0.1:7420',
  pid: process.pid,
  startedAtMs: 1,
  version: '0.1.0',
  runner: 'local',
  startedWith: {
    command: 'up',
    bind: null,
    port: 0,
    allowRemote: false,
    config: null,
    runnerConfig: null,
  },
};

test('what was written is read again, mode 0600, until it is removed', async (t) => {
  const folder = temporaryFolder(t);
  await writeServerFile(folder, server);
  assert.equal(statSync(join(folder, 'server.json')).mode & 0o777, 0o600);
  assert.deepEqual(JSON.parse(readFileSync(join(folder, 'server.json'), 'utf8')), server);
  assert.deepEqual(await readServerFile(folder), server);
  await removeServerFile(folder);
  assert.equal(existsSync(join(folder, 'server.json')), false);
  assert.equal(await readServerFile(folder), null);
  await removeServerFile(folder);
});

test('a file whose process is gone names nobody: whoever listens there now gets no token', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const child = spawn('true', { stdio: 'ignore' });
  await once(child, 'exit');
  await writeServerFile(folder, { ...server, pid: child.pid ?? 0 });
  assert.equal(await readServerFile(folder), null);
});

test('a process of another user lives', async (t) => {
  const folder = temporaryFolder(t);
  await writeServerFile(folder, { ...server, pid: 1 });
  assert.equal((await readServerFile(folder))?.pid, 1);
});

test('a file that this version does not understand names nobody', async (t) => {
  const folder = temporaryFolder(t);
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
