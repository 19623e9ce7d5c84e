// What other products did: a proxy took headers away, and every call ran again; sessions were opened and never closed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { hygiene } from '@fairlead/testing';
import { fakeExecutor, startGateway } from './fixture/gateway-fixture.ts';
import { ask } from './fixture/http-client.ts';
import { call, eras, post, rpc } from './fixture/mcp-client.ts';

test('a proxy that takes the protocol’s headers away does not make a call run twice', async (t) => {
  hygiene(t);
  for (const era of eras) {
    const { executor, asked } = fakeExecutor();
    const { port, token } = await startGateway(t, { executor });
    const { headers, body } = rpc(era, 'tools/call', { name: 'plugin_tool', arguments: { action: 'list' } });
    for (const missing of Object.keys(headers)) {
      const before = asked.length;
      const left = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== missing));
      const { status, message } = await post(port, token, { headers: left, body });
      // Either it is served, once, or it is refused before any tool: both are said in one answer.
      assert.equal(asked.length - before, message.result === undefined ? 0 : 1, `${era} without ${missing}`);
      assert.ok(message.result !== undefined || status >= 400, `${era} without ${missing}`);
    }
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
  await connect();
  const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  for (let time = 0; time < 200; time += 1) await connect();
  assert.equal(process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length, before);
});

test('what one client does is not there for the next one on the same connection', async (t) => {
  hygiene(t);
  const { port, mint } = await startGateway(t);
  const [may, mayNot] = [await mint(['plugin:inspect']), await mint(['project:read'])];
  const one = await call(port, may, '2025-11-25', 'plugin_tool', { action: 'list' });
  assert.equal(one['isError'], undefined);
  const other = await call(port, mayNot, '2025-11-25', 'plugin_tool', { action: 'list' });
  assert.equal(other['isError'], true);
  assert.match(JSON.stringify(other), /insufficient_scope/);
});
