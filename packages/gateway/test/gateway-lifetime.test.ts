import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { test } from 'node:test';
import { hygiene, manualClock } from '@fairlead/testing';
import { pendingExecutor, startGateway } from './fixture/gateway-fixture.ts';
import { ask, callTool, exchange } from './fixture/http-client.ts';
import { dial, runner } from './fixture/runner-peer.ts';

const LIST = { tool: 'plugin_tool', params: { action: 'list' } };
const RELOAD = { tool: 'plugin_tool', params: { action: 'reload', runner: 'local' } };

test('health says name and version and nothing else, without a token', async (t) => {
  hygiene(t);
  const { port, url } = await startGateway(t);
  assert.equal(url, `http://127.0.0.1:${port}`);
  const answer = await ask(port, { path: '/healthz' });
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.envelope, {
    success: true,
    output: { name: 'fairlead', version: '9.9.9' },
    error: null,
    dispatch_certainty: 'completed',
  });
});

test('a port that is taken is refused with its own code and never replaced', async (t) => {
  hygiene(t);
  const other = createServer();
  t.after(() => new Promise((resolve) => other.close(resolve)));
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  await assert.rejects(startGateway(t, { config: { port } }), {
    code: 'port_in_use',
    message: `port ${port} on 127.0.0.1 is taken by another program`,
  });
});

test('an address that is not this machine’s is refused with its own code', async (t) => {
  hygiene(t);
  await assert.rejects(startGateway(t, { config: { bind: '192.0.2.1' } }), { code: 'bind_failed' });
});

test('bound to every address, the one that was reached is a Host that is taken', async (t) => {
  hygiene(t);
  const { port, url } = await startGateway(t, { config: { bind: '0.0.0.0', allowRemote: true } });
  assert.equal(url, `http://127.0.0.1:${port}`);
  assert.equal((await ask(port, { path: '/healthz' })).status, 200);
  const other = await ask(port, { path: '/healthz', headers: { host: '192.0.2.7' } });
  assert.equal(other.status, 403);
});

test('closing waits for a call that ends in time, and its answer arrives', async (t) => {
  hygiene(t);
  const { executor, started, finish } = pendingExecutor();
  const { port, token, gateway } = await startGateway(t, { executor });
  const waiting = callTool(port, token, LIST);
  await started;
  const closing = gateway.close();
  finish({ certainty: 'completed', output: { done: true } });
  const answer = await waiting;
  assert.equal(answer.status, 200);
  assert.deepEqual(answer.envelope.output, { done: true });
  await closing;
  await assert.rejects(ask(port, { path: '/healthz' }), { code: 'ECONNREFUSED' });
});

test('closing answers what does not end within 3 s as outcome_unknown', async (t) => {
  hygiene(t);
  const clock = manualClock();
  const { executor, started } = pendingExecutor();
  const { port, token, gateway } = await startGateway(t, { executor, clock });
  const waiting = callTool(port, token, RELOAD);
  await started;
  const closing = gateway.close();
  await clock.advance(3_000);
  const answer = await waiting;
  assert.equal(answer.status, 400);
  assert.equal(answer.envelope.error?.code, 'gateway_stopping');
  assert.equal(answer.envelope.dispatch_certainty, 'outcome_unknown');
  await closing;
  assert.equal(clock.pendingTimers, 0);
});

test('a request on an open socket is refused while the gateway closes', async (t) => {
  hygiene(t);
  const { executor, started, finish } = pendingExecutor();
  const { port, token, gateway } = await startGateway(t, { executor });
  const body = JSON.stringify(LIST);
  const call = `POST /api/tools/call HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const socket = connect(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.write(call);
  await started;
  const closing = gateway.close();
  socket.write(call);
  finish({ certainty: 'completed', output: {} });
  await once(socket, 'close');
  await closing;
  const text = Buffer.concat(chunks).toString('utf8');
  assert.match(text, /^HTTP\/1\.1 200 /);
  const second = text.slice(text.lastIndexOf('HTTP/1.1 '));
  if (second !== text) assert.match(second, /^HTTP\/1\.1 400 [\s\S]*gateway_stopping/);
});

test('closing says goodbye to Runners and closes their sockets', async (t) => {
  hygiene(t);
  const { port, gateway, mintRunner, hub } = await startGateway(t);
  const peer = await runner(t, port, await mintRunner('here'), 'here');
  const silent = await dial(t, port, await mintRunner('there'));
  await gateway.close();
  assert.deepEqual(await peer.next(), { type: 'goodbye' });
  assert.equal((await peer.closed).status, 1001);
  assert.equal((await silent.closed).status, 1001);
  assert.deepEqual(hub.runners(), []);
  await gateway.close();
});

test('a socket that says nothing does not hold the gateway open', async (t) => {
  hygiene(t);
  const { port, gateway } = await startGateway(t);
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const closed = once(socket, 'close');
  await gateway.close();
  await closed;
});

test('stop answers first and then asks for the end', async (t) => {
  hygiene(t);
  const { port, token, stops } = await startGateway(t);
  const answer = await exchange(
    port,
    `POST /api/admin/stop HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Length: 0\r\n\r\n`,
  );
  assert.match(answer, /^HTTP\/1\.1 200 [\s\S]*"stopping":true/);
  assert.equal(stops(), 1);
});
