import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough, Readable, Writable } from 'node:stream';
import { test } from 'node:test';
import { definePlugin, defineTool, errorResult, schema, servePlugin, textResult } from '../src/index.ts';
import { callLine, captured, served } from './served.ts';

const noInput = schema.object({});

test('a handler may answer at once or with a promise', async () => {
  const now = defineTool({
    name: 'now',
    inputSchema: schema.object({ text: schema.string() }),
    execute: ({ text }) => textResult(text, { text }),
  });
  const later = defineTool({
    name: 'later',
    inputSchema: schema.object({ value: schema.integer() }),
    async execute({ value }) {
      await Promise.resolve();
      return textResult(String(value * 2), { doubled: value * 2 });
    },
  });
  const { stdout, stderr } = await served(definePlugin({ tools: [now, later] }), [
    callLine(1, 'now', { text: 'hello' }),
    callLine(2, 'later', { value: 4 }),
  ]);
  assert.equal(
    stdout,
    '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"hello"}],"structuredContent":{"text":"hello"},"isError":false}}\n' +
      '{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"8"}],"structuredContent":{"doubled":8},"isError":false}}\n',
  );
  assert.equal(stderr, '');
});

test('a second call does not start before the first one has ended', async () => {
  const order: string[] = [];
  const firstStarted = Promise.withResolvers<void>();
  const firstMayEnd = Promise.withResolvers<void>();
  const tool = defineTool({
    name: 'serial',
    inputSchema: schema.object({ call: schema.integer() }),
    async execute({ call }) {
      order.push(`start-${call}`);
      if (call === 1) {
        firstStarted.resolve();
        await firstMayEnd.promise;
      }
      order.push(`end-${call}`);
      return textResult(String(call));
    },
  });
  const serving = served(definePlugin({ tools: [tool] }), [
    callLine(1, 'serial', { call: 1 }) + callLine(2, 'serial', { call: 2 }),
  ]);
  await firstStarted.promise;
  assert.deepEqual(order, ['start-1']);
  firstMayEnd.resolve();
  const { stdout } = await serving;
  assert.deepEqual(order, ['start-1', 'end-1', 'start-2', 'end-2']);
  assert.equal(stdout.split('\n').length, 3);
});

test('an error result is an ordinary answer', async () => {
  const tool = defineTool({
    name: 'refuse',
    inputSchema: noInput,
    outputSchema: schema.object({ code: schema.string() }),
    execute: () => errorResult('no', { code: 'refused' }),
  });
  const { stdout, stderr } = await served(definePlugin({ tools: [tool] }), [callLine(9, 'refuse', {})]);
  assert.equal(
    stdout,
    '{"jsonrpc":"2.0","id":9,"result":{"content":[{"type":"text","text":"no"}],"structuredContent":{"code":"refused"},"isError":true}}\n',
  );
  assert.equal(stderr, '');
});

for (const [how, fail] of [
  [
    'throws',
    (secret: string): never => {
      throw new Error(`body of ${secret}`);
    },
  ],
  ['rejects', (secret: string): Promise<never> => Promise.reject(new Error(`body of ${secret}`))],
] as const) {
  test(`a handler that ${how} gets no answer, no later call runs, and nothing of it is printed`, async () => {
    const ran: string[] = [];
    const tool = defineTool({
      name: 'uncertain',
      inputSchema: schema.object({ secret: schema.string() }),
      execute({ secret }) {
        ran.push(secret);
        return fail(secret);
      },
    });
    const { stdout, stderr, failure } = await served(definePlugin({ tools: [tool] }), [
      callLine(1, 'uncertain', { secret: 'planted' }) + callLine(2, 'uncertain', { secret: 'second' }),
      callLine(3, 'uncertain', { secret: 'third' }),
    ]);
    assert.equal(stdout, '');
    assert.equal(stderr, 'fairlead plugin stopped: a tool threw instead of answering\n');
    assert.deepEqual(ran, ['planted']);
    assert.ok(failure instanceof Error);
    assert.equal(failure.message, 'a tool threw instead of answering');
    assert.equal('code' in failure && failure.code, 'sdk_tool_threw');
    assert.ok(failure.cause instanceof Error);
    assert.equal(failure.cause.message, 'body of planted');
  });
}

