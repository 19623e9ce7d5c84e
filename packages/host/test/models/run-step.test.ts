import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '@fairlead/base';
import { manualClock } from '@fairlead/testing';
import { type Model, ModelFault, type ModelPart, type ModelRequest } from '../../src/models/model.ts';
import type { AttemptCost, AttemptLedger } from '../../src/models/step/attempt-ledger.ts';
import { ModelCallGate } from '../../src/models/step/model-call-gate.ts';
import { runStep, type StepEvent, type StepOptions } from '../../src/models/step/run-step.ts';

const USAGE = { input: 10, output: 4, cached: 0, written: 0, reasoning: 0 };
const END: ModelPart = { type: 'end', reason: 'stop', usage: USAGE };
const text = (delta: string): ModelPart => ({ type: 'text', delta });

/** One answer for each attempt: its parts, then its fault. */
type Attempt = readonly (ModelPart | ModelFault | 'hang')[];

function fakeModel(attempts: readonly Attempt[]): Model & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    requests,
    async *stream(request) {
      requests.push(request);
      for (const part of attempts[request.meta.attempt] ?? []) {
        if (part instanceof ModelFault) throw part;
        // Deaf to the abort, as a model should not be.
        if (part === 'hang') await new Promise(() => {});
        else yield part;
      }
    },
  };
}

/** A ledger that writes down what it is asked. */
function fakeLedger(): AttemptLedger & { readonly log: Json[] } {
  const log: Json[] = [];
  return {
    log,
    async open({ input }) {
      log.push(`open ${input}`);
      return {
        ok: true,
        attempt: {
          async settle(cost: AttemptCost) {
            log.push(
              cost.known ? ['known', cost.usage.input + cost.usage.output] : ['estimate', cost.output],
            );
            return { nanousd: cost.known ? 77 : null };
          },
        },
      };
    },
  };
}

function setUp(attempts: readonly Attempt[], given: Partial<StepOptions> = {}) {
  const clock = manualClock();
  const model = fakeModel(attempts);
  const ledger = fakeLedger();
  const events: Json[] = [];
  const emit = (event: StepEvent) =>
    events.push(
      event.type === 'step_reset' ? [event.type, event.fault.code, event.waitMs] : [event.type, event.delta],
    );
  const options: StepOptions = {
    model,
    request: { messages: [{ role: 'user', text: 'hi' }], tools: [], maxTokens: 100 },
    meta: { session: 'ses_1', agent: 'fairlead', turn: 0, step: 0 },
    maxRetries: 3,
    estimatedInput: 9,
    signal: new AbortController().signal,
    clock,
    random: (count) => new Uint8Array(count),
    ledger,
    emit,
    ...given,
  };
  return { clock, model, ledger, events, options };
}

const fault = (given: Partial<ConstructorParameters<typeof ModelFault>[1]> = {}) =>
  new ModelFault('model_unavailable', { retryable: true, free: true, ...given });

test('a whole reply comes out with what it cost', async () => {
  const reasoning: ModelPart = { type: 'reasoning', delta: 'Hm' };
  const signed: ModelPart = { type: 'reasoning', delta: '', metadata: { anthropic: { signature: 'S' } } };
  const call: ModelPart = { type: 'call', id: 'c', name: 'now', arguments: {} };
  const { options, events, ledger } = setUp([
    [
      reasoning,
      signed,
      { type: 'reasoning', delta: 'so' },
      text('a'),
      text('b'),
      call,
      { ...END, reason: 'calls' },
    ],
  ]);
  assert.deepEqual(await runStep(options), {
    ok: true,
    reply: {
      text: 'ab',
      calls: [call],
      reasoning: [{ text: 'Hm', metadata: { anthropic: { signature: 'S' } } }, { text: 'so' }],
      reason: 'calls',
      usage: USAGE,
    },
    nanousd: 77,
    attempts: 1,
  });
  assert.deepEqual(events, [
    ['reasoning', 'Hm'],
    ['reasoning', 'so'],
    ['text', 'a'],
    ['text', 'b'],
  ]);
  assert.deepEqual(ledger.log, ['open 9', ['known', 14]]);
});

