import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Clock, deadlineAfter, delay, systemClock } from '../src/index.ts';

/** A clock that moves when told to; enough for what stands here. */
function heldClock() {
  let nowMs = 1000;
  const timers = new Map<object, { atMs: number; fire: () => void }>();
  const clock: Clock = {
    monotonicMs: () => nowMs,
    wallMs: () => 1_700_000_000_000 + nowMs,
    setTimer(delayMs, fire) {
      const timer = { cancel: () => void timers.delete(timer) };
      timers.set(timer, { atMs: nowMs + delayMs, fire });
      return timer;
    },
  };
  return {
    clock,
    pending: () => timers.size,
    advance(ms: number) {
      nowMs += ms;
      for (const [timer, { atMs, fire }] of timers) {
        if (atMs > nowMs) continue;
        timers.delete(timer);
        fire();
      }
    },
  };
}

describe('delay', () => {
  it('resolves when its time has come', async () => {
    const { clock, advance, pending } = heldClock();
    let done = false;
    const waiting = delay(clock, 50).then(() => {
      done = true;
    });
    advance(49);
    await Promise.resolve();
    assert.equal(done, false);
    advance(1);
    await waiting;
    assert.equal(pending(), 0);
  });

  it('resolves at once when its signal aborts, and leaves no timer', async () => {
    const { clock, pending } = heldClock();
    const stop = new AbortController();
    const waiting = delay(clock, 50, stop.signal);
    assert.equal(pending(), 1);
    stop.abort();
    await waiting;
    assert.equal(pending(), 0);
  });

  it('does not start when its signal has aborted before', async () => {
    const { clock, pending } = heldClock();
    await delay(clock, 50, AbortSignal.abort());
    assert.equal(pending(), 0);
  });
});

describe('deadlineAfter', () => {
  it('is one absolute end that its waits share', () => {
    const { clock, advance } = heldClock();
    const deadline = deadlineAfter(clock, 30);
    assert.equal(deadline.atMs, 1030);
    assert.equal(deadline.remainingMs(), 30);
    advance(29);
    assert.equal(deadline.remainingMs(), 1);
    assert.equal(deadline.passed(), false);
    advance(1);
    assert.equal(deadline.passed(), true);
    advance(100);
    assert.equal(deadline.remainingMs(), 0);
  });
});

describe('systemClock', () => {
  it('fires timers, referenced or not, and never goes back', async () => {
    const clock = systemClock();
    const before = clock.monotonicMs();
    await new Promise<void>((resolve) => clock.setTimer(0, resolve));
    const kept = clock.setTimer(5, () => {});
    await new Promise<void>((resolve) => clock.setTimer(0, resolve, { unref: true }));
    kept.cancel();
    assert.ok(clock.monotonicMs() >= before);
    assert.ok(clock.wallMs() > 1_700_000_000_000);
  });

  it('does not fire a timer that was cancelled', async () => {
    const clock = systemClock();
    let fired = false;
    clock
      .setTimer(0, () => {
        fired = true;
      })
      .cancel();
    await delay(clock, 1);
    await delay(clock, 1);
    assert.equal(fired, false);
  });
});
