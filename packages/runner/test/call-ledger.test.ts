// native-plugin-protocol §15, "Settling"
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { completed, failed, type Outcome } from '@fairlead/base';
import type { RequestFrame, RunnerPayload, RunnerRequest } from '@fairlead/protocol';
import { manualClock, seededRandom } from '@fairlead/testing';
import fc from 'fast-check';
import { CallLedger } from '../src/calls/call-ledger.ts';
import { SeenCalls } from '../src/calls/seen-calls.ts';

const MINUTE = 60_000;
const MIB = 1024 * 1024;

const CALL: RunnerRequest = {
  kind: 'tools_call',
  provider: 'p',
  provider_instance: 'pin_1',
  tool: 't',
  observation: 'o',
  arguments: {},
};

function saying(text: string): Outcome<RunnerPayload> {
  return completed({ kind: 'tools_call', result: { content: [{ type: 'text', text }] } });
}

/** A ledger and one connection of it; `ends` finishes the requests that were carried out, by call id. */
function ledgered() {
  const clock = manualClock();
  const began: string[] = [];
  const ends = new Map<string, (outcome: Outcome<RunnerPayload>) => void>();
  let current = '';
  const ledger = new CallLedger({
    clock,
    carryOut: (request, budgetMs, answer) => {
      began.push(`${request.kind} ${budgetMs}`);
      ends.set(current, answer);
    },
  });
  const connection = () => {
    const said: string[] = [];
    const reply = {
      answer: (text: string) => void said.push(text),
      ended: (call: string) => void said.push(`ended ${call}`),
    };
    const ask = (request: RunnerRequest, call?: string): void => {
      current = call ?? '';
      const frame = { type: 'request', id: 1, deadline_ms: 5, request } as const;
      ledger.handle((call === undefined ? frame : { ...frame, call }) as RequestFrame, reply);
    };
    return {
      said,
      call: (call: string) => ask(CALL, call),
      ask,
      /** The state of a call, and with it what its answer said. */
      outcome(call: string): string {
        ask({ kind: 'outcome', call });
        const { dispatch_state, payload } = JSON.parse(said.pop() ?? '');
        assert.deepEqual([dispatch_state, payload.kind, payload.call], ['completed', 'outcome', call]);
        const { state, response } = payload;
        assert.equal(response !== undefined, state === 'completed');
        if (response === undefined) return state;
        const { payload: value, error } = response;
        return `${state} ${response.dispatch_state} ${error?.code ?? value.result.content[0].text}`;
      },
    };
  };
  return {
    clock,
    ledger,
    began,
    connection,
    end: (call: string, outcome = saying(call)) => ends.get(call)?.(outcome),
  };
}

describe('what a Runner says of a call', () => {
  test('running until it ends, then its whole answer, on whichever connection it is asked', () => {
    const { connection, end } = ledgered();
    const first = connection();
    first.call('call_1');
    assert.equal(first.outcome('call_1'), 'running');
    const second = connection();
    end('call_1');
    assert.equal(second.outcome('call_1'), 'completed completed call_1');
    assert.equal(second.outcome('call_1'), 'completed completed call_1');
  });

  test('the answer that is kept is, byte for byte, the one that was sent', () => {
    const { connection, end } = ledgered();
    const link = connection();
    link.call('call_1');
    end('call_1', saying('ü "quoted" \u2028'));
    const [sent = ''] = link.said;
    link.ask({ kind: 'outcome', call: 'call_1' });
    assert.equal(
      link.said[1],
      `{"dispatch_state":"completed","payload":{"kind":"outcome","call":"call_1","state":"completed","response":${sent}}}`,
    );
  });

  test('an error is kept with its certainty', () => {
    const { connection, end } = ledgered();
    const link = connection();
    link.call('call_1');
    end('call_1', failed('outcome_unknown', 'plugin_eof', 'Ended.'));
    assert.equal(link.outcome('call_1'), 'completed outcome_unknown plugin_eof');
  });

  test('check, reload and config_reload are kept; what only reads is not, and neither is a call without an id', () => {
    const { connection, end, began } = ledgered();
    const link = connection();
    for (const kind of ['reload', 'config_reload'] as const) link.ask({ kind }, kind);
    link.ask({ kind: 'check', provider: 'p' }, 'check');
    link.ask({ kind: 'providers_list' }, 'list');
    link.ask(CALL);
    assert.deepEqual(began, ['reload 5', 'config_reload 5', 'check 5', 'providers_list 5', 'tools_call 5']);
    for (const call of ['reload', 'config_reload', 'check', 'list', '']) end(call);
    assert.equal(link.outcome('reload'), 'completed completed reload');
    assert.equal(link.outcome('config_reload'), 'completed completed config_reload');
    assert.equal(link.outcome('check'), 'completed completed check');
    assert.equal(link.outcome('list'), 'never_seen');
  });
});

