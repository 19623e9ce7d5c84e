import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext as NodeTest, test } from 'node:test';
import { hygiene, manualClock, temporaryFolder, waitFor } from '@fairlead/testing';
import { answerForHeldDirectory } from '../src/owner/held-directory.ts';
import { findHost } from '../src/owner/host-in-charge.ts';
import { type StartedWith, writeServerFile } from '../src/state/server-file.ts';
import { holdFolder } from './held-folder.ts';
import { apiServer, deadUrl, failure, httpAnswer, rawServer, success } from './loopback-server.ts';
import { testContext } from './test-context.ts';

const startedWith: StartedWith = {
  command: 'up',
  bind: null,
  port: 0,
  allowRemote: false,
  config: null,
  runnerConfig: null,
};

async function directory(t: NodeTest): Promise<{ folder: string; stateDirectory: string }> {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  mkdirSync(stateDirectory);
  await holdFolder(t, stateDirectory);
  return { folder, stateDirectory };
}

function note(stateDirectory: string, url: string, more: Partial<StartedWith> = {}): Promise<void> {
  return writeServerFile(stateDirectory, {
    url,
    pid: process.pid,
    startedAtMs: 1,
    version: '0.1.0',
    runner: 'local',
    startedWith: { ...startedWith, ...more },
  });
}

test('the same up again prints the address and is done', async (t) => {
  const { folder, stateDirectory } = await directory(t);
  const server = await apiServer(t, []);
  await note(stateDirectory, server.url);
  const context = testContext(folder);
  const exit = await answerForHeldDirectory(context, { stateDirectory, startedWith, json: false });
  assert.equal(exit, 0);
  assert.deepEqual(context.printed, {
    stdout: `Fairlead is already running at ${server.url} (process ${process.pid})\n  operator token  ${stateDirectory}/operator.token\n`,
    stderr: '',
  });
});

test('with --json it is one line with the keys of the ready line and already', async (t) => {
  const { folder, stateDirectory } = await directory(t);
  const server = await apiServer(t, []);
  await note(stateDirectory, server.url);
  const context = testContext(folder);
  await answerForHeldDirectory(context, { stateDirectory, startedWith, json: true });
  const { pid } = process;
  assert.equal(
    context.printed.stdout,
    `{"ready":true,"url":"${server.url}","tokenFile":"${stateDirectory}/operator.token","runner":"local","pid":${pid},"already":true}\n`,
  );
});

test('other flags are refused with the address and what differs', async (t) => {
  const { folder, stateDirectory } = await directory(t);
  const server = await apiServer(t, []);
  await note(stateDirectory, server.url);
  for (const [more, line] of [
    [{ port: 7420 }, 'up --port 7420'],
    [{ bind: '::1' }, 'up --bind ::1 --port 0'],
    [{ allowRemote: true }, 'up --port 0 --allow-remote'],
    [{ config: '/f.toml' }, 'up --port 0 --config /f.toml'],
    [{ runnerConfig: '/r.toml' }, 'up --port 0 --runner-config /r.toml'],
    [{ command: 'serve' }, 'serve --port 0'],
  ] as const) {
    const asked = { stateDirectory, startedWith: { ...startedWith, ...more }, json: false };
    await assert.rejects(answerForHeldDirectory(testContext(folder), asked), {
      code: 'state_directory_in_use',
      message: `Another process owns ${stateDirectory}, and was not started as this one.`,
      detail: { address: server.url, started_as: 'up --port 0', this_one: line },
    });
  }
});

test('serve is refused on a directory that a serve owns, whatever its flags', async (t) => {
  const { folder, stateDirectory } = await directory(t);
  const server = await apiServer(t, []);
  await note(stateDirectory, server.url, { command: 'serve' });
  const asked = { stateDirectory, startedWith: { ...startedWith, command: 'serve' as const }, json: false };
  await assert.rejects(answerForHeldDirectory(testContext(folder), asked), {
    code: 'state_directory_in_use',
  });
});

test('an owner that is still starting is waited for, and that is said after a second', async (t) => {
  const { folder, stateDirectory } = await directory(t);
  const server = await apiServer(t, []);
  const clock = manualClock();
  const context = testContext(folder, { clock });
  const answer = answerForHeldDirectory(context, { stateDirectory, startedWith, json: false });
  await clock.advance(999);
  assert.equal(context.printed.stderr, '');
  await clock.advance(1);
  assert.equal(
    context.printed.stderr,
    'fairlead: another process owns this state directory; waiting for its address …\n',
  );
  await note(stateDirectory, server.url);
  // Looks every 100 ms; each look is real file and network work, which the clock does not move.
  let isDone = false;
  void answer.then(() => {
    isDone = true;
  });
  await waitFor(() => clock.advance(100).then(() => isDone), { what: 'the answer', intervalMs: 0 });
  assert.equal(await answer, 0);
});

test('an owner that does not become ready within 12 s is an error', async (t) => {
  const { folder, stateDirectory } = await directory(t);
  const clock = manualClock();
  const context = testContext(folder, { clock });
  let ended: unknown = null;
  void answerForHeldDirectory(context, { stateDirectory, startedWith, json: false }).catch((error) => {
    ended = error;
  });
  // Each look is real work of files and sockets, which the clock does not move; the bound only catches hanging.
  await waitFor(() => clock.advance(100).then(() => ended !== null), {
    what: 'the end of the wait',
    intervalMs: 0,
    timeoutMs: 60_000,
  });
  assert.equal((ended as Error).message, `Another process owns ${stateDirectory} and does not answer.`);
  assert.equal(clock.monotonicMs() >= 12_000, true);
});

test('a host that a busy machine lets answer only after seconds is a host all the same', async (t) => {
  const { folder, stateDirectory } = await directory(t);
  const clock = manualClock();
  const asked = Promise.withResolvers<() => void>();
  const health = httpAnswer(200, JSON.stringify(success({ name: 'fairlead', version: '0.1.0' })));
  const server = await rawServer(t, (socket) => asked.resolve(() => void socket.end(health)));
  await note(stateDirectory, server.url);
  const found = findHost(testContext(folder, { clock }), stateDirectory);
  const answer = await asked.promise;
  await clock.advance(9_000);
  answer();
  assert.equal((await found)?.url, server.url);
});

test('only a Fairlead that answers /healthz is a host', async (t) => {
  const { folder, stateDirectory } = await directory(t);
  const context = testContext(folder);
  assert.equal(await findHost(context, stateDirectory), null);
  const answers = {
    dead: await deadUrl(),
    other: (await rawServer(t, (socket) => socket.end(httpAnswer(200, 'hello')))).url,
    alike: (await rawServer(t, (socket) => socket.end(httpAnswer(200, '{"name":"fairlead"}')))).url,
    another: (
      await rawServer(t, (socket) => socket.end(httpAnswer(200, JSON.stringify(success({ name: 'else' })))))
    ).url,
    stopping: (
      await rawServer(t, (socket) =>
        socket.end(httpAnswer(400, JSON.stringify(failure('gateway_stopping', 'not_started')))),
      )
    ).url,
  };
  for (const [what, url] of Object.entries(answers)) {
    await note(stateDirectory, url);
    assert.equal(await findHost(context, stateDirectory), null, what);
  }
  const server = await apiServer(t, []);
  await note(stateDirectory, server.url);
  assert.equal((await findHost(context, stateDirectory))?.url, server.url);
});