test('a broken attempt is reset and made again, and nothing of it is in the reply', async () => {
  const { options, clock, events, ledger, model } = setUp([
    [text('half of a rep'), fault({ free: false })],
    [fault()],
    [text('whole'), END],
  ]);
  const outcome = runStep(options);
  await clock.advance(999);
  assert.equal(model.requests.length, 1);
  await clock.advance(1);
  await clock.advance(1999);
  assert.equal(model.requests.length, 2);
  await clock.advance(1);
  const ended = await outcome;
  assert.ok(ended.ok);
  assert.deepEqual([ended.reply.text, ended.attempts], ['whole', 3]);
  assert.deepEqual(events, [
    ['text', 'half of a rep'],
    ['step_reset', 'model_unavailable', 1000],
    ['step_reset', 'model_unavailable', 2000],
    ['text', 'whole'],
  ]);
  // A cut attempt cost its prompt and what came; a refused one nothing.
  assert.deepEqual(ledger.log, ['open 9', ['estimate', 4], 'open 9', ['known', 0], 'open 9', ['known', 14]]);
  assert.deepEqual(
    model.requests.map(({ meta }) => meta),
    [0, 1, 2].map((attempt) => ({ session: 'ses_1', agent: 'fairlead', turn: 0, step: 0, attempt })),
  );
});

test('the pauses double to 30 s, and the retries end', async () => {
  const { options, clock, events } = setUp(
    Array.from({ length: 8 }, () => [fault()]),
    { maxRetries: 7 },
  );
  const outcome = runStep(options);
  for (let second = 0; second < 200; second += 1) await clock.advance(1000);
  const ended = await outcome;
  assert.ok(!ended.ok && 'fault' in ended);
  assert.deepEqual([ended.fault.code, ended.attempts], ['model_unavailable', 8]);
  assert.deepEqual(
    events.map((event) => (event as Json[])[2] as Json),
    [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, null],
  );
});

test('chance takes off at most a quarter, and never what the back end asked for', async () => {
  const last = async (random: number, afterMs?: number) => {
    const { options, clock, events } = setUp([[fault(afterMs === undefined ? {} : { afterMs })], [END]], {
      random: () => Uint8Array.of(random),
    });
    const outcome = runStep(options);
    for (let second = 0; second < 61; second += 1) await clock.advance(1000);
    await outcome;
    return (events[0] as Json[])[2];
  };
  assert.equal(await last(255), 750);
  assert.equal(await last(0), 1000);
  assert.equal(await last(255, 900), 900);
  assert.equal(await last(255, 60_000), 60_000);
});

test('a back end that asks for more than 60 s, and a fault that is final, are not tried again', async () => {
  for (const given of [{ afterMs: 60_001 }, { retryable: false }]) {
    const { options, events, model } = setUp([[fault(given)], [END]]);
    const ended = await runStep(options);
    assert.deepEqual([ended.ok, ended.attempts, model.requests.length], [false, 1, 1]);
    assert.deepEqual(events, [['step_reset', 'model_unavailable', null]]);
  }
});

test('a stream that ends without its end, or throws what is no fault, is one', async () => {
  const { options } = setUp([[text('a')]], { maxRetries: 0 });
  const ended = await runStep(options);
  assert.ok(!ended.ok && 'fault' in ended);
  assert.equal(ended.fault.code, 'model_stream_broken');
  const thrower: Model = {
    // biome-ignore lint/correctness/useYield: it throws
    async *stream() {
      throw new TypeError('a bug');
    },
  };
  const { options: other } = setUp([], { model: thrower });
  const bug = await runStep(other);
  assert.ok(!bug.ok && 'fault' in bug);
  assert.deepEqual(
    [bug.fault.code, bug.fault.retryable, bug.fault.message.includes('a bug')],
    ['model_reply_invalid', false, false],
  );
});

