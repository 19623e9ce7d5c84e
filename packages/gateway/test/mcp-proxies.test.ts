// What other products did: a proxy took headers away, and every call ran again; sessions were opened and never closed.
import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { heldBytes, hygiene } from '@fairlead/testing';
import { startGateway } from './fixture/gateway-fixture.ts';
import { ask } from './fixture/http-client.ts';
import { call, eras, post, rpc } from './fixture/mcp-client.ts';
import { runner, serveEcho } from './fixture/runner-peer.ts';

test('a proxy that takes the protocol’s headers away does not make a call run twice', async (t) => {
  hygiene(t);
  const { port, token, mintRunner } = await startGateway(t);
  const { calls } = serveEcho(await runner(t, port, await mintRunner('here'), 'here'));
  for (const era of eras) {
    const described = await call(port, token, era, 'plugin_tool', {
      action: 'describe',
      runner: 'here',
      plugin: 'echo',
      tool: 'say',
    });
    const { binding } = described['structuredContent'] as { binding: string };
    const params = {
      name: 'plugin_tool',
      arguments: { action: 'call', binding, arguments: { text: 'order one' } },
    };
    const { headers, body } = rpc(era, 'tools/call', params);
    let served = 0;
    for (const missing of [null, ...Object.keys(headers)]) {
      const before = calls.length;
      const left = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== missing));
      const { status, message } = await post(port, token, { headers: left, body });
      // Either the plugin has run it, once, or it was refused before any tool: both are said in one answer.
      const isServed = message.result !== undefined && message.result['isError'] !== true;
      assert.equal(calls.length - before, isServed ? 1 : 0, `${era} without ${missing}`);
      assert.ok(isServed || status >= 400, `${era} without ${missing}`);
      if (isServed) served += 1;
    }
    assert.ok(served > 0, era);
  }
});

test('a client that connects again and again gets no session, and leaves none', async (t) => {
  hygiene(t);
  const { port, token } = await startGateway(t);
  const params: JsonObject = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'again', version: '1' },
  };
  const { headers, body } = rpc('2025-11-25', 'initialize', params);
  const connect = async () => {
    const answer = await ask(port, {
      path: '/mcp',
      method: 'POST',
      token,
      headers,
      body: body as JsonObject,
    });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers['mcp-session-id'], undefined);
  };
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  // What is made once, and what the first requests compile.
  for (let time = 0; time < 200; time += 1) await connect();
  const [timersBefore, heldBefore] = [timers(), await heldBytes()];
  for (let time = 0; time < 1000; time += 1) await connect();
  const held = (await heldBytes()) - heldBefore;
  assert.ok(held < 1024 * 1024, `1,000 connections hold ${held} bytes`);
  assert.equal(timers(), timersBefore);
});

test('what one client does is not there for the next one on the same connection', async (t) => {
  hygiene(t);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const { port, mint } = await startGateway(t);
  const [may, mayNot] = [await mint(['plugin:inspect']), await mint(['project:read'])];
  const ports: number[] = [];
  const over = async (token: string | undefined, method: string, params: JsonObject = {}) => {
    const answer = await post(port, token, { ...rpc('2025-11-25', method, params), agent });
    ports.push(answer.localPort);
    return answer;
  };
  const list = { name: 'plugin_tool', arguments: { action: 'list' } };
  const info = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'one', version: '1' } };
  assert.equal((await over(may, 'initialize', info)).status, 200);
  assert.equal((await over(may, 'tools/call', list)).message.result?.['isError'], undefined);

  const other = (await over(mayNot, 'tools/call', list)).message.result ?? {};
  assert.equal(other['isError'], true);
  assert.match(JSON.stringify(other), /insufficient_scope/);
  assert.equal((await over(undefined, 'tools/call', list)).status, 401);

  assert.equal((await over(may, 'tools/call', list)).message.result?.['isError'], undefined);
  assert.equal(new Set(ports).size, 1, `one connection, not ${ports}`);
});
