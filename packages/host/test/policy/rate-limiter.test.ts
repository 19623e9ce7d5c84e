import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '@fairlead/testing';
import fc from 'fast-check';
import { RateLimiter } from '../../src/policy/rate-limiter.ts';

test('in no minute does a tool run more often than its limit', async () => {
  const clock = manualClock();
  const limiter = new RateLimiter(clock);
  const take = () => limiter.take('agent:a', 'shell', 2);
  assert.deepEqual(take(), { ok: true });
  await clock.advance(40_000);
  assert.deepEqual(take(), { ok: true });
  assert.deepEqual(take(), { ok: false, code: 'rate_limited', afterMs: 20_000 });
  await clock.advance(19_999);
  assert.deepEqual(take(), { ok: false, code: 'rate_limited', afterMs: 1 });
  await clock.advance(1);
  assert.deepEqual(take(), { ok: true });
  assert.deepEqual(take(), { ok: false, code: 'rate_limited', afterMs: 40_000 });
});

test('absent is unlimited, 0 is never, and callers and tools are counted apart', () => {
  const limiter = new RateLimiter(manualClock());
  for (let at = 0; at < 100; at += 1) assert.deepEqual(limiter.take('a', 't', undefined), { ok: true });
  assert.deepEqual(limiter.take('a', 't', 0), { ok: false, code: 'rate_limited' });
  for (const [subject, tool] of [
    ['a', 't'],
    ['b', 't'],
    ['a', 'u'],
    ['a","t', ''],
  ] as const)
    assert.deepEqual(limiter.take(subject, tool, 1), { ok: true });
  assert.equal(limiter.take('a', 't', 1).ok, false);
});

test('a lowered limit holds for the calls before it', async () => {
  const clock = manualClock();
  const limiter = new RateLimiter(clock);
  for (let at = 0; at < 3; at += 1) {
    limiter.take('a', 't', 5);
    await clock.advance(1000);
  }
  assert.deepEqual(limiter.take('a', 't', 1), { ok: false, code: 'rate_limited', afterMs: 59_000 });
  assert.deepEqual(limiter.take('a', 't', 5), { ok: true });
});

test('as many callers as can be remembered: a new one waits, and nobody is forgotten before its minute is over', async () => {
  const clock = manualClock();
  const limiter = new RateLimiter(clock);
  for (let at = 0; at < 4096; at += 1) assert.equal(limiter.take(`s${at}`, 't', 1).ok, true);
  assert.deepEqual(limiter.take('new', 't', 1), { ok: false, code: 'rate_limited', afterMs: 60_000 });
  assert.equal(limiter.take('s0', 't', 1).ok, false);
  assert.equal(limiter.take('s0', 't', 2).ok, true);
  await clock.advance(60_000);
  assert.equal(limiter.take('new', 't', 1).ok, true);
});

test('a limit beyond the largest is taken for it', () => {
  const limiter = new RateLimiter(manualClock());
  for (let at = 0; at < 6000; at += 1) limiter.take('a', 't', 1_000_000);
  assert.equal(limiter.take('a', 't', 1_000_000).ok, false);
});

test('it counts as a list of all calls would', async () => {
  const steps = fc.array(
    fc.record({
      waitMs: fc.integer({ min: 0, max: 30_000 }),
      subject: fc.constantFrom('a', 'b'),
      limit: fc.integer({ min: 1, max: 4 }),
    }),
    { maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (given) => {
      const clock = manualClock();
      const limiter = new RateLimiter(clock);
      const calls: { readonly subject: string; readonly atMs: number }[] = [];
      for (const { waitMs, subject, limit } of given) {
        await clock.advance(waitMs);
        const now = clock.monotonicMs();
        const recent = calls.filter((call) => call.subject === subject && call.atMs + 60_000 > now);
        const { ok } = limiter.take(subject, 't', limit);
        assert.equal(ok, recent.length < limit);
        if (ok) calls.push({ subject, atMs: now });
      }
    }),
    { numRuns: 60 },
  );
});
