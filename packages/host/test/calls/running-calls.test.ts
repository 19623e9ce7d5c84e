import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CallPlace } from '../../src/calls/call-place.ts';
import { RunningCalls } from '../../src/calls/running-calls.ts';

const place = (session: string, agent: string) =>
  ({ session, agent: { id: agent, name: agent } }) as CallPlace;

test('a built-in finds the call that it runs in, and none that is over, of another agent or in another session', () => {
  const calls = new RunningCalls();
  const over = calls.add({ call: 'call_1', tool: 'shell', place: place('ses_1', 'agt_1'), args: {} });
  assert.equal(calls.of('ses_1', 'agt_1', 'shell')?.call, 'call_1');
  assert.equal(calls.of('ses_1', 'agt_2', 'shell'), undefined);
  assert.equal(calls.of('ses_2', 'agt_1', 'shell'), undefined);
  assert.equal(calls.of('ses_1', 'agt_1', 'fs'), undefined);
  over();
  assert.equal(calls.of('ses_1', 'agt_1', 'shell'), undefined);
});

test('of several of one tool the one that began last is found, and each ends for itself', () => {
  const calls = new RunningCalls();
  const over = ['call_1', 'call_2'].map((call) =>
    calls.add({ call, tool: 'shell', place: place('ses_1', 'agt_1'), args: {} }),
  );
  assert.equal(calls.of('ses_1', 'agt_1', 'shell')?.call, 'call_2');
  over[1]?.();
  over[1]?.();
  assert.equal(calls.of('ses_1', 'agt_1', 'shell')?.call, 'call_1');
  over[0]?.();
  assert.equal(calls.of('ses_1', 'agt_1', 'shell'), undefined);
});

test('of several of one tool that run at once each finds its own, by the arguments that it was handed', () => {
  const calls = new RunningCalls();
  const [one, two] = [{ a: 1 }, { a: 1 }];
  calls.add({ call: 'call_1', tool: 'pin', place: place('ses_1', 'agt_1'), args: one });
  calls.add({ call: 'call_2', tool: 'pin', place: place('ses_1', 'agt_1'), args: two });
  assert.equal(calls.of('ses_1', 'agt_1', 'pin', one)?.call, 'call_1');
  assert.equal(calls.of('ses_1', 'agt_1', 'pin', two)?.call, 'call_2');
  assert.equal(calls.of('ses_1', 'agt_1', 'pin', { a: 1 }), undefined);
});

test('without its arguments a call is its own only where no other of its tool runs at the same time', () => {
  const calls = new RunningCalls();
  const [one, two] = [{ a: 1 }, { a: 1 }];
  calls.add({ call: 'call_1', tool: 'give', place: place('ses_1', 'agt_1'), args: one });
  assert.equal(calls.own('ses_1', 'agt_1', 'give')?.call, 'call_1');
  calls.add({ call: 'call_2', tool: 'give', place: place('ses_1', 'agt_1'), args: two });
  assert.equal(calls.own('ses_1', 'agt_1', 'give'), undefined);
  assert.equal(calls.own('ses_1', 'agt_1', 'give', one)?.call, 'call_1');
  assert.equal(calls.own('ses_1', 'agt_1', 'give', two)?.call, 'call_2');
});
