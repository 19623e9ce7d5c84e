import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '@fairlead/testing';
import fc from 'fast-check';
import { aiSdkModel } from '../../src/models/ai-sdk/ai-sdk-model.ts';
import { ModelFault } from '../../src/models/model.ts';
import { ask } from './asked.ts';
import {
  anthropicBlock,
  anthropicEnd,
  anthropicStart,
  anthropicStream,
  openAiDelta,
  openAiStream,
  openAiUsage,
} from './model-stub.ts';

const WHOLE = {
  openai_compatible: openAiStream(
    openAiDelta({ role: 'assistant', content: 'Grüße ' }),
    openAiDelta({ tool_calls: [{ index: 0, id: 'c0', function: { name: 'now', arguments: '{"a":' } }] }),
    openAiDelta({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }),
    openAiDelta({}, 'tool_calls'),
    openAiUsage({ prompt_tokens: 3, completion_tokens: 4 }),
  ),
  anthropic: anthropicStream(
    anthropicStart(),
    ...anthropicBlock(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'Grüße ' }),
    ...anthropicBlock(
      1,
      { type: 'tool_use', id: 'c0', name: 'now', input: {} },
      { type: 'input_json_delta', partial_json: '{"a":' },
      { type: 'input_json_delta', partial_json: '1}' },
    ),
    ...anthropicEnd('tool_use'),
  ),
};

/** A change to a stream: some of it replaced by other bytes, by a copy of another part, or by nothing. */
const change = fc.record({
  at: fc.nat(5000),
  take: fc.nat(60),
  put: fc.oneof(
    fc.uint8Array({ maxLength: 20 }),
    fc
      .constantFrom(
        'null',
        '{}',
        '[]',
        '\n\n',
        'data: ',
        '1e999',
        '"',
        '\ud83d',
        'data: {"error":{"message":"x"}}\n\n',
      )
      .map((text) => Buffer.from(text)),
  ),
});

for (const type of ['openai_compatible', 'anthropic'] as const)
  test(`whatever comes from a back end of type ${type}, it is a whole reply or one fault, and calls are whole`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 400 }),
        async (changes, size) => {
          let bytes: Buffer = Buffer.from(WHOLE[type]);
          for (const { at, take, put } of changes) {
            const start = at % bytes.length || 0;
            bytes = Buffer.concat([bytes.subarray(0, start), put, bytes.subarray(start + take)]);
          }
          let sent = 0;
          const model = aiSdkModel({
            type,
            model: 'tiny',
            baseUrl: 'http://127.0.0.1:9',
            apiKeyEnv: 'K',
            env: { K: 'key' },
            fetch: async () =>
              new Response(
                new ReadableStream({
                  pull(controller) {
                    if (sent >= bytes.length) controller.close();
                    else controller.enqueue(bytes.subarray(sent, sent + size));
                    sent += size;
                  },
                }),
                { headers: { 'content-type': 'text/event-stream' } },
              ),
            clock: manualClock(),
            requestTimeoutMs: 1000,
          });
          const { parts, fault } = await ask(model);
          const ends = parts.filter(({ type: kind }) => kind === 'end').length;
          if (fault === undefined) {
            assert.equal(ends, 1);
            assert.equal(parts.at(-1)?.type, 'end');
          } else {
            assert.ok(fault instanceof ModelFault, String(fault));
            assert.ok(!parts.some(({ type: kind }) => kind === 'call' || kind === 'end'));
          }
          for (const part of parts) if (part.type === 'text') assert.ok(part.delta.isWellFormed());
        },
      ),
      { numRuns: 150 },
    );
  });