const circular: { self?: object } = {};
circular.self = circular;
for (const [what, answer] of [
  ['nothing', undefined],
  ['a string', 'text'],
  ['an array', []],
  ['what JSON cannot hold', { content: [], structuredContent: { big: 1n } }],
  ['a cycle', circular],
] as const) {
  test(`a handler that answers with ${what} stops the plugin with a line of its own`, async () => {
    const tool = defineTool({ name: 'odd', inputSchema: noInput, execute: () => answer as never });
    const { stdout, stderr, failure } = await served(definePlugin({ tools: [tool] }), [
      callLine(1, 'odd', {}),
    ]);
    assert.equal(stdout, '');
    assert.equal(
      stderr,
      'fairlead plugin stopped: a tool returned something that is not a result JSON can hold\n',
    );
    assert.ok(failure instanceof TypeError);
    assert.equal('code' in failure && failure.code, 'sdk_result_unsendable');
  });
}

const plain = definePlugin({
  tools: [defineTool({ name: 'plain', inputSchema: noInput, execute: () => textResult('ok') })],
});

test('a slow reader holds up the next call, not the memory', async () => {
  let calls = 0;
  const counting = definePlugin({
    tools: [
      defineTool({
        name: 'count',
        inputSchema: noInput,
        execute() {
          calls += 1;
          return textResult(String(calls));
        },
      }),
    ],
  });
  const firstWrite = Promise.withResolvers<() => void>();
  const written: string[] = [];
  const output = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _encoding, done) {
      written.push(chunk.toString());
      if (written.length === 1) firstWrite.resolve(done);
      else done();
    },
  });
  const serving = servePlugin(counting, {
    input: Readable.from([callLine(1, 'count', {}) + callLine(2, 'count', {})]),
    output,
    error: captured().stream,
  });
  const proceed = await firstWrite.promise;
  assert.equal(calls, 1);
  proceed();
  await serving;
  assert.equal(calls, 2);
  assert.equal(written.length, 2);
});

function failing(code: string): Writable {
  return new Writable({
    write(_chunk, _encoding, done) {
      done(Object.assign(new Error(code), { code }));
    },
  });
}

for (const code of ['EPIPE', 'ECONNRESET']) {
  test(`a reader of the output that went away (${code}) is a quiet end`, async () => {
    const error = captured();
    const input = new PassThrough();
    input.write(callLine(1, 'plain', {}));
    await servePlugin(plain, { input, output: failing(code), error: error.stream });
    assert.equal(error.text(), '');
    assert.equal(input.destroyed, true);
  });
}

test('an output that closes while no request is in hand is a quiet end', async () => {
  const error = captured();
  const input = new PassThrough();
  const output = new PassThrough();
  const serving = servePlugin(plain, { input, output, error: error.stream });
  output.destroy();
  await serving;
  assert.equal(error.text(), '');
});

test('an output that closes while a line waits to be drained ends the wait', async () => {
  const input = new PassThrough();
  const output = new PassThrough({ highWaterMark: 1 });
  const serving = servePlugin(plain, { input, output, error: captured().stream });
  input.write(callLine(1, 'plain', {}) + callLine(2, 'plain', {}));
  await once(output, 'readable');
  output.destroy();
  await serving;
});

test('an output that breaks in any other way stops the plugin with a line of its own', async () => {
  const error = captured();
  const input = new PassThrough();
  input.write(callLine(1, 'plain', {}));
  await assert.rejects(servePlugin(plain, { input, output: failing('EIO'), error: error.stream }), {
    name: 'Error',
    message: 'a stream of the plugin protocol failed',
    code: 'sdk_stream_failed',
  });
  assert.equal(error.text(), 'fairlead plugin stopped: a stream of the plugin protocol failed\n');
});

test('an input whose other side went away is a quiet end', async () => {
  const error = captured();
  const input = new PassThrough();
  const serving = servePlugin(plain, { input, output: captured().stream, error: error.stream });
  input.destroy(Object.assign(new Error('gone'), { code: 'ECONNRESET' }));
  await serving;
  assert.equal(error.text(), '');
});

test('an input that breaks stops the plugin with a line of its own', async () => {
  const error = captured();
  const input = new PassThrough();
  const serving = servePlugin(plain, { input, output: captured().stream, error: error.stream });
  input.destroy(new Error('secret path'));
  await assert.rejects(serving, { code: 'sdk_stream_failed' });
  assert.equal(error.text(), 'fairlead plugin stopped: a stream of the plugin protocol failed\n');
});

test('a handler that throws after the reader went away still counts as one that threw', async () => {
  const error = captured();
  const input = new PassThrough();
  const output = new PassThrough();
  const tool = defineTool({
    name: 'late',
    inputSchema: noInput,
    execute() {
      output.destroy();
      throw new Error('late');
    },
  });
  const serving = servePlugin(definePlugin({ tools: [tool] }), { input, output, error: error.stream });
  input.write(callLine(1, 'late', {}));
  await assert.rejects(serving, { code: 'sdk_tool_threw' });
  assert.equal(error.text(), 'fairlead plugin stopped: a tool threw instead of answering\n');
});
