import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Ask, HostSide, LogLine } from '@fairlead/extension/runtime';
import { RelayedHost } from '../../src/path/relayed-host.ts';

function recording() {
  const seen: string[] = [];
  const host: HostSide = {
    ask: (ask: Ask) => {
      seen.push(`ask ${ask.op}`);
      return 'answer';
    },
    log: ({ message }: LogLine) => seen.push(`log ${message}`),
    changed: (instance: string) => seen.push(`changed ${instance}`),
  };
  return { seen, host };
}

const ask: Ask = { op: 'session.open', id: 'ses_1' };

test('until somebody takes the worker its asks are refused and its first hundred lines are kept', () => {
  const relay = new RelayedHost();
  assert.throws(() => relay.ask(ask, undefined), { code: 'extension_ended' });
  relay.changed('g');
  for (let line = 1; line <= 101; line += 1) relay.log({ level: 'info', message: String(line) });
  const { seen, host } = recording();
  assert.equal(
    relay.attach(host, () => {}),
    true,
  );
  assert.deepEqual([seen.length, seen[0], seen.at(-1)], [100, 'log 1', 'log 100']);
});

test('from then on everything goes to the host, and its death to whoever took it', () => {
  const relay = new RelayedHost();
  const { seen, host } = recording();
  let deaths = 0;
  relay.attach(host, () => {
    deaths += 1;
  });
  assert.equal(relay.ask(ask, undefined), 'answer');
  relay.changed('g');
  relay.log({ level: 'warn', message: 'late' });
  relay.died();
  assert.deepEqual(seen, ['ask session.open', 'changed g', 'log late']);
  assert.equal(deaths, 1);
});

test('whoever takes a dead worker is told so', () => {
  const relay = new RelayedHost();
  relay.died();
  assert.equal(
    relay.attach(recording().host, () => assert.fail('told twice')),
    false,
  );
});
