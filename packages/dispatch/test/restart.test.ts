import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Bindings, createExecutor, type Executor } from '../src/index.ts';
import { type DispatchFloor, dispatchFloor, EVERYTHING, gist } from './dispatch-floor.ts';
import { fakeRunner } from './fake-runners.ts';

/** The executor of a gateway that was started again over the same database. */
async function restarted(floor: DispatchFloor): Promise<Executor> {
  const { store, clock, ports } = floor;
  const bindings = await Bindings.open({ store, clock, random: ports.random });
  return createExecutor({ ...ports, bindings });
}

async function call(executor: Executor, binding: string): Promise<readonly [string, string | undefined]> {
  const params = { action: 'call', binding, arguments: { text: 'hello' } };
  return gist(await executor.invoke({ tool: 'plugin_tool', params, principal: EVERYTHING }));
}

test('a binding serves after a restart of the gateway while the Runner’s process lives, and reaches what was described', async (t) => {
  const floor = await dispatchFloor(t);
  const binding = await floor.bind();
  const executor = await restarted(floor);
  assert.deepEqual(await call(executor, binding), ['completed', undefined]);
  const [{ runner, instanceId, request, options } = assert.fail()] = floor.runners.sent.slice(-1);
  assert.deepEqual([runner, instanceId, options.budgetMs], ['local', 'local-1', 35_000]);
  assert.ok(request.kind === 'tools_call');
  const { provider, provider_instance, tool, observation } = request;
  assert.deepEqual([provider, provider_instance, tool], ['echo', 'instance-1', 'say']);
  assert.match(observation, /^[A-Za-z0-9_-]{43}$/);
});

test('it fails closed where the Runner’s process is another one, is away, or the binding was forgotten before', async (t) => {
  const floor = await dispatchFloor(t);
  const [forgotten, kept] = [await floor.bind(), await floor.bind()];
  floor.runners.connected = [fakeRunner('local', 'local-2')];
  assert.deepEqual(gist(await floor.invoke({ action: 'call', binding: forgotten, arguments: {} })), [
    'not_started',
    'plugin_replaced',
  ]);
  const executor = await restarted(floor);
  const sent = floor.runners.sent.length;
  assert.deepEqual(await call(executor, forgotten), ['not_started', 'describe_required']);
  floor.runners.connected = [];
  assert.deepEqual(await call(executor, kept), ['not_started', 'runner_unavailable']);
  floor.runners.connected = [fakeRunner('local', 'local-2')];
  assert.deepEqual(await call(executor, kept), ['not_started', 'plugin_replaced']);
  assert.deepEqual(await call(await restarted(floor), kept), ['not_started', 'describe_required']);
  assert.equal(floor.runners.sent.length, sent);
});

test('the arguments of a call have the same digest before and after a restart', async (t) => {
  const floor = await dispatchFloor(t);
  const binding = await floor.bind();
  await floor.invoke({ action: 'call', binding, arguments: { text: 'hello' } });
  await call(await restarted(floor), binding);
  const digests = (await floor.rows()).flatMap((row) => row['arguments_digest'] ?? []);
  assert.equal(digests.length, 2);
  assert.equal(digests[0], digests[1]);
});
