import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { test } from 'node:test';
import { hygiene } from '@fairlead/testing';
import { startGateway } from './fixture/gateway-fixture.ts';
import { post, rpc } from './fixture/mcp-client.ts';

test('an endpoint that could not be loaded for lack of files is loaded by the next request, and nothing had started', async (t) => {
  hygiene(t);
  let refused = 0;
  const hooks = registerHooks({
    load(url, context, next) {
      if (refused > 0 || !url.endsWith('/mcp-endpoint.ts')) return next(url, context);
      refused += 1;
      throw new Error('EMFILE: too many open files');
    },
  });
  t.after(() => hooks.deregister());
  const { port, token } = await startGateway(t);
  const ask = async () => {
    const { body, headers } = rpc('2025-11-25', 'tools/list');
    return await post(port, token, { body, headers });
  };
  const first = await ask();
  assert.equal(refused, 1);
  assert.equal(first.status, 400);
  const { code, dispatchState } = (first.message.error as { data: Record<string, unknown> }).data;
  assert.deepEqual([code, dispatchState], ['internal_error', 'not_started']);
  const second = await ask();
  assert.equal(second.status, 200);
  assert.ok(Array.isArray(second.message.result?.['tools']));
});
