import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Conversation, fit } from '../../src/context/fit.ts';
import { Measure } from '../../src/context/measure.ts';
import { type Piece, textPiece } from '../../src/context/piece.ts';
import { toolMessage } from '../../src/context/tool-message.ts';
import type { Message } from '../../src/models/model.ts';
import { TokenEstimate } from '../../src/models/token-estimate.ts';

const size = fc.oneof(fc.nat(60), fc.nat(4000));

const text = fc
  .tuple(fc.constantFrom('user', 'assistant'), size)
  .map(([role, length]): Piece => textPiece(role as 'user' | 'assistant', 'x'.repeat(length)));
const stepOf = fc.array(fc.tuple(size, fc.boolean()), { minLength: 1, maxLength: 3 }).map(
  (results): Piece => ({
    messages: [
      {
        role: 'assistant',
        text: '',
        calls: results.map((_, index) => ({ id: `c${index}`, name: 'look', arguments: {} })),
      },
      ...results.map(([length, isKnown], index) =>
        toolMessage({
          call: `c${index}`,
          tool: 'look',
          certainty: isKnown ? 'completed' : 'outcome_unknown',
          text: 'r'.repeat(length),
          isError: false,
        }),
      ),
    ],
  }),
);
const piece = fc.oneof(text, stepOf);
const conversations: fc.Arbitrary<Conversation> = fc.record({
  summary: fc.array(text, { maxLength: 1 }),
  history: fc.array(piece, { maxLength: 12 }),
  asked: fc.array(text, { maxLength: 3 }),
  steps: fc.array(stepOf, { maxLength: 6 }),
});

function cost(messages: readonly Message[]): number {
  return new TokenEstimate().ofPrompt(messages, []);
}

test('a request never passes its room, unless what must stay does by itself', () => {
  fc.assert(
    fc.property(conversations, fc.integer({ min: -10, max: 6000 }), (conversation, room) => {
      const measure = new Measure(new TokenEstimate());
      const { history, asked, steps } = fit(conversation, room, measure);
      const total = cost([...history, ...asked, ...steps]);
      if (total <= room) return;
      const last = (pieces: readonly Piece[]) => pieces.at(-1)?.messages ?? [];
      const isAlone = conversation.asked.length === 0 && conversation.steps.length === 0;
      const earlier = conversation.history.length > 0 ? conversation.history : conversation.summary;
      const stays = [
        ...(isAlone ? last(earlier) : []),
        ...last(conversation.asked),
        ...last(conversation.steps),
      ].map((message) => measure.short(message).message);
      assert.equal(total, cost(stays));
    }),
    { numRuns: 500 },
  );
});

test('what is shown is in its order, and every call has its results right behind it', () => {
  fc.assert(
    fc.property(conversations, fc.integer({ min: 0, max: 6000 }), (conversation, room) => {
      const { history, asked, steps } = fit(conversation, room, new Measure(new TokenEstimate()));
      const all = [conversation.summary, conversation.history, conversation.asked, conversation.steps]
        .flat()
        .flatMap(({ messages }) => messages);
      const measure = new Measure(new TokenEstimate());
      const keys = all.map((message) =>
        [message, measure.short(message).message].map((one) => JSON.stringify(one)),
      );
      let at = 0;
      const sent = [...history, ...asked, ...steps];
      for (const message of sent) {
        const found = keys.findIndex(
          (forms, index) => index >= at && forms.includes(JSON.stringify(message)),
        );
        assert.notEqual(found, -1);
        at = found + 1;
      }
      sent.forEach((message, index) => {
        if (message.role === 'assistant')
          message.calls?.forEach(({ id }, call) => {
            const answer = sent[index + 1 + call];
            assert.ok(answer?.role === 'tool' && answer.call === id);
          });
        if (message.role === 'tool') assert.match(sent[index - 1]?.role ?? '', /^(?:assistant|tool)$/);
      });
    }),
    { numRuns: 300 },
  );
});

test('what fits is sent as it is, and nothing is dropped while results that are not among the newest have their words', () => {
  fc.assert(
    fc.property(conversations, fc.nat(6000), (conversation, room) => {
      const measure = new Measure(new TokenEstimate());
      const { history, asked, steps, left } = fit(conversation, room, measure);
      const all = [conversation.summary, conversation.history, conversation.asked, conversation.steps]
        .flat()
        .flatMap(({ messages }) => messages);
      if (cost(all) <= room) assert.deepEqual([...history, ...asked, ...steps], all);
      if (left.entries === 0) return;
      const last = conversation.steps.at(-1)?.messages ?? [];
      const whole = [...history, ...steps].filter(
        (message) =>
          message.role === 'tool' && !last.includes(message) && measure.short(message).message !== message,
      );
      assert.ok(cost(whole) <= room / 2);
    }),
    { numRuns: 300 },
  );
});
