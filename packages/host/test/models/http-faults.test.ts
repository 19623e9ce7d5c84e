import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, test } from 'node:test';
import type { Json } from '@fairlead/base';
import { hygiene, manualClock, waitFor } from '@fairlead/testing';
import type { ModelFault } from '../../src/models/model.ts';
import { ask, httpModel, KEY, requestWith, textOf } from './asked.ts';
import {
  anthropicBlock,
  anthropicStart,
  anthropicStream,
  modelStub,
  openAiDelta,
  openAiStream,
  refuse,
  silent,
  stall,
  stream,
} from './model-stub.ts';

const TYPES = ['openai_compatible', 'anthropic'] as const;

/** Half a reply, with a call that has all of its arguments. */
const HALF = {
  openai_compatible: openAiStream(
    openAiDelta({ content: 'half ' }),
    openAiDelta({ tool_calls: [{ index: 0, id: 'c0', function: { name: 'now', arguments: '{}' } }] }),
  ).replace('data: [DONE]\n\n', ''),
  anthropic: anthropicStream(
    anthropicStart(),
    ...anthropicBlock(0, { type: 'text', text: '' }, { type: 'text_delta', text: 'half ' }),
    ...anthropicBlock(1, { type: 'tool_use', id: 'c0', name: 'now', input: {} }),
  ),
};

function gist(fault: ModelFault | undefined): Json {
  if (fault === undefined) return null;
  return [fault.code, fault.retryable, fault.free, fault.afterMs ?? null];
}

