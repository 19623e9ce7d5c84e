import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer, Server } from 'node:net';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@fairlead/base';
import { hygiene, manualClock, temporaryFolder, waitFor } from '@fairlead/testing';
import { localHandler } from '../src/local/local-handler.ts';
import { LocalSocket, type LocalSocketServices } from '../src/local/local-socket.ts';
import { readLocalStatus, readStderr } from '../src/local/read-stderr.ts';
import { findSocket, RunnerFolder } from '../src/local/runner-folder.ts';

function services(): LocalSocketServices {
  return { clock: systemClock(), log: (_level, event) => assert.fail(event) };
}

async function exchange(path: string, bytes: string | Uint8Array): Promise<string> {
  const socket = connect(path);
  socket.end(bytes);
  let answer = '';
  for await (const chunk of socket) answer += String(chunk);
  return answer;
}

test('one line in, one line out; what is no request is handed on as an empty one', async (t) => {
  hygiene(t);
  const path = join(temporaryFolder(t), 's');
  await using _local = await LocalSocket.listen(path, (request) => ({ echo: request }), services());
  assert.equal(await exchange(path, '{"op":"status"}\n{"op":"second"}\n'), '{"echo":{"op":"status"}}\n');
  for (const noise of ['[1]\n', 'x\n', '\n', `${'x'.repeat(2000)}`, '{"a":{"b":{"c":1}}}\n']) {
    assert.equal(await exchange(path, noise), '{"echo":{}}\n');
  }
});

test('a Runner does not know other requests, and says so', () => {
  const providers = { rows: () => [], stderrOf: () => null };
  const answer = localHandler('r1', providers, { connected: false });
  assert.deepEqual(answer({ op: 'reload' }), { code: 'unknown_request' });
  assert.deepEqual(answer({ op: 'stderr' }), { code: 'plugin_not_configured' });
  assert.deepEqual(answer({ op: 'status' }), { runner: 'r1', registered: false, providers: [] });
});

test('closing ends connections that are still open', async (t) => {
  hygiene(t);
  const path = join(temporaryFolder(t), 's');
  const local = await LocalSocket.listen(path, () => null, services());
  const socket = connect(path);
  await once(socket, 'connect');
  const closed = once(socket, 'close');
  socket.resume();
  await local.close();
  await closed;
});

test('a connection has 5 s in all, however often it says something', async (t) => {
  hygiene(t);
  const path = join(temporaryFolder(t), 's');
  const clock = manualClock();
  await using _local = await LocalSocket.listen(path, () => null, { ...services(), clock });
  const socket = connect(path);
  const closed = once(socket, 'close');
  await waitFor(() => clock.pendingTimers === 1, { what: 'the connection' });
  await clock.advance(4000);
  await new Promise((resolve) => socket.write('{', resolve));
  await clock.advance(999);
  assert.equal(socket.destroyed, false);
  await clock.advance(1);
  socket.resume();
  await closed;
  assert.equal(await exchange(path, '{}\n'), 'null\n');
  await waitFor(() => clock.pendingTimers === 0, { what: 'the end of the second connection' });
});

test('one who asks waits 5 s in all for the answer', async (t) => {
  hygiene(t);
  const stateDirectory = temporaryFolder(t);
  mkdirSync(join(stateDirectory, 'runners/r1'), { recursive: true });
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.resume();
    socket.write('{');
  });
  await once(server.listen(join(stateDirectory, 'runners/r1/runner.sock')), 'listening');
  t.after(() => new Promise((resolve) => server.close(resolve)));
  const clock = manualClock();
  const answer = readLocalStatus({ stateDirectory, runnerId: 'r1', clock });
  await waitFor(() => clock.pendingTimers === 1, { what: 'the question' });
  await clock.advance(5000);
  assert.deepEqual(await answer, { ok: false, code: 'runner_answer_invalid' });
});

test('connections that cannot be accepted are logged one by one, and end nothing', async (t) => {
  hygiene(t);
  const path = join(temporaryFolder(t), 's');
  const listening = t.mock.method(Server.prototype, 'listen');
  const logged: unknown[] = [];
  await using _local = await LocalSocket.listen(path, () => null, {
    ...services(),
    log: (...entry) => logged.push(entry),
  });
  const server = listening.mock.calls[0]?.this;
  assert.ok(server instanceof Server);
  server.emit('error', Object.assign(new Error('planted'), { code: 'EMFILE' }));
  server.emit('error', new Error('planted'));
  assert.deepEqual(logged, [
    ['warn', 'local.failed', { code: 'EMFILE' }],
    ['warn', 'local.failed', { code: 'unknown' }],
  ]);
  assert.equal(await exchange(path, '{}\n'), 'null\n');
});

test('a path that is taken is an error', async (t) => {
  hygiene(t);
  const path = join(temporaryFolder(t), 's');
  await using _local = await LocalSocket.listen(path, () => null, services());
  await assert.rejects(
    LocalSocket.listen(path, () => null, services()),
    { code: 'EADDRINUSE' },
  );
});

