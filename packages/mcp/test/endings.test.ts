import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, manualClock, pidIsAlive, temporaryFolder, waitFor } from '@fairlead/testing';
import { serveV1 } from './http-servers.ts';
import { mcpFloor, tool } from './mcp-floor.ts';

test('when a server is stopped its input closes first, so that it can end by itself', async (t) => {
  const { scripted } = await mcpFloor(t);
  const s = await scripted({ tools: [tool('echo')] });
  await s.server.settled;
  await s.server.close();
  assert.equal(existsSync(`${s.file}.ended`), true);
});

test('a host that is killed leaves no server running, and nothing that the server started', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const script = join(folder, 'script.json');
  writeFileSync(script, JSON.stringify({ start: { ignoreEnd: true }, tools: [tool('child')] }));
  const host = spawn(
    process.execPath,
    [join(import.meta.dirname, 'fixtures/host-to-kill.ts'), folder, script],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const child = await new Promise<number>((resolve) => {
    host.stdout.once('data', (chunk: Buffer) => resolve(Number(chunk.toString())));
  });
  const server = Number(readFileSync(`${script}.starts`, 'utf8').trim());
  assert.deepEqual([pidIsAlive(server), pidIsAlive(child)], [true, true]);
  host.kill('SIGKILL');
  await waitFor(() => !pidIsAlive(server) && !pidIsAlive(child), {
    what: 'the watchdog has ended them',
  });
});

test('a session over HTTP is given back when its server is stopped, and none is opened to look after it', async (t) => {
  const clock = manualClock();
  const { http } = await mcpFloor(t, { clock });
  const { url, sessions, requests } = await serveV1(t);
  const s = await http(url);
  await s.server.settled;
  await s.call('add', { a: 1, b: 1 });
  await s.call('add', { a: 1, b: 2 });
  const [session] = sessions.keys();
  // The stream that a client of this revision listens on is opened beside the first requests.
  await waitFor(() => requests.includes('GET'), { what: 'the stream is open' });
  const before = requests.length;
  // Longer than any pause between two looks, in steps that each leave a request the time to arrive.
  for (let hour = 0; hour < 24; hour += 1) {
    await clock.advance(3_600_000);
    await s.call('add', { a: hour, b: 1 });
  }
  assert.deepEqual([...sessions.keys()], [session]);
  assert.equal(requests.length - before, 24);
  await s.server.close();
  await waitFor(() => sessions.size === 0, { what: 'the session to be given back' });
});
