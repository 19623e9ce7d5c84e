import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from '@fairlead/base';
import type { RunnerPayload } from '@fairlead/protocol';
import fc from 'fast-check';
import { FakeLink, say } from './fixture/fake-link.ts';

type Step =
  | { readonly do: 'request'; readonly budgetMs: number }
  | { readonly do: 'answer' | 'garble'; readonly id: number }
  | { readonly do: 'advance'; readonly ms: number }
  | { readonly do: 'write'; readonly count: number }
  | { readonly do: 'stop' | 'flow' | 'fill' | 'empty' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('request' as const),
      budgetMs: fc.integer({ min: 1, max: 9_000 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('answer' as const, 'garble' as const),
      id: fc.integer({ min: 1, max: 120 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 0, max: 3_000 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('write' as const), count: fc.integer({ min: 1, max: 70 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('stop' as const, 'flow' as const, 'fill' as const, 'empty' as const),
    }),
  },
);

test('whatever happens, a request has one outcome, its frame is sent at most once, and its certainty is what the socket shows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 200 }), async (steps) => {
      const link = new FakeLink();
      const { socket, connection } = link.registered('a');
      const outcomes: Outcome<RunnerPayload>[][] = [];
      const answered = new Set<number>();
      const sent = () => socket.ofType('request').map((frame) => Number(frame['id']));
      for (const one of steps) {
        switch (one.do) {
          case 'request': {
            const own: Outcome<RunnerPayload>[] = [];
            outcomes.push(own);
            connection.request({ kind: 'reload' }, { budgetMs: one.budgetMs }, (outcome) =>
              own.push(outcome),
            );
            break;
          }
          case 'answer':
          case 'garble': {
            const waits = sent().includes(one.id) && outcomes[one.id - 1]?.length === 0;
            if (waits) answered.add(one.id);
            const payload = { kind: 'reload', providers: [], failures: [] };
            const response = one.do === 'answer' ? { dispatch_state: 'completed', payload } : 'garbled';
            say(connection, { type: 'result', id: one.id, response });
            break;
          }
          case 'advance':
            await link.clock.advance(one.ms);
            break;
          case 'write':
            socket.write(one.count);
            break;
          case 'stop':
          case 'flow':
            socket.flows = one.do === 'flow';
            break;
          case 'fill':
          case 'empty':
            socket.bufferedBytes = one.do === 'fill' ? 2 * 1024 * 1024 : 0;
        }
      }
      connection.closed();
      const ids = sent();
      assert.equal(new Set(ids).size, ids.length, 'a frame was sent twice');
      for (const [index, own] of outcomes.entries()) {
        assert.equal(own.length, 1, 'not exactly one outcome');
        const outcome = own[0] as Outcome<RunnerPayload>;
        const id = index + 1;
        if (!ids.includes(id)) assert.equal(outcome.certainty, 'not_started');
        else if (!answered.has(id)) assert.equal(outcome.certainty, 'outcome_unknown');
      }
      assert.equal(link.clock.pendingTimers, 0);
    }),
    { numRuns: 150 },
  );
});

test('no sequence of bytes on the link throws, and the first that cannot be read ends it', () => {
  const frame = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc.json({ maxDepth: 3 }).map((text) => Buffer.from(text)),
    fc
      .record(
        {
          type: fc.constantFrom(
            'register',
            'result',
            'ping',
            'pong',
            'error',
            'goodbye',
            'request',
            'registered',
          ),
          id: fc.oneof(fc.integer(), fc.string()),
          ts: fc.integer(),
          response: fc.oneof(fc.constant({ dispatch_state: 'completed' }), fc.string()),
        },
        { requiredKeys: ['type'] },
      )
      .map((value) => Buffer.from(JSON.stringify(value))),
  );
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 30 }), fc.boolean(), (frames, isRegistered) => {
      const link = new FakeLink();
      const { connection, socket } = isRegistered ? link.registered('a') : link.attach('a');
      for (const bytes of frames) connection.receive(bytes, false);
      connection.closed();
      assert.deepEqual(link.hub.runners(), []);
      assert.ok(socket.ofType('error').length <= 1);
      assert.equal(link.clock.pendingTimers, 0);
    }),
    { numRuns: 300 },
  );
});