for (const type of TYPES) {
  describe(`a back end of type ${type}`, () => {
    test('each status says whether to come back', async (t) => {
      hygiene(t);
      const stub = await modelStub(t);
      const cases: readonly (readonly [number, string, boolean])[] = [
        [302, 'model_request_refused', false],
        [400, 'model_request_refused', false],
        [401, 'model_denied', false],
        [403, 'model_denied', false],
        [404, 'model_not_found', false],
        [408, 'model_unavailable', true],
        [409, 'model_unavailable', true],
        [413, 'model_request_refused', false],
        [422, 'model_request_refused', false],
        [429, 'model_rate_limited', true],
        [500, 'model_unavailable', true],
        [503, 'model_unavailable', true],
        [529, 'model_unavailable', true],
      ];
      for (const [status] of cases)
        stub.answers.push(refuse(status, { error: { message: 'no' } }, { location: 'http://127.0.0.1:9/' }));
      const model = httpModel(type, stub.url);
      for (const [status, code, retryable] of cases) {
        const { parts, fault } = await ask(model);
        assert.deepEqual([parts, gist(fault)], [[], [code, retryable, true, null]], String(status));
        assert.deepEqual(fault?.detail, { status, said: 'no' });
      }
      assert.equal(
        stub.requests.length,
        cases.length,
        'nothing was asked twice, and no redirect was followed',
      );
    });

    test('Retry-After is understood as seconds, as a date and in milliseconds, where the status may come back', async (t) => {
      hygiene(t);
      const stub = await modelStub(t);
      const clock = manualClock({ startWallMs: Date.UTC(2026, 0, 1, 12, 0, 0) });
      const cases: readonly (readonly [number, Record<string, string>, number | null])[] = [
        [429, { 'retry-after': '7' }, 7000],
        [503, { 'retry-after': '0.5' }, 500],
        [429, { 'retry-after': 'Thu, 01 Jan 2026 12:00:09 GMT' }, 9000],
        [429, { 'retry-after': 'Thu, 01 Jan 2026 11:00:00 GMT' }, 0],
        [429, { 'retry-after': '9', 'retry-after-ms': '1250' }, 1250],
        [429, { 'retry-after': 'soon' }, null],
        [429, { 'retry-after': '-3' }, null],
        [400, { 'retry-after': '7' }, null],
      ];
      for (const [status, headers] of cases) stub.answers.push(refuse(status, {}, headers));
      const model = httpModel(type, stub.url, { clock });
      for (const [status, headers, expected] of cases) {
        const { fault } = await ask(model);
        assert.equal(fault?.afterMs ?? null, expected, `${status} ${JSON.stringify(headers)}`);
      }
      assert.equal(clock.pendingTimers, 0);
    });

    test('half a stream is a fault, and its calls never come out', async (t) => {
      hygiene(t);
      const stub = await modelStub(t);
      stub.answers.push(stream(HALF[type]), stream(HALF[type], { ends: false }), stream('', {}));
      const model = httpModel(type, stub.url);
      for (const shown of ['half ', 'half ', '']) {
        const { parts, fault } = await ask(model);
        assert.deepEqual(gist(fault), ['model_stream_broken', true, false, null]);
        // A connection that is torn may take along what had come.
        assert.ok(shown.startsWith(textOf(parts)));
        assert.ok(parts.every((part) => part.type === 'text'));
      }
    });

    test('garbage is a fault wherever it stands', async (t) => {
      hygiene(t);
      const stub = await modelStub(t);
      const answers = [
        stream('data: {nonsense\n\n'),
        stream(`${HALF[type]}data: {nonsense\n\n`),
        stream(`${HALF[type]}data: {"type":"unheard_of","choices":7}\n\n`),
        stream('data: []\n\n'),
      ];
      stub.answers.push(...answers);
      const model = httpModel(type, stub.url);
      for (const _ of answers) {
        const { parts, fault } = await ask(model);
        assert.deepEqual(gist(fault), ['model_reply_invalid', true, false, null]);
        assert.ok(parts.every((part) => part.type === 'text'));
      }
    });

    test('a page, or a document, is no reply', async (t) => {
      hygiene(t);
      const stub = await modelStub(t);
      stub.answers.push(
        (response) => {
          response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome, MARKER</h1>');
        },
        (response) => {
          response
            .writeHead(200, { 'content-type': 'application/json; charset=utf-8' })
            .end(JSON.stringify({ error: 'out of credit' }));
        },
      );
      const model = httpModel(type, stub.url);
      const first = await ask(model);
      assert.deepEqual(
        [gist(first.fault), first.fault?.detail],
        [['model_reply_invalid', true, false, null], undefined],
      );
      const second = await ask(model);
      assert.deepEqual(second.fault?.detail, { said: 'out of credit' });
    });

    test('what a server says is shown short, on one line, without keys', async (t) => {
      hygiene(t);
      const stub = await modelStub(t);
      const said = `Key ${KEY} is\nbad\u202e; Bearer abc.DEF-123; ${'word '.repeat(100)}`;
      stub.answers.push(refuse(401, { error: { message: said, type: 'x', code: null } }));
      const { fault } = await ask(httpModel(type, stub.url));
      const { said: shown = '' } = (fault?.detail ?? {}) as { said?: string };
      assert.match(shown, /^Key \[key\] is bad ; \[key\]; word word .*…$/);
      assert.equal(shown.length, 200);
      const all = JSON.stringify([fault?.message, fault?.detail]);
      assert.ok(!all.includes('MARKER') && !all.includes('DEF-123'));
      assert.equal(fault?.message, 'The back end refuses the key. (HTTP 401)');
    });

    test('a refusal counts by its status, also where its words break off or do not come', async (t) => {
      hygiene(t);
      const stub = await modelStub(t);
      const clock = manualClock();
      const head = { 'content-type': 'application/json' };
      stub.answers.push(
        (response) => {
          response.writeHead(503, { ...head, 'content-length': '100' });
          response.write('{"error":', () => response.socket?.destroy());
        },
        (response) => {
          response.writeHead(401, head).write('{"error":"no"}');
        },
        (response) => {
          response.writeHead(400, head).end(JSON.stringify({ error: 'x'.repeat(1_000_000) }));
        },
      );
      const model = httpModel(type, stub.url, { clock });
      assert.deepEqual(gist((await ask(model)).fault), ['model_unavailable', true, true, null]);
      let refused: ModelFault | undefined;
      const slow = ask(model).then(({ fault }) => {
        refused = fault;
      });
      await waitFor(
        async () => {
          await clock.advance(1000);
          return refused !== undefined;
        },
        { what: 'the refusal' },
      );
      await slow;
      assert.deepEqual(
        [gist(refused ?? undefined), refused?.detail],
        [['model_denied', false, true, null], { status: 401, said: 'no' }],
      );
      // Cut at its bound it is no JSON any more, and says nothing.
      assert.deepEqual((await ask(model)).fault?.detail, { status: 400 });
      assert.equal(clock.pendingTimers, 0);
    });

    test('a server that does not begin in time is left', async (t) => {
      hygiene(t);
      const stub = await modelStub(t);
      const clock = manualClock();
      stub.answers.push(silent);
      const asked = ask(httpModel(type, stub.url, { clock }));
      await stub.next();
      await clock.advance(119_999);
      await clock.advance(1);
      assert.deepEqual(gist((await asked).fault), ['model_timeout', true, false, null]);
      await stub.closed();
      assert.equal(clock.pendingTimers, 0);
    });

    test('a server that falls silent in the middle is left, as long after its last word as before its first', async (t) => {
      hygiene(t);
      const stub = await modelStub(t);
      const clock = manualClock();
      const model = httpModel(type, stub.url, { clock });
      stub.answers.push(stall(HALF[type]));
      const parts = model.stream(requestWith())[Symbol.asyncIterator]();
      assert.deepEqual((await parts.next()).value, { type: 'text', delta: 'half ' });
      const next = parts.next();
      await Promise.all([
        assert.rejects(next, { code: 'model_timeout', retryable: true }),
        clock.advance(120_000).then(() => clock.advance(120_000)),
      ]);
      await stub.closed();
    });

    test('an abort ends a request at once, before its answer and in it', async (t) => {
      hygiene(t);
      const stub = await modelStub(t);
      const model = httpModel(type, stub.url, { clock: manualClock() });
      stub.answers.push(silent, stall(HALF[type]));
      const first = new AbortController();
      const asked = ask(model, requestWith({ signal: first.signal }));
      await stub.next();
      first.abort();
      assert.deepEqual(gist((await asked).fault), ['model_cancelled', false, false, null]);
      await stub.closed();
      const second = new AbortController();
      const parts = model.stream(requestWith({ signal: second.signal }))[Symbol.asyncIterator]();
      await parts.next();
      second.abort();
      await assert.rejects(parts.next(), { code: 'model_cancelled', retryable: false });
      await stub.closed();
      const late = await ask(model, requestWith({ signal: second.signal }));
      assert.deepEqual(
        [gist(late.fault), stub.requests.length],
        [['model_cancelled', false, false, null], 2],
      );
    });

    test('whoever stops reading ends the request', async (t) => {
      hygiene(t);
      const stub = await modelStub(t);
      stub.answers.push(stall(HALF[type]));
      for await (const part of httpModel(type, stub.url).stream(requestWith())) {
        assert.equal(part.type, 'text');
        break;
      }
      await stub.closed();
    });

    test('nobody at the address: it cost nothing, and may be tried again', async (t) => {
      hygiene(t);
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      server.close();
      await once(server, 'close');
      const { fault } = await ask(httpModel(type, `http://127.0.0.1:${port}`));
      assert.deepEqual(gist(fault), ['model_unreachable', true, true, null]);
      assert.deepEqual(fault?.detail, { system: 'ECONNREFUSED' });
    });

    test('a connection that breaks before an answer: what it cost is not known', async (t) => {
      hygiene(t);
      const stub = await modelStub(t);
      stub.answers.push((response) => {
        response.socket?.destroy();
      });
      const { fault } = await ask(httpModel(type, stub.url));
      assert.deepEqual(gist(fault), ['model_unreachable', true, false, null]);
    });

    test('a key that is not there, or blank, sends nothing', async (t) => {
      hygiene(t);
      const stub = await modelStub(t);
      for (const env of [{}, { MODEL_KEY: ' ' }]) {
        const { fault } = await ask(httpModel(type, stub.url, { env }));
        assert.deepEqual(gist(fault), ['model_key_missing', false, true, null]);
        assert.deepEqual(fault?.detail, { variable: 'MODEL_KEY' });
      }
      assert.equal(stub.requests.length, 0);
    });
  });
}

