import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderRow } from '@fairlead/protocol';
import { manualClock } from '@fairlead/testing';
import { untilRunnerReady } from '../src/host/until-runner-ready.ts';

function start() {
  const clock = manualClock();
  const registered = Promise.withResolvers<void>();
  const settled = Promise.withResolvers<void>();
  let rows: ProviderRow[] = [
    { id: 'quick', name: 'quick', status: 'ready', error_code: null },
    { id: 'slow', name: 'slow', status: 'starting', error_code: null },
    { id: 'slower', name: 'slower', status: 'starting', error_code: null },
  ];
  const printed: string[] = [];
  const ready = untilRunnerReady(
    { clock, stderr: (text) => void printed.push(text) },
    { registered: registered.promise, settled: settled.promise, status: () => rows },
  );
  const settle = (status: 'ready' | 'failed') => {
    rows = rows.map((row) => ({ ...row, status, error_code: status === 'failed' ? 'plugin_eof' : null }));
    settled.resolve();
  };
  return { clock, registered, settle, printed, ready };
}

test('registered and every plugin ready or failed: silent within a second', async () => {
  const { registered, settle, printed, ready } = start();
  registered.resolve();
  settle('failed');
  await ready;
  assert.deepEqual(printed, []);
});

test('what is waited for is shown after a second', async () => {
  const { clock, registered, settle, printed, ready } = start();
  registered.resolve();
  await clock.advance(1_000);
  assert.deepEqual(printed, ['fairlead: starting slow, slower …\n']);
  settle('ready');
  await ready;
});

test('after ten seconds the slow ones are named and go on', async () => {
  const { clock, registered, printed, ready } = start();
  registered.resolve();
  await clock.advance(10_000);
  await ready;
  assert.deepEqual(printed, [
    'fairlead: starting slow, slower …\n',
    'fairlead: still starting, and going on: slow, slower\n',
  ]);
});

test('a Runner that does not register is named as such', async () => {
  const { clock, settle, printed, ready } = start();
  settle('ready');
  await clock.advance(10_000);
  await ready;
  assert.deepEqual(printed, [
    'fairlead: starting the Runner …\n',
    'fairlead: the Runner has not registered yet; it goes on trying\n',
  ]);
});