test('a state directory with a long path has its socket in a fresh 0700 folder, noted and removed', async (t) => {
  hygiene(t);
  const state = join(temporaryFolder(t), 'x'.repeat(100));
  const folder = await RunnerFolder.open(state, 'r1');
  const note = join(state, 'runners/r1/runner.sock.path');
  assert.equal(readFileSync(note, 'utf8'), folder.socketPath);
  assert.equal(statSync(note).mode & 0o777, 0o600);
  assert.ok(Buffer.byteLength(folder.socketPath) <= 100);
  assert.equal(statSync(dirname(folder.socketPath)).mode & 0o777, 0o700);
  assert.equal(await findSocket(state, 'r1'), folder.socketPath);
  const local = await LocalSocket.listen(
    folder.socketPath,
    () => ({ registered: true, providers: [] }),
    services(),
  );
  assert.deepEqual(await readLocalStatus({ stateDirectory: state, runnerId: 'r1' }), {
    ok: true,
    registered: true,
    providers: [],
  });
  await local.close();
  await folder.close();
  assert.equal(existsSync(dirname(folder.socketPath)), false);
  assert.deepEqual(readdirSync(join(state, 'runners/r1')), ['lock']);
});

test('what a killed holder left is removed by the next one', async (t) => {
  hygiene(t);
  const state = temporaryFolder(t);
  const path = join(state, 'runners/r1');
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'runner.sock'), '');
  const spare = join(temporaryFolder(t), 'fairlead-old');
  mkdirSync(spare);
  writeFileSync(join(path, 'runner.sock.path'), join(spare, 'runner.sock'));
  const folder = await RunnerFolder.open(state, 'r1');
  assert.equal(existsSync(spare), false);
  await using _local = await LocalSocket.listen(folder.socketPath, () => null, services());
  await folder[Symbol.asyncDispose]();
});

test('a note that this program cannot have written is neither followed nor cleaned up', async (t) => {
  hygiene(t);
  const state = temporaryFolder(t);
  const precious = temporaryFolder(t);
  mkdirSync(join(state, 'runners/r1'), { recursive: true });
  writeFileSync(join(state, 'runners/r1/runner.sock.path'), join(precious, 'runner.sock'));
  assert.equal(await findSocket(state, 'r1'), join(state, 'runners/r1/runner.sock'));
  const folder = await RunnerFolder.open(state, 'r1');
  assert.equal(existsSync(precious), true);
  await folder.close();
});

test('a folder that cannot be made, or an id that is a path, is runner_folder_unusable', async (t) => {
  hygiene(t);
  const state = temporaryFolder(t);
  writeFileSync(join(state, 'file'), '');
  await assert.rejects(RunnerFolder.open(join(state, 'file'), 'r1'), { code: 'runner_folder_unusable' });
  for (const id of ['../x', '', '.', 'a/b']) {
    await assert.rejects(RunnerFolder.open(state, id), { code: 'runner_folder_unusable' });
  }
});

async function answering(
  t: TestContext,
  answer: string | null,
): Promise<{ stateDirectory: string; runnerId: string }> {
  const stateDirectory = temporaryFolder(t);
  mkdirSync(join(stateDirectory, 'runners/r1'), { recursive: true });
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.resume();
    if (answer === null) socket.destroy();
    else socket.end(answer);
  });
  await once(server.listen(join(stateDirectory, 'runners/r1/runner.sock')), 'listening');
  t.after(() => new Promise((resolve) => server.close(resolve)));
  return { stateDirectory, runnerId: 'r1' };
}

const STRANGE = [
  '',
  'no JSON\n',
  '[]\n',
  '{}\n',
  '{"committed":3,"candidate":null,"registered":true,"providers":3}\n',
  '{"committed":[3],"candidate":null,"registered":true,"providers":[3]}\n',
  '{"committed":null,"candidate":[{"text":"\\u001b[1m","truncated":false}],"registered":1,"providers":[]}\n',
  '{"committed":null,"candidate":[{"text":"x"}],"registered":true,"providers":[{"id":"p","name":"P","status":"odd","error_code":null}]}\n',
  '{"committed":null,"registered":true,"providers":[{"id":"p","name":"P","status":"ready","error_code":3}]}\n',
  `${'x'.repeat(1024 * 1024 + 1)}\n`,
];

test('an answer that is none is runner_answer_invalid, never shown', async (t) => {
  hygiene(t);
  const invalid = { ok: false, code: 'runner_answer_invalid' };
  for (const answer of STRANGE) {
    const where = await answering(t, answer);
    assert.deepEqual(await readStderr({ ...where, plugin: 'p' }), invalid);
    assert.deepEqual(await readLocalStatus(where), invalid);
  }
});

test('a Runner that closes without an answer is runner_answer_invalid', async (t) => {
  hygiene(t);
  const where = await answering(t, null);
  const answer = await readStderr({ ...where, plugin: 'p' });
  assert.equal(answer.ok || answer.code, 'runner_answer_invalid');
});
