import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { manualClock } from '@fairlead/testing';
import { stopOnSignals } from '../src/process/stop-signals.ts';

function source() {
  const emitter = new EventEmitter();
  const exits: number[] = [];
  return {
    exits,
    send: (signal: string) => emitter.emit(signal),
    listeners: () => emitter.eventNames(),
    source: {
      on: (signal: NodeJS.Signals, listener: () => void) => emitter.on(signal, listener),
      off: (signal: NodeJS.Signals, listener: () => void) => emitter.off(signal, listener),
      exit: (code: number) => void exits.push(code),
    },
  };
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  test(`${signal} asks for the end`, async () => {
    const signals = source();
    const stop = stopOnSignals(manualClock(), signals.source);
    assert.equal(stop.isAsked, false);
    signals.send(signal);
    await stop.asked;
    assert.equal(stop.isAsked, true);
    assert.deepEqual(signals.exits, []);
  });
}

test('one Ctrl-C that arrives twice, from the terminal and from npm, is one wish', async () => {
  const clock = manualClock();
  const signals = source();
  stopOnSignals(clock, signals.source);
  signals.send('SIGINT');
  await clock.advance(750);
  signals.send('SIGINT');
  assert.deepEqual(signals.exits, []);
});

test('a signal that comes later no longer waits', async () => {
  const clock = manualClock();
  const signals = source();
  stopOnSignals(clock, signals.source);
  signals.send('SIGINT');
  await clock.advance(751);
  signals.send('SIGTERM');
  assert.deepEqual(signals.exits, [130]);
});

test('the end can be asked for without a signal; the first signal afterwards waits too', async () => {
  const clock = manualClock();
  const signals = source();
  const stop = stopOnSignals(clock, signals.source);
  stop.ask();
  await stop.asked;
  await clock.advance(5_000);
  signals.send('SIGINT');
  assert.deepEqual(signals.exits, []);
});

test('after release no signal is listened to', () => {
  const signals = source();
  const stop = stopOnSignals(manualClock(), signals.source);
  assert.deepEqual(signals.listeners(), ['SIGINT', 'SIGTERM', 'SIGHUP']);
  stop.release();
  assert.deepEqual(signals.listeners(), []);
});
