import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { hygiene } from '@fairlead/testing';
import { McpStdioPath } from './mcp-stdio-path.ts';
import { post } from './post.ts';

async function serverThat(t: TestContext, does: (request: IncomingMessage) => void): Promise<number> {
  const server = createServer(does).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

test('an answer that does not come while the connection stands is late, not lost', async (t) => {
  hygiene(t);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const port = await serverThat(t, () => t.mock.timers.tick(20_000));
  assert.deepEqual(await post(port, '/', {}, {}), { kind: 'late', reason: 'no answer in 20000 ms' });
});

test('an answer whose connection breaks is lost', async (t) => {
  hygiene(t);
  const port = await serverThat(t, (request) => request.socket.destroy());
  assert.equal((await post(port, '/', {}, {})).kind, 'lost');
});

/** Answers `initialize`, and ends at the first call. */
const ENDS_AT_A_CALL = `
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (method === 'tools/call') process.exit(0);
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: {} }));
  });`;

test('a call whose fairlead mcp has ended is lost at once, the next one too', async (t) => {
  hygiene(t);
  await using path = await McpStdioPath.start([process.execPath, '-e', ENDS_AT_A_CALL], process.env);
  const call = { agent: '', tool: 'work', binding: '', arguments: {}, isAttacked: false } as const;
  for (const attempt of [1, 2]) assert.equal((await path.call(call)).kind, 'lost', `call ${attempt}`);
});
