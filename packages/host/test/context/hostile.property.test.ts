import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '@fairlead/base';
import fc from 'fast-check';
import { TokenEstimate } from '../../src/models/token-estimate.ts';
import { ELSEWHERE, HERE, STEP, Talk } from './talk.ts';

const word = fc.constantFrom(
  'call_1',
  'call_2',
  'trn_1',
  'trn_2',
  'author:1:0',
  'author:2:0',
  'author:5:0',
  'agt_scout',
  '',
);
const from = fc.record({
  kind: fc.constantFrom('person', 'agent', 'client', 'extension', 'schedule', 'host', 'ghost'),
  id: fc.constantFrom('agt_scout', 'agt_bob', 'tok', 'x'.repeat(600)),
  name: fc.oneof(fc.constant('scout'), fc.string()),
});
const body = fc.oneof(
  fc.record({
    type: fc.constant('message'),
    text: fc.string({ maxLength: 400, unit: 'grapheme' }),
    mentions: fc.constant([]),
    turn: word,
    step: fc.nat(2),
  }),
  fc.record({ type: fc.constant('directive'), text: fc.string() }),
  fc.record({
    type: fc.constant('ack'),
    turn: word,
    for: fc.array(word, { maxLength: 3 }),
    agent: word,
    model: word,
  }),
  fc.record({ type: fc.constant('summary'), text: fc.string(), upto: word }),
  fc.record({
    type: fc.constant('tool_call'),
    call: word,
    turn: word,
    step: fc.nat(2),
    index: fc.nat(2),
    tool: fc.oneof(word, fc.string()),
    extension: word,
    tier: fc.constantFrom('in_process', 'mcp', 'moon'),
    target: word,
    arguments: fc.dictionary(fc.string(), fc.string(), { maxKeys: 3 }),
    digest: word,
  }),
  fc.record({
    type: fc.constant('tool_result'),
    call: word,
    certainty: fc.constantFrom('completed', 'not_started', 'outcome_unknown', 'perhaps'),
    error: fc.boolean(),
    text: fc.string({ maxLength: 400 }),
    ms: fc.nat(),
    bytes: fc.nat(),
    redacted: fc.constant([]),
    hooks: fc.constant([]),
  }),
  fc.record({
    type: fc.constant('tool_settled'),
    call: word,
    certainty: fc.constantFrom('completed', 'outcome_unknown'),
  }),
  fc.jsonValue({ maxDepth: 2 }),
);
const record = fc
  .tuple(body, from, fc.boolean())
  .map(([value, speaker, isHere]): [Json, string] => [
    (typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { at: 1, from: speaker, ...value }
      : value) as Json,
    isHere ? HERE : ELSEWHERE,
  ]);

test('whatever peers wrote, a request is bounded, well formed, and each call in it has its result', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { maxLength: 60 }),
      fc.option(word),
      fc.integer({ min: 100, max: 4096 }),
      async (records, turn, bound) => {
        const talk = new Talk();
        for (const [value, peer] of records) talk.raw(value, peer);
        const asked = [talk.say('the question')];
        const context = talk.context({ asked, ...(turn === null ? {} : { turn }) });
        const { messages, budget, estimatedInput } = await context.assemble({
          ...STEP,
          maxContextTokens: bound,
        });
        assert.ok(estimatedInput <= Math.max(budget, 11));
        assert.equal(new TokenEstimate().ofPrompt(messages, []), estimatedInput);
        assert.deepEqual(messages.at(-1), { role: 'user', text: 'the question' });
        let open: readonly string[] = [];
        for (const message of messages) {
          if (message.role === 'tool') {
            assert.equal(open[0], message.call);
            open = open.slice(1);
          } else {
            assert.equal(open.length, 0);
            if (message.role === 'assistant') open = (message.calls ?? []).map(({ id }) => id);
          }
          assert.ok(message.text.isWellFormed());
        }
        assert.equal(open.length, 0);
        assert.equal(talk.read <= records.length + 1, true);
      },
    ),
    { numRuns: 300 },
  );
});
