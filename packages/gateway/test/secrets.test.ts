import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene } from '@fairlead/testing';
import { startGateway } from './fixture/gateway-fixture.ts';
import { ask, callTool, exchange } from './fixture/http-client.ts';
import { dial, register, runner, serveEcho } from './fixture/runner-peer.ts';

test('no token, argument, header, path or Runner message stands in an answer, a log line or the database', async (t) => {
  hygiene(t);
  const fixture = await startGateway(t);
  const { port, token, lines, stateDirectory, store } = fixture;
  const runnerToken = await fixture.mintRunner('here');
  const answers: string[] = [];
  const keep = async (answer: Promise<{ readonly text: string }>) => {
    answers.push((await answer).text);
  };
  const peer = await runner(t, port, runnerToken, 'here');
  serveEcho(peer);
  const described = await callTool(port, token, {
    tool: 'plugin_tool',
    params: { action: 'describe', runner: 'here', plugin: 'echo', tool: 'say' },
  });
  const { binding } = described.envelope.output as { binding: string };
  await keep(
    callTool(port, token, {
      tool: 'plugin_tool',
      params: { action: 'call', binding, arguments: { password: 'marker-argument' } },
    }),
  );
  await keep(callTool(port, 'marker-token-of-nobody', { tool: 'plugin_tool' }));
  await keep(callTool(port, runnerToken, { tool: 'plugin_tool' }));
  await keep(ask(port, { path: '/api/tools/call?key=marker-query', token, bytes: '{"marker-body":' }));
  await keep(ask(port, { path: '/marker-path', token, headers: { cookie: 'marker-cookie' } }));
  await keep(ask(port, { path: '/healthz', headers: { host: 'marker-host.example' } }));
  await keep(ask(port, { path: '/healthz', headers: { origin: 'http://marker-origin.example' } }));
  await keep(callTool(port, token, { tool: 'marker-tool', params: { x: 'marker-params' } }));
  await keep(callTool(port, token, { tool: 'plugin_tool', params: { action: 'marker-action' } }));
  await keep(ask(port, { path: '/api/admin/tokens', token, body: { name: 'x', scopes: ['marker-scope'] } }));
  await keep(ask(port, { path: '/api/admin/tokens', token }));
  answers.push(await exchange(port, `marker-nonsense ${token}\r\n\r\n`));
  await assert.rejects(dial(t, port, token, { 'x-marker': 'marker-header' }));
  const other = await dial(t, port, runnerToken);
  other.send({ ...register('here', 'marker-instance', 5), name: 'marker-name' });
  await other.closed;
  peer.send({ type: 'error', code: 'broken', message: 'marker-runner-message' });
  peer.send({ type: 'goodbye' });
  await peer.closed;

  const found = (text: string, allowed: readonly string[] = []) =>
    [...text.matchAll(/marker-[a-z-]+/g)]
      .map((match) => match[0])
      .filter((marker) => !allowed.includes(marker));
  assert.deepEqual(found(answers.join('\n'), []), []);
  assert.deepEqual(found(lines.join('\n')), []);
  const secrets = [token, runnerToken].map((secret) => secret.slice(-43));
  for (const secret of secrets) {
    assert.equal(
      answers.some((answer) => answer.includes(secret)),
      false,
    );
    assert.equal(
      lines.some((line) => line.includes(secret)),
      false,
    );
  }
  assert.equal(
    lines.some((line) => line.includes(binding)),
    false,
  );
  assert.ok(lines.length > 8);
  await fixture.gateway.close();
  await store.close();
  for (const name of readdirSync(stateDirectory)) {
    const bytes = readFileSync(join(stateDirectory, name)).toString('latin1');
    assert.deepEqual(found(bytes), [], name);
    for (const secret of secrets) assert.equal(bytes.includes(secret), false, name);
  }
});
