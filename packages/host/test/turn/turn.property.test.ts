import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineExtension, s, ToolFault } from '@fairlead/extension';
import fc from 'fast-check';
import type { Entry } from '../../src/entries/entry.ts';
import { type Said, saidModel } from './said-model.ts';
import { turnRoom } from './turn-room.ts';

const NAMES = ['look', 'write', 'fail', 'ask', 'nowhere', 'not a name'] as const;

const call = fc.record({
  name: fc.constantFrom(...NAMES),
  given: fc.oneof(fc.record({ at: fc.constantFrom('a', 'b') }), fc.constant({}), fc.constant('{"at": ')),
});
const said: fc.Arbitrary<Said> = fc.record(
  {
    text: fc.constantFrom('', ' ', 'Well.', 'secret-of-this-host'),
    calls: fc.array(call, { maxLength: 4 }),
    reason: fc.constantFrom('stop', 'calls', 'length', 'filter'),
  },
  { requiredKeys: [] },
);
const running = fc.record({
  replies: fc.array(said, { minLength: 1, maxLength: 6 }),
  maxIterations: fc.integer({ min: 1, max: 4 }),
  /** Cancelled while the tool of this call runs; 0 is never. */
  cancelledAt: fc.integer({ min: 0, max: 6 }),
});

test('whatever a model says, a turn has one beginning, one end, an answer to each call, and no step too many', async (t) => {
  let ran = 0;
  let cancel = new AbortController();
  let cancelledAt = 0;
  let reply = saidModel();
  const count = () => {
    ran += 1;
    if (ran === cancelledAt) cancel.abort();
  };
  const args = { at: s.string() };
  const tools = defineExtension({
    name: 'tools',
    version: '1.0.0',
    tools: {
      look: {
        about: 'Looks.',
        args,
        effect: 'read',
        run: ({ at }) => {
          count();
          return `saw ${at}`;
        },
      },
      write: {
        about: 'Writes.',
        args,
        run: () => {
          count();
          return '';
        },
      },
      fail: {
        about: 'Fails.',
        args,
        run: () => {
          count();
          throw new ToolFault('not_started', 'secret-of-this-host');
        },
      },
      ask: { about: 'Asks.', args, approval: 'always', run: () => assert.fail('nobody was asked') },
    },
  });
  const room = await turnRoom(t, {
    extensions: [tools],
    secrets: ['secret-of-this-host'],
    model: { stream: (request) => reply.stream(request) },
  });
  await fc.assert(
    fc.asyncProperty(running, async ({ replies, maxIterations, ...given }) => {
      ran = 0;
      cancel = new AbortController();
      cancelledAt = given.cancelledAt;
      reply = saidModel(...replies);
      const before = (await room.entries()).length;
      const report = await room.ask('Go', {
        ...{ maxIterations, signal: cancel.signal },
        attended: () => false,
      });
      const entries = (await room.entries()).slice(before);
      const of = <T extends Entry['type']>(type: T) =>
        entries.filter((entry): entry is Extract<Entry, { readonly type: T }> => entry.type === type);
      assert.deepEqual(
        entries
          .map(({ type }) => type === 'ack' || type === 'turn_end')
          .flatMap((is, at) => (is ? [at] : [])),
        [1, entries.length - 1],
      );
      const [calls, results] = [of('tool_call'), of('tool_result')];
      assert.deepEqual(calls.map((entry) => entry.call).sort(), results.map((entry) => entry.call).sort());
      for (const result of results) {
        const asked = entries.findIndex((entry) => entry.type === 'tool_call' && entry.call === result.call);
        assert.ok(asked >= 0 && asked < entries.indexOf(result));
      }
      assert.deepEqual(report.calls.map((one) => one.call).sort(), calls.map((entry) => entry.call).sort());
      assert.ok(report.steps <= maxIterations + 1, `${report.steps} steps`);
      assert.equal(reply.requests.length, report.steps);
      assert.ok(reply.requests.filter(({ tools: offered }) => offered.length > 0).length <= maxIterations);
      assert.equal(of('turn_end')[0]?.status, report.status);
      assert.equal(report.status === 'cancelled', cancel.signal.aborted);
      const finals = of('message').filter(({ from, final }) => from.kind === 'agent' && final !== false);
      assert.equal(finals.length, report.status === 'completed' ? 1 : 0);
      assert.ok(!JSON.stringify([entries, report]).includes('secret-of-this-host'));
      for (const { messages } of reply.requests) answersFollowCalls(messages);
    }),
    { numRuns: 60 },
  );
});

/** Each call has its answer behind it, each answer its call. */
function answersFollowCalls(
  messages: Parameters<ReturnType<typeof saidModel>['stream']>[0]['messages'],
): void {
  const open = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool') assert.ok(open.delete(message.call), 'an answer to nothing');
    else assert.equal(open.size, 0, 'a call without an answer');
    if (message.role === 'assistant') for (const { id } of message.calls ?? []) open.add(id);
  }
  assert.equal(open.size, 0, 'a call without an answer');
}