test('an abort ends a model that does not hear it, and a pause', async () => {
  const abort = new AbortController();
  const first = setUp([[text('a'), 'hang']], { signal: abort.signal });
  const outcome = runStep(first.options);
  await first.clock.advance(0);
  abort.abort();
  const ended = await outcome;
  assert.ok(!ended.ok && 'fault' in ended);
  assert.deepEqual([ended.fault.code, ended.attempts], ['model_cancelled', 1]);
  assert.deepEqual(first.events.at(-1), ['step_reset', 'model_cancelled', null]);
  assert.deepEqual(first.ledger.log, ['open 9', ['estimate', 1]]);
  const pause = new AbortController();
  const second = setUp([[fault()], [END]], { signal: pause.signal });
  const paused = runStep(second.options);
  await second.clock.advance(500);
  pause.abort();
  const over = await paused;
  assert.ok(!over.ok && 'fault' in over);
  assert.deepEqual([over.fault.code, over.attempts, second.clock.pendingTimers], ['model_cancelled', 1, 0]);
  const third = setUp([[END]], { signal: pause.signal });
  const late = await runStep(third.options);
  assert.deepEqual([late.ok, late.attempts, third.ledger.log], [false, 0, []]);
});

test('a ceiling ends the step before anything is asked', async () => {
  const ceiling = { scope: 'session', unit: 'tokens', limit: 5, used: 4 } as const;
  const { options, model, events } = setUp([[END]], {
    ledger: { open: async () => ({ ok: false, ceiling }) },
  });
  assert.deepEqual(await runStep(options), { ok: false, ceiling, attempts: 0 });
  assert.deepEqual([model.requests, events], [[], []]);
});

test('a reply whose back end did not count has its estimate', async () => {
  const call: ModelPart = { type: 'call', id: 'c', name: 'x', unparsable: '{"a' };
  const { options, ledger } = setUp([
    [
      { type: 'reasoning', delta: 'hmm?' },
      text('12345678'),
      call,
      { type: 'end', reason: 'length', usage: null },
    ],
  ]);
  const ended = await runStep(options);
  assert.ok(ended.ok && ended.nanousd === null);
  assert.deepEqual(ledger.log, ['open 9', ['estimate', 4]]);
});

test('the cap holds attempts back in order, not pauses, and gives its place back however one ends', async () => {
  const gate = new ModelCallGate(1);
  const held = await gate.enter(new AbortController().signal);
  assert.ok(held !== null);
  const first = setUp([[fault()], [text('1'), END]], { gate });
  const second = setUp([[text('2'), END]], { gate });
  const abort = new AbortController();
  const third = setUp([[END]], { gate, signal: abort.signal });
  const outcomes = [first, second, third].map(({ options }) => runStep(options));
  assert.equal(gate.waiting, 3);
  abort.abort();
  const gone = await outcomes[2];
  assert.deepEqual([gone?.ok, gone?.attempts, gate.waiting], [false, 0, 2]);
  held();
  held();
  assert.equal((await outcomes[1])?.ok, true);
  assert.equal(first.model.requests.length, 1);
  await first.clock.advance(1000);
  assert.equal((await outcomes[0])?.ok, true);
  const again = await gate.enter(new AbortController().signal);
  assert.ok(again !== null);
  again();
  assert.equal(await gate.enter(abort.signal), null);
});

test('what the ledger cannot write is the store’s word, and the place is given back', async () => {
  const gate = new ModelCallGate(1);
  const { options } = setUp([[END]], {
    gate,
    ledger: {
      open: async () => {
        throw new Error('disk');
      },
    },
  });
  await assert.rejects(runStep(options), /disk/);
  const leave = await gate.enter(new AbortController().signal);
  assert.ok(leave !== null);
  leave();
});