test('a reply over its bound is dropped', async () => {
  const { aiSdkModel } = await import('../../src/models/ai-sdk/ai-sdk-model.ts');
  const chunk = Buffer.from(`: ${'x'.repeat(1024 * 1024)}\n\n`);
  let chunks = 0;
  const model = aiSdkModel({
    type: 'openai_compatible',
    model: 'tiny',
    baseUrl: 'http://127.0.0.1:9',
    env: {},
    fetch: async () =>
      new Response(
        new ReadableStream({
          pull(controller) {
            chunks += 1;
            controller.enqueue(chunk);
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      ),
    clock: manualClock(),
    requestTimeoutMs: 1000,
  });
  const { fault } = await ask(model);
  assert.deepEqual(gist(fault), ['model_reply_too_large', false, false, null]);
  assert.ok(chunks < 40);
});

test('a server that answers for ever is left after half an hour', async () => {
  const { aiSdkModel } = await import('../../src/models/ai-sdk/ai-sdk-model.ts');
  const clock = manualClock();
  const model = aiSdkModel({
    type: 'openai_compatible',
    model: 'tiny',
    baseUrl: 'http://127.0.0.1:9',
    env: {},
    fetch: async () =>
      new Response(
        new ReadableStream({
          async pull(controller) {
            controller.enqueue(Buffer.from(': still here\n\n'));
            await clock.advance(60_000);
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      ),
    clock,
    requestTimeoutMs: 120_000,
  });
  const { fault } = await ask(model);
  assert.deepEqual(gist(fault), ['model_timeout', true, false, null]);
  assert.ok(clock.monotonicMs() >= 1_800_000 && clock.monotonicMs() <= 1_920_000);
});

test('an error in an OpenAI-compatible stream ends the attempt, with its status where it names one', async (t) => {
  hygiene(t);
  const stub = await modelStub(t);
  const error = (fields: object) =>
    `data: ${JSON.stringify({ error: { message: 'too long', ...fields } })}\n\n`;
  stub.answers.push(
    stream(`${HALF.openai_compatible}${error({ code: 400 })}`),
    stream(`${HALF.openai_compatible}${error({ code: 'server_error' })}`),
  );
  const model = httpModel('openai_compatible', stub.url);
  const first = await ask(model);
  assert.deepEqual(
    [gist(first.fault), first.fault?.detail],
    [['model_request_refused', false, false, null], { status: 400, said: 'too long' }],
  );
  const second = await ask(model);
  assert.deepEqual(gist(second.fault), ['model_unavailable', true, false, null]);
});