describe('never_seen', () => {
  test('is a promise: a request with that id that comes later is refused, not_started, on any connection', () => {
    const { connection, began, ledger } = ledgered();
    assert.equal(connection().outcome('call_late'), 'never_seen');
    const other = connection();
    other.call('call_late');
    assert.deepEqual(began, []);
    assert.deepEqual(JSON.parse(other.said[0] ?? ''), {
      dispatch_state: 'not_started',
      error: {
        code: 'plugin_call_entombed',
        message: 'The request came after the Runner had said that it never would; nothing was sent.',
      },
    });
    assert.equal(other.outcome('call_late'), 'never_seen');
    ledger[Symbol.dispose]();
  });

  test('is not said any more once 65,536 ids are entombed', () => {
    const { connection } = ledgered();
    const link = connection();
    for (let index = 0; index < 65_536; index += 1) assert.equal(link.outcome(`call_${index}`), 'never_seen');
    assert.equal(link.outcome('call_more'), 'forgotten');
    assert.equal(link.outcome('call_7'), 'never_seen');
  });
});

describe('a call id serves once', () => {
  test('a second request with it is not carried out while the first runs, and while its answer is kept', () => {
    const { connection, end, began } = ledgered();
    const link = connection();
    link.call('call_1');
    link.call('call_1');
    const code = () => JSON.parse(link.said.at(-1) ?? '').error?.code;
    assert.equal(code(), 'plugin_call_repeated');
    end('call_1');
    assert.equal(code(), undefined);
    link.call('call_1');
    assert.equal(code(), 'plugin_call_repeated');
    assert.deepEqual(began, ['tools_call 5']);
    assert.equal(link.outcome('call_1'), 'completed completed call_1');
  });
});

test('a request that a network delivers twice is not answered as if the call had never begun', () => {
  const { connection } = ledgered();
  const link = connection();
  link.call('call_1');
  link.call('call_1');
  const { dispatch_state, error } = JSON.parse(link.said.at(-1) ?? '');
  assert.deepEqual([dispatch_state, error.code], ['outcome_unknown', 'plugin_call_repeated']);
});

describe('ended', () => {
  test('is told to the connection that was told running last, once, after the answer is kept', () => {
    const { connection, end } = ledgered();
    const [first, second] = [connection(), connection()];
    first.call('call_1');
    assert.equal(first.outcome('call_1'), 'running');
    assert.equal(second.outcome('call_1'), 'running');
    end('call_1');
    assert.deepEqual(second.said, ['ended call_1']);
    assert.equal(first.said.length, 1);
    assert.equal(JSON.parse(first.said[0] ?? '').dispatch_state, 'completed');
  });

  test('is told to nobody who did not ask', () => {
    const { connection, end } = ledgered();
    const link = connection();
    link.call('call_1');
    end('call_1');
    assert.equal(link.said.length, 1);
  });
});

