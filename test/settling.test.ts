// The link between a Runner and its gateway is cut at each step of a call. What the caller is told first must be right, and what
// is settled once the link is back must agree with what the plugin did. Real sockets, processes and database; the bytes on the link
// pass through a proxy that does to them what a test says. docs/reference/native-plugin-protocol.md §15.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import type { Invocation } from '@fairlead/dispatch';
import { hygiene, waitFor } from '@fairlead/testing';
import { type SettlingFloor, settlingFloor } from './settling/settling-floor.ts';

const NAMES = { runner: 'local', tool: 'work' };

function did(name: string, more: JsonObject = {}): JsonObject {
  return { content: [{ type: 'text', text: `did ${name}` }], ...more };
}

/** The call, once it is known what the caller was told: that the link was lost and nothing is certain. */
async function unknown(answer: Promise<Invocation>): Promise<string> {
  const { call = '', certainty, error } = await answer;
  assert.deepEqual([certainty, error?.code], ['outcome_unknown', 'runner_unavailable']);
  assert.match(call, /^call_/);
  return call;
}

/** What `outcome` says, less the names. */
async function outcome(floor: SettlingFloor, call: string): Promise<JsonObject> {
  const { certainty, output, error } = await floor.invoke({ action: 'outcome', call });
  assert.deepEqual([certainty, error], ['completed', undefined]);
  const { call: named, runner, tool, plugin, ...rest } = output ?? {};
  assert.deepEqual({ call: named, runner, tool }, { call, ...NAMES });
  assert.match(String(plugin), /^(quick|patient)$/);
  return rest;
}

/** The link is back, and whatever it was about is settled. */
async function settled(floor: SettlingFloor, registrations = 2): Promise<void> {
  await floor.registered(registrations);
  await floor.settler.idle();
}

/** Resolves when the call has a settlement. */
async function settlement(floor: SettlingFloor, call: string): Promise<readonly unknown[]> {
  await waitFor(async () => (await floor.records(call))[2] !== null, { what: `the settlement of ${call}` });
  return await floor.records(call);
}

const NOT_DELIVERED = { certainty: 'not_started', settled: true, code: 'call_not_delivered' };

for (const [when, share] of [
  ['before a byte of its frame has left', 0],
  ['after half of its frame', 0.5],
] as const) {
  test(`cut ${when}: unknown first, settled as not_started, and the plugin did nothing`, async (t) => {
    hygiene(t);
    const floor = await settlingFloor(t);
    const binding = await floor.bind();
    const { link } = floor.proxy;
    link.toRunner.hold();
    const answer = floor.invoke({ action: 'call', binding, arguments: { name: 'a' } });
    const frame = await link.toRunner.heldFrame();
    link.toRunner.forward(Math.floor(frame.length * share));
    link.cut();
    const call = await unknown(answer);
    await settled(floor);
    assert.deepEqual(await floor.records(call), [
      'outcome_unknown',
      'runner_unavailable',
      'not_started',
      'call_not_delivered',
    ]);
    assert.deepEqual(await outcome(floor, call), NOT_DELIVERED);
    assert.deepEqual(floor.effects(), []);
    // Nothing of it is left: the same binding serves on.
    const next = await floor.invoke({ action: 'call', binding, arguments: { name: 'b' } });
    assert.deepEqual(next.output, did('b'));
    assert.deepEqual(floor.effects(), ['b']);
  });
}

test('cut after its frame and before the plugin: it runs when its turn comes, and is settled by its own answer', async (t) => {
  hygiene(t);
  const floor = await settlingFloor(t);
  const binding = await floor.bind('patient');
  const until = floor.gate('a');
  const first = floor.invoke({ action: 'call', binding, arguments: { name: 'a', until } });
  await waitFor(() => floor.began().includes('a'), { what: 'the first call at the plugin' });
  const second = floor.invoke({ action: 'call', binding, arguments: { name: 'b' } });
  // Its answer shows that everything before it has arrived.
  await floor.invoke({ action: 'list', runner: 'local' });
  floor.proxy.link.cut();
  const [a, b] = [await unknown(first), await unknown(second)];
  await settled(floor);
  for (const call of [a, b])
    assert.deepEqual(await outcome(floor, call), {
      certainty: 'outcome_unknown',
      settled: false,
      code: 'call_running',
    });
  floor.open(until);
  for (const [call, name] of [
    [a, 'a'],
    [b, 'b'],
  ] as const) {
    assert.deepEqual((await settlement(floor, call)).slice(2), ['completed', null]);
    assert.deepEqual(await outcome(floor, call), {
      certainty: 'completed',
      settled: true,
      result: did(name),
    });
  }
  assert.deepEqual(floor.effects(), ['a', 'b']);
});

