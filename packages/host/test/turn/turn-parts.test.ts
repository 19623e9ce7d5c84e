import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairleadError } from '@fairlead/base';
import { manualClock } from '@fairlead/testing';
import type { SessionEvent } from '../../src/events/session-event.ts';
import { ModelFault } from '../../src/models/model.ts';
import type { AttemptLedger } from '../../src/models/step/attempt-ledger.ts';
import { StepShower } from '../../src/turn/step-shower.ts';
import { TurnBudget } from '../../src/turn/turn-budget.ts';
import { abortOf, TurnSignal } from '../../src/turn/turn-signal.ts';
import { TurnUsage } from '../../src/turn/turn-usage.ts';

test('a shared budget is taken from by all that hold it, and zero is used up at once', () => {
  const budget = new TurnBudget({ root: 'trn_1', rootSession: 'ses_1', iterations: 3 });
  const [root, child] = [budget, budget];
  assert.equal(root.take(), true);
  assert.equal(child.take(), true);
  assert.equal(root.left, 1);
  assert.equal(child.take(), true);
  assert.equal(root.take(), false);
  assert.equal(new TurnBudget({ root: 'trn_1', rootSession: 'ses_1', iterations: 0 }).take(), false);
});

test('each piece of a step says where it stands, and a broken attempt begins at 0 again', () => {
  const events: SessionEvent[] = [];
  const shower = new StepShower('trn_1', 2, (event) => events.push(event));
  const fault = new ModelFault('model_stream_broken', { retryable: true });
  shower.show({ type: 'reasoning', delta: 'Hm' });
  shower.show({ type: 'text', delta: '😀' });
  shower.show({ type: 'text', delta: 'ok' });
  shower.show({ type: 'step_reset', fault, waitMs: 1000 });
  shower.show({ type: 'text', delta: 'again' });
  const place = { turn: 'trn_1', step: 2 };
  assert.deepEqual(events, [
    { kind: 'delta', ...place, what: 'reasoning', at: 0, text: 'Hm' },
    { kind: 'delta', ...place, what: 'text', at: 0, text: '😀' },
    { kind: 'delta', ...place, what: 'text', at: 2, text: 'ok' },
    { kind: 'step_reset', ...place },
    { kind: 'delta', ...place, what: 'text', at: 0, text: 'again' },
  ]);
});

test('a turn has one end: who cancels it, or its time, each with its code', async () => {
  const clock = manualClock();
  const outer = new AbortController();
  const timed = new TurnSignal(clock, outer.signal, 1000);
  await clock.advance(999);
  assert.equal(timed.signal.aborted, false);
  await clock.advance(1);
  assert.equal(abortOf(timed.signal).code, 'turn_timeout');
  timed[Symbol.dispose]();
  assert.equal(clock.pendingTimers, 0);

  const cancelled = new TurnSignal(clock, outer.signal, 1000);
  outer.abort(new FairleadError('host_paused', 'The host was paused.'));
  assert.equal(abortOf(cancelled.signal).code, 'host_paused');
  cancelled[Symbol.dispose]();
  const late = new TurnSignal(clock, outer.signal, 1000);
  assert.equal(late.signal.aborted, true);
  late[Symbol.dispose]();
  assert.equal(clock.pendingTimers, 0);
  assert.equal(abortOf(AbortSignal.abort()).code, 'turn_cancelled');
});

test('usage is summed over attempts, the broken ones with their estimate; one without a price leaves none', async () => {
  const priced: (number | null)[] = [5, 7, null];
  const ledger: AttemptLedger = {
    open: async () => ({ ok: true, attempt: { settle: async () => ({ nanousd: priced.shift() ?? null }) } }),
  };
  const usage = new TurnUsage();
  let begun = 0;
  const counted = usage.counted(ledger, () => {
    begun += 1;
  });
  const attempt = async (
    cost: Parameters<
      Extract<Awaited<ReturnType<AttemptLedger['open']>>, { ok: true }>['attempt']['settle']
    >[0],
  ) => {
    const opened = await counted.open({ input: 100 });
    if (opened.ok) await opened.attempt.settle(cost);
  };
  await attempt({ known: true, usage: { input: 10, output: 4, cached: 1, written: 2, reasoning: 3 } });
  await attempt({ known: false, output: 6 });
  assert.deepEqual(usage.usage, { input: 110, output: 10, cached: 1, written: 2, reasoning: 3 });
  assert.equal(usage.nanousd, 12);
  await attempt({ known: true, usage: { input: 0, output: 1, cached: 0, written: 0, reasoning: 0 } });
  assert.equal(usage.nanousd, null);
  assert.equal(begun, 3);
});

test('an attempt that a ceiling refuses is not counted', async () => {
  const ceiling = { scope: 'turn', unit: 'tokens', limit: 1, used: 1 } as const;
  const usage = new TurnUsage();
  const refused = usage.counted({ open: async () => ({ ok: false, ceiling }) }, () => assert.fail());
  assert.deepEqual(await refused.open({ input: 1 }), { ok: false, ceiling });
  assert.deepEqual(usage.usage.input, 0);
});