describe('what is kept is bounded', () => {
  test('256 answers: the one that ended first is forgotten first', () => {
    const { connection, end } = ledgered();
    const link = connection();
    for (let index = 0; index <= 256; index += 1) {
      link.call(`call_${index}`);
      end(`call_${index}`);
    }
    assert.equal(link.outcome('call_0'), 'forgotten');
    assert.equal(link.outcome('call_1'), 'completed completed call_1');
    assert.equal(link.outcome('call_256'), 'completed completed call_256');
  });

  test('32 MiB of answers', () => {
    const { connection, end } = ledgered();
    const link = connection();
    const text = 'x'.repeat(MIB);
    for (let index = 0; index < 32; index += 1) {
      link.call(`call_${index}`);
      end(`call_${index}`, saying(text));
    }
    assert.equal(link.outcome('call_0'), 'forgotten');
    assert.equal(link.outcome('call_1'), `completed completed ${text}`);
  });

  test('15 minutes, and nothing is held after that', async () => {
    const { connection, end, clock, ledger } = ledgered();
    const link = connection();
    link.call('call_1');
    end('call_1');
    await clock.advance(MINUTE);
    link.call('call_2');
    end('call_2');
    await clock.advance(14 * MINUTE - 1);
    assert.equal(link.outcome('call_1'), 'completed completed call_1');
    await clock.advance(1);
    assert.equal(link.outcome('call_1'), 'forgotten');
    assert.equal(link.outcome('call_2'), 'completed completed call_2');
    await clock.advance(MINUTE);
    assert.equal(link.outcome('call_2'), 'forgotten');
    assert.equal(clock.pendingTimers, 0);
    link.call('call_3');
    end('call_3');
    assert.equal(clock.pendingTimers, 1);
    ledger[Symbol.dispose]();
    assert.equal(clock.pendingTimers, 0);
  });
});

test('whatever comes, ends, is asked and grows old: no state contradicts what was carried out', async () => {
  const id = fc.integer({ min: 0, max: 30 }).map((number) => `call_${number}`);
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ do: fc.constant('call' as const), id }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('end' as const), id }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('ask' as const), id }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('age' as const), minutes: fc.integer({ min: 1, max: 9 }) }),
    },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
      const { connection, end, began, clock } = ledgered();
      const link = connection();
      const running = new Set<string>();
      const ended = new Map<string, number>();
      const denied = new Set<string>();
      for (const next of steps) {
        if (next.do === 'age') {
          await clock.advance(next.minutes * MINUTE);
          continue;
        }
        const { id: call } = next;
        if (next.do === 'call') {
          const before = began.length;
          link.call(call);
          const carriedOut = began.length > before;
          assert.equal(carriedOut && (denied.has(call) || running.has(call)), false, call);
          if (carriedOut) running.add(call);
        } else if (next.do === 'end') {
          if (!running.delete(call)) continue;
          end(call);
          ended.set(call, clock.monotonicMs());
        } else {
          const isOld = clock.monotonicMs() - (ended.get(call) ?? 0) >= 15 * MINUTE;
          const expected = running.has(call)
            ? 'running'
            : !ended.has(call)
              ? 'never_seen'
              : isOld
                ? 'forgotten'
                : `completed completed ${call}`;
          assert.equal(link.outcome(call), expected);
          if (expected === 'never_seen') denied.add(call);
        }
      }
    }),
    { numRuns: 200 },
  );
});

test('an id that came is never denied; of those that did not, next to none is held for one that did', (t) => {
  const random = seededRandom(undefined, t);
  const ids = (count: number) =>
    Array.from({ length: count }, () => `call_${Buffer.from(random(16)).toString('base64url')}`);
  const seen = new SeenCalls();
  const came = ids(50_000);
  for (const call of came) seen.add(call);
  assert.equal(
    came.every((call) => seen.mayHave(call)),
    true,
  );
  const mistaken = ids(50_000).filter((call) => seen.mayHave(call)).length;
  assert.ok(mistaken < 25, `${mistaken} of 50,000`);
});
