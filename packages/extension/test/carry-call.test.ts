import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeExtension } from '../src/authoring/extension.ts';
import { ToolFault } from '../src/authoring/tool-fault.ts';
import type { CallRequest } from '../src/carrier/carrier.ts';
import { ThreadCarrier } from '../src/carrier/thread-carrier.ts';
import { carryCall, carryTool } from '../src/dispatch/carry-call.ts';
import { hasValue, toolAnswer } from '../src/dispatch/outcome.ts';
import { CONTEXT, dispatching } from './dispatching.ts';

const aborted = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

type Context = { readonly signal: AbortSignal };

/** One tool of each way to end. */
async function tools() {
  const { clock, wheel } = dispatching();
  const tool = (run: (args: unknown, ctx: Context) => unknown, effect?: string) => ({
    about: 'x',
    run,
    effect,
  });
  const extension = makeExtension(
    {
      name: 'tools',
      version: '1',
      tools: {
        now: tool(() => 'now'),
        later: tool(async () => 'later'),
        hangs: tool(() => new Promise(() => {})),
        settles: tool(async (_args, { signal }) => {
          await aborted(signal);
          return 'just in time';
        }),
        gives_up: tool(async (_args, { signal }) => {
          await aborted(signal);
          throw signal.reason;
        }),
        knows: tool(async (_args, { signal }) => {
          await aborted(signal);
          throw new ToolFault('not_started', 'nothing was sent');
        }),
        partly: tool(async (_args, { signal }) => {
          await aborted(signal);
          throw new ToolFault('outcome_unknown', 'it was stopped', { detail: { partial: 'half a loaf' } });
        }),
        reads: tool(async (_args, { signal }) => {
          await aborted(signal);
          throw new Error('gave up reading');
        }, 'read'),
      },
      commands: { hangs: { about: 'x', run: () => new Promise(() => {}) } },
    },
    false,
  );
  const host = { ask: () => null, log: () => {}, changed: () => {} };
  const carrier = new ThreadCarrier(extension, { host, clock });
  await carrier.open({ instance: 'g', kind: 'global', key: '', settings: {} });
  let calls = 0;
  const request = (name: string, endpoint: 'tool' | 'command' = 'tool'): CallRequest => {
    calls += 1;
    return { call: `call_${calls}`, instance: 'g', endpoint, name, input: {}, context: CONTEXT };
  };
  const carry = (name: string, signal?: AbortSignal) =>
    Promise.resolve(carryTool(carrier, request(name), { wheel, budgetMs: 60_000, signal }));
  return { carrier, clock, wheel, request, carry };
}

const fault = (certainty: string, code: string) => ({ certainty, code });

async function said(outcome: ReturnType<Awaited<ReturnType<typeof tools>>['carry']>): Promise<unknown> {
  const ended = await outcome;
  return hasValue(ended) ? ended.value : fault(ended.certainty, ended.fault.code);
}

test('what answers at once is an outcome at once', async () => {
  const { carrier, request, wheel, carry } = await tools();
  assert.deepEqual(carryTool(carrier, request('now'), { wheel, budgetMs: 1 }), {
    certainty: 'completed',
    value: { text: 'now', isError: false },
  });
  assert.deepEqual(await said(carry('later')), { text: 'later', isError: false });
  assert.deepEqual(await said(carry('nope')), fault('not_started', 'tool_not_found'));
});

test('a tool that hangs is aborted at its time, and is of unknown outcome one second later', async () => {
  const { clock, carry, carrier } = await tools();
  let ended: unknown;
  void said(carry('hangs')).then((outcome) => {
    ended = outcome;
  });
  await clock.advance(60_999);
  assert.equal(ended, undefined);
  await clock.advance(1);
  assert.deepEqual(ended, fault('outcome_unknown', 'tool_timeout'));
  await carrier.idle();
  assert.equal(clock.pendingTimers, 0);
});

test('within that second a tool may still say how it ended', async () => {
  for (const [name, expected] of [
    ['settles', { text: 'just in time', isError: false }],
    ['gives_up', fault('outcome_unknown', 'tool_timeout')],
    ['knows', fault('not_started', 'tool_failed')],
    ['reads', fault('completed', 'tool_failed')],
  ] as const) {
    const { clock, carry } = await tools();
    const outcome = said(carry(name));
    await clock.advance(60_000);
    assert.deepEqual(await outcome, expected);
    assert.equal(clock.pendingTimers, 0);
  }
});

test('what there was of an answer is shown although the time had passed', async () => {
  const { clock, carry } = await tools();
  const outcome = Promise.resolve(carry('partly')).then(toolAnswer);
  await clock.advance(60_000);
  assert.deepEqual(await outcome, {
    certainty: 'outcome_unknown',
    text: 'tool_timeout: The tool did not answer within its time.\nhalf a loaf',
    isError: true,
    detail: { partial: 'half a loaf' },
  });
});

test('a cancelled call ends the same way, and is told from a late one', async () => {
  const { clock, carry } = await tools();
  const cancel = new AbortController();
  const outcome = said(carry('hangs', cancel.signal));
  const settled = said(carry('settles', cancel.signal));
  cancel.abort();
  assert.deepEqual(await settled, { text: 'just in time', isError: false });
  await clock.advance(1000);
  assert.deepEqual(await outcome, fault('outcome_unknown', 'call_cancelled'));
  assert.deepEqual(await said(carry('now', cancel.signal)), fault('not_started', 'call_cancelled'));
});

test('other endpoints have codes of their own', async () => {
  const { carrier, clock, request, wheel } = await tools();
  const outcome = carryCall(carrier, request('hangs', 'command'), {
    wheel,
    budgetMs: 60_000,
    timeoutCode: 'command_timeout',
  });
  await clock.advance(61_000);
  const ended = await outcome;
  assert.ok(!hasValue(ended));
  assert.equal(ended.fault.code, 'command_timeout');
});

test('what a carrier throws without a code is of unknown outcome, and its text is cut', async () => {
  const { request, wheel } = await tools();
  const broken = {
    call(): never {
      throw new Error('x'.repeat(1000));
    },
  };
  const outcome = await carryTool(broken, request('now'), { wheel, budgetMs: 1 });
  assert.ok(!hasValue(outcome));
  assert.deepEqual(
    [outcome.certainty, outcome.fault.code, outcome.fault.message.length],
    ['outcome_unknown', 'tool_failed', 400],
  );
});

test('an outcome reads as an answer that begins with its code', () => {
  assert.deepEqual(toolAnswer({ certainty: 'completed', value: { text: 'x', data: 1, isError: true } }), {
    certainty: 'completed',
    text: 'x',
    data: 1,
    isError: true,
  });
  assert.deepEqual(toolAnswer({ certainty: 'not_started', fault: { code: 'tool_blocked', message: 'no' } }), {
    certainty: 'not_started',
    text: 'tool_blocked: no',
    isError: true,
  });
});