test('cut after its frame, where the Runner refused it: settled as not_started with the Runner’s own reason', async (t) => {
  hygiene(t);
  const floor = await settlingFloor(t);
  const binding = await floor.bind();
  const until = floor.gate('a');
  const first = floor.invoke({ action: 'call', binding, arguments: { name: 'a', until } });
  await waitFor(() => floor.began().includes('a'), { what: 'the first call at the plugin' });
  const { link } = floor.proxy;
  link.toGateway.hold();
  const second = floor.invoke({ action: 'call', binding, arguments: { name: 'b' } });
  await link.toGateway.heldFrame();
  link.cut();
  const [a, b] = [await unknown(first), await unknown(second)];
  await settled(floor);
  assert.deepEqual(await outcome(floor, b), {
    certainty: 'not_started',
    settled: true,
    code: 'plugin_provider_busy',
  });
  floor.open(until);
  assert.deepEqual((await settlement(floor, a)).slice(2), ['completed', null]);
  assert.deepEqual(floor.effects(), ['a']);
});

test('cut while the plugin works: asked again when it has ended', async (t) => {
  hygiene(t);
  const floor = await settlingFloor(t);
  const until = floor.gate('a');
  const given = { name: 'a', until, fails: true };
  const answer = floor.invoke({ action: 'call', binding: await floor.bind(), arguments: given });
  await waitFor(() => floor.began().includes('a'), { what: 'the call at the plugin' });
  floor.proxy.link.cut();
  const call = await unknown(answer);
  await settled(floor);
  assert.equal((await outcome(floor, call))['code'], 'call_running');
  // The connection that was told `running` is lost as well.
  floor.proxy.link.cut();
  await settled(floor, 3);
  floor.open(until);
  assert.deepEqual((await settlement(floor, call)).slice(2), ['completed', 'plugin_tool_error']);
  assert.deepEqual(await outcome(floor, call), {
    certainty: 'completed',
    settled: true,
    code: 'plugin_tool_error',
    result: did('a', { isError: true }),
  });
  assert.deepEqual(floor.effects(), ['a']);
});

test('cut while the plugin works, and ended before the link is back', async (t) => {
  hygiene(t);
  const floor = await settlingFloor(t);
  const until = floor.gate('a');
  const answer = floor.invoke({
    action: 'call',
    binding: await floor.bind(),
    arguments: { name: 'a', until },
  });
  await waitFor(() => floor.began().includes('a'), { what: 'the call at the plugin' });
  floor.proxy.refuses = true;
  floor.proxy.link.cut();
  const call = await unknown(answer);
  floor.open(until);
  await waitFor(() => floor.effects().includes('a'), { what: 'the effect' });
  assert.deepEqual(await outcome(floor, call), {
    certainty: 'outcome_unknown',
    settled: false,
    code: 'runner_unavailable',
  });
  floor.proxy.refuses = false;
  await settled(floor);
  assert.deepEqual(await outcome(floor, call), { certainty: 'completed', settled: true, result: did('a') });
});

for (const [when, share] of [
  ['after the plugin answered and before a byte of the result', 0],
  ['after half of the result', 0.5],
] as const) {
  test(`cut ${when}: unknown first, settled as completed, with the result`, async (t) => {
    hygiene(t);
    const floor = await settlingFloor(t);
    const binding = await floor.bind();
    const { link } = floor.proxy;
    link.toGateway.hold();
    const answer = floor.invoke({ action: 'call', binding, arguments: { name: 'a' } });
    const frame = await link.toGateway.heldFrame();
    link.toGateway.forward(Math.floor(frame.length * share));
    link.cut();
    const call = await unknown(answer);
    await settled(floor);
    assert.deepEqual(await floor.records(call), ['outcome_unknown', 'runner_unavailable', 'completed', null]);
    assert.deepEqual(await outcome(floor, call), { certainty: 'completed', settled: true, result: did('a') });
    assert.deepEqual(floor.effects(), ['a']);
  });
}

test('cut after the result: the first answer is the last, and the result can still be had', async (t) => {
  hygiene(t);
  const floor = await settlingFloor(t);
  const binding = await floor.bind();
  const answer = await floor.invoke({ action: 'call', binding, arguments: { name: 'a' } });
  assert.deepEqual([answer.certainty, answer.output], ['completed', did('a')]);
  floor.proxy.link.cut();
  await settled(floor);
  const { call = '' } = answer;
  assert.deepEqual(await floor.records(call), ['completed', null, null, null]);
  assert.deepEqual(await outcome(floor, call), { certainty: 'completed', settled: true, result: did('a') });
});

test('a gateway that gave up waiting: settled on the same link, and the late result is not taken for anything', async (t) => {
  hygiene(t);
  // A gateway that hears nothing for a minute drops the link, and would not give up waiting on it.
  const floor = await settlingFloor(t, { timeoutSecs: 20 });
  const { link } = floor.proxy;
  const binding = await floor.bind();
  link.toGateway.hold();
  const answer = floor.invoke({ action: 'call', binding, arguments: { name: 'a' } });
  await link.toGateway.heldFrame();
  await floor.linkClock.advance(25_000);
  const { call = '', certainty, error } = await answer;
  assert.deepEqual([certainty, error?.code], ['outcome_unknown', 'plugin_gateway_timeout']);
  link.toGateway.release();
  await floor.settler.idle();
  assert.deepEqual(await floor.records(call), [
    'outcome_unknown',
    'plugin_gateway_timeout',
    'completed',
    null,
  ]);
  assert.deepEqual(await outcome(floor, call), { certainty: 'completed', settled: true, result: did('a') });
  assert.deepEqual(floor.effects(), ['a']);
});

