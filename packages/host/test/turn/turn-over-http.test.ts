import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { defineExtension, s } from '@fairlead/extension';
import { hygiene, waitFor } from '@fairlead/testing';
import {
  anthropicBlock,
  anthropicEnd,
  anthropicStart,
  anthropicStream,
  modelStub,
  openAiDelta,
  openAiStream,
  refuse,
  stream,
} from '../models/model-stub.ts';
import { type TurnRoom, turnRoom } from './turn-room.ts';

function looking() {
  const ran: string[] = [];
  const extension = defineExtension({
    name: 'looking',
    version: '1.0.0',
    tools: {
      look: {
        about: 'Looks.',
        args: { at: s.string() },
        run: ({ at }) => {
          ran.push(at);
          return `saw ${at}`;
        },
      },
    },
  });
  return { ran, extension };
}

/** Moves the clock on whenever the turn waits for its next attempt. */
async function through<T>({ host: { clock } }: TurnRoom, work: Promise<T>): Promise<T> {
  let done = false;
  const end = work.finally(() => {
    done = true;
  });
  await waitFor(
    async () => {
      if (!done) await clock.advance(500);
      return done;
    },
    { what: 'the end of the turn' },
  );
  return await end;
}

const openAiCall = (given: string): JsonObject =>
  openAiDelta({
    tool_calls: [{ index: 0, id: 'c0', type: 'function', function: { name: 'look', arguments: given } }],
  });

test('a turn comes through 429, 500, half a stream, garbage and a cut call, and each tool runs once', async (t) => {
  hygiene(t);
  const stub = await modelStub(t);
  const half = openAiStream(openAiDelta({ content: 'Half ' }), openAiCall('{"at":"half"}'));
  stub.answers.push(
    refuse(429, { error: { message: 'slow down' } }, { 'retry-after': '1' }),
    refuse(500, { error: { message: 'oops' } }),
    stream(half.replace('data: [DONE]\n\n', ''), { ends: false }),
    stream(
      openAiStream(openAiDelta({ content: 'Cut.' }), openAiCall('{"at":"cu'), openAiDelta({}, 'length')),
    ),
    stream('data: {"choices": nonsense\n\n'),
    stream(
      openAiStream(openAiDelta({ content: 'So:' }), openAiCall('{"at":"a"}'), openAiDelta({}, 'tool_calls')),
    ),
    stream(openAiStream(openAiDelta({ content: 'It is a.' }), openAiDelta({}, 'stop')), { size: 7 }),
  );
  const { ran, extension } = looking();
  const backend = { type: 'openai_compatible', base_url: `${stub.url}/v1` };
  const room = await turnRoom(t, { backend, extensions: [extension] });
  const report = await through(room, room.ask('What is there?'));
  assert.deepEqual(ran, ['a']);
  assert.deepEqual((await room.told()).slice(1), [
    'ack 1',
    'ann: Cut. …',
    'error reply_cut',
    'ann: So: …',
    'call look {"at":"a"}',
    'result completed: saw a',
    'ann: It is a.',
    'end completed 3',
  ]);
  assert.equal(report.steps, 3);
  assert.equal(stub.requests.length, 7);
  const attempts = await room.store.read<{ attempts: number }>(
    'SELECT count(*) AS attempts FROM usage LIMIT 1',
  );
  assert.equal(attempts[0]?.attempts, 7);
  const messages = stub.requests.at(-1)?.body['messages'] as readonly JsonObject[];
  assert.deepEqual(
    messages.map(({ role }) => role),
    ['user', 'assistant', 'user', 'assistant', 'tool'],
  );
});

test('what a model thought and signed goes back to it within the turn, and is stored nowhere', async (t) => {
  hygiene(t);
  const stub = await modelStub(t);
  stub.answers.push(
    stream(
      anthropicStream(
        anthropicStart(),
        ...anthropicBlock(
          0,
          { type: 'thinking', thinking: '', signature: '' },
          { type: 'thinking_delta', thinking: 'Let me look.' },
          { type: 'signature_delta', signature: 'signed-by-the-model' },
        ),
        ...anthropicBlock(
          1,
          { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} },
          { type: 'input_json_delta', partial_json: '{"at":"a"}' },
        ),
        ...anthropicEnd('tool_use'),
      ),
    ),
    stream(
      anthropicStream(
        anthropicStart(),
        ...anthropicBlock(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'It is a.' }),
        ...anthropicEnd('end_turn'),
      ),
    ),
  );
  const { ran, extension } = looking();
  const backend = { type: 'anthropic', base_url: `${stub.url}/v1`, api_key_env: 'KEY' };
  const room = await turnRoom(t, { backend, extensions: [extension] });
  const report = await through(room, room.ask('What is there?'));
  assert.deepEqual(ran, ['a']);
  assert.equal(report.text, 'It is a.');
  assert.ok(JSON.stringify(stub.requests[1]?.body).includes('signed-by-the-model'));
  const stored = JSON.stringify(await room.entries());
  assert.ok(!stored.includes('signed-by-the-model') && !stored.includes('Let me look'));
  assert.ok(room.heard.some((event) => event.kind === 'delta' && event.what === 'reasoning'));
});

test('a back end that fails for good ends the turn, and nothing of its words is anybody’s', async (t) => {
  hygiene(t);
  const stub = await modelStub(t);
  stub.answers.push(refuse(401, { error: { message: 'bad key key-of-the-test' } }));
  const backend = { type: 'openai_compatible', base_url: `${stub.url}/v1`, api_key_env: 'KEY' };
  const room = await turnRoom(t, { backend, secrets: ['key-of-the-test'] });
  const report = await through(room, room.ask('Hi'));
  assert.deepEqual([report.status, report.code], ['failed', 'model_denied']);
  assert.ok(!JSON.stringify([report, await room.entries()]).includes('key-of-the-test'));
});