test('a plugin that died after its effect: the Runner does not know either, and the call stays unknown', async (t) => {
  hygiene(t);
  const floor = await settlingFloor(t);
  const { link } = floor.proxy;
  const binding = await floor.bind();
  link.toGateway.hold();
  const answer = floor.invoke({ action: 'call', binding, arguments: { name: 'a', dies: true } });
  await link.toGateway.heldFrame();
  link.cut();
  const call = await unknown(answer);
  await settled(floor);
  assert.deepEqual(await floor.records(call), [
    'outcome_unknown',
    'runner_unavailable',
    'outcome_unknown',
    'plugin_eof',
  ]);
  assert.deepEqual(await outcome(floor, call), {
    certainty: 'outcome_unknown',
    settled: false,
    code: 'plugin_eof',
  });
  assert.deepEqual(floor.effects(), ['a']);
});

test('the result on the old connection, held back until the new one has answered, changes nothing', async (t) => {
  hygiene(t);
  const floor = await settlingFloor(t);
  const old = floor.proxy.link;
  const binding = await floor.bind();
  old.toGateway.hold();
  const answer = floor.invoke({ action: 'call', binding, arguments: { name: 'a' } });
  await old.toGateway.heldFrame();
  // The Runner loses the connection; to the gateway it is as alive as before.
  old.cutRunner();
  const call = await unknown(answer);
  await settled(floor);
  const before = await floor.records(call);
  assert.deepEqual(before.slice(2), ['completed', null]);
  old.toGateway.release();
  await floor.invoke({ action: 'list', runner: 'local' });
  assert.deepEqual(await floor.records(call), before);
  assert.deepEqual(floor.effects(), ['a']);
  old.cut();
});

test('the call on the old connection, held back until the new one has answered, is never carried out', async (t) => {
  hygiene(t);
  const floor = await settlingFloor(t);
  const old = floor.proxy.link;
  const binding = await floor.bind();
  old.toRunner.hold();
  const answer = floor.invoke({ action: 'call', binding, arguments: { name: 'a' } });
  const frame = await old.toRunner.heldFrame();
  old.cutRunner();
  const call = await unknown(answer);
  await settled(floor);
  assert.deepEqual(await outcome(floor, call), NOT_DELIVERED);
  // It comes after all, where it was sent, and where nobody sent it.
  old.toRunner.release();
  floor.proxy.link.toRunner.inject(frame);
  await floor.invoke({ action: 'list', runner: 'local' });
  assert.deepEqual(await outcome(floor, call), NOT_DELIVERED);
  const next = await floor.invoke({ action: 'call', binding, arguments: { name: 'b' } });
  assert.deepEqual(next.output, did('b'));
  assert.deepEqual(floor.effects(), ['b']);
  old.cut();
});

test('a Runner that was started again cannot say, and the call stays unknown', async (t) => {
  hygiene(t);
  const floor = await settlingFloor(t);
  const binding = await floor.bind();
  const until = floor.gate('a');
  const answer = floor.invoke({ action: 'call', binding, arguments: { name: 'a', until } });
  await waitFor(() => floor.began().includes('a'), { what: 'the call at the plugin' });
  floor.proxy.refuses = true;
  floor.proxy.link.cut();
  const call = await unknown(answer);
  await floor.restartRunner();
  await floor.settler.idle();
  assert.deepEqual((await floor.records(call)).slice(2), [null, null]);
  assert.deepEqual(await outcome(floor, call), {
    certainty: 'outcome_unknown',
    settled: false,
    code: 'call_forgotten',
  });
  const late = await floor.invoke({ action: 'call', binding, arguments: { name: 'b' } });
  assert.deepEqual([late.certainty, late.error?.code], ['not_started', 'plugin_replaced']);
  assert.deepEqual(floor.effects(), []);
});

test('check and reload are settled like calls', async (t) => {
  hygiene(t);
  const floor = await settlingFloor(t);
  for (const [index, params] of [
    { action: 'check', runner: 'local', plugin: 'quick' },
    { action: 'reload', runner: 'local' },
  ].entries()) {
    const { link } = floor.proxy;
    link.toGateway.hold();
    const answer = floor.invoke(params);
    await link.toGateway.heldFrame();
    link.cut();
    const { call = '', certainty } = await answer;
    assert.equal(certainty, 'outcome_unknown');
    await settled(floor, index + 2);
    const { output } = await floor.invoke({ action: 'outcome', call });
    const { result } = output ?? {};
    assert.deepEqual([output?.['certainty'], output?.['settled']], ['completed', true]);
    assert.equal((result as JsonObject)['runner'], 'local');
    if (params.action === 'check') assert.equal((result as JsonObject)['ready'], true);
    else assert.deepEqual((result as JsonObject)['failures'], []);
  }
});
