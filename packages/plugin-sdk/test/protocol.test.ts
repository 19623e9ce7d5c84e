import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { definePlugin, defineTool, schema, textResult } from '../src/index.ts';
import { callLine, served } from './served.ts';

const echo = defineTool({
  name: 'echo',
  title: 'Echo',
  description: 'Says it again.',
  inputSchema: schema.object({ text: schema.string({ maxLength: 8 }) }),
  outputSchema: schema.object({ text: schema.string() }),
  annotations: { readOnlyHint: true },
  execute: ({ text }) => textResult(text, { text }),
});
const bare = defineTool({
  name: 'a-bare-one',
  inputSchema: schema.object({}),
  execute: () => textResult('done'),
});
const plugin = definePlugin({ tools: [echo, bare] });

async function answers(...lines: string[]): Promise<string> {
  const { stdout, stderr, failure } = await served(plugin, lines);
  assert.equal(stderr, '');
  assert.equal(failure, undefined);
  return stdout;
}

test('initialize answers the one version that is spoken', async () => {
  assert.equal(
    await answers(
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"webcodex-plugin-v1"}}\n',
    ),
    '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"webcodex-plugin-v1"}}\n',
  );
});

test('initialize refuses any other version, and none', async () => {
  const refusal = '"error":{"code":-32602,"message":"unsupported protocol version"}}\n';
  assert.equal(
    await answers(
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"webcodex-plugin-v2"}}\n',
      '{"jsonrpc":"2.0","id":2,"method":"initialize","params":{}}\n',
      '{"jsonrpc":"2.0","id":3,"method":"initialize","params":["webcodex-plugin-v1"]}\n',
      '{"jsonrpc":"2.0","id":4,"method":"initialize"}\n',
    ),
    [1, 2, 3, 4].map((id) => `{"jsonrpc":"2.0","id":${id},${refusal}`).join(''),
  );
});

test('tools/list shows the definitions alone, in the order of authoring', async () => {
  assert.equal(
    await answers('{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}\n'),
    '{"jsonrpc":"2.0","id":2,"result":{"tools":[' +
      '{"name":"echo","title":"Echo","description":"Says it again.",' +
      '"inputSchema":{"type":"object","properties":{"text":{"type":"string","maxLength":8}},"required":["text"],"additionalProperties":false},' +
      '"outputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false},' +
      '"annotations":{"readOnlyHint":true}},' +
      '{"name":"a-bare-one","inputSchema":{"type":"object","properties":{},"required":[],"additionalProperties":false}}]}}\n',
  );
});

test('tools/list takes an object of parameters or none', async () => {
  const without = await answers('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n');
  assert.match(without, /^\{"jsonrpc":"2\.0","id":1,"result":\{"tools":\[/);
  assert.equal(
    await answers(
      '{"jsonrpc":"2.0","id":2,"method":"tools/list","params":[]}\n',
      '{"jsonrpc":"2.0","id":3,"method":"tools/list","params":null}\n',
    ),
    '{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"params is not an object"}}\n' +
      '{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"params is not an object"}}\n',
  );
});

test('a plugin without tools lists none', async () => {
  const { stdout } = await served(definePlugin({ tools: [] }), [
    '{"jsonrpc":"2.0","id":2,"method":"tools/list"}\n',
  ]);
  assert.equal(stdout, '{"jsonrpc":"2.0","id":2,"result":{"tools":[]}}\n');
});

test('tools/call needs no initialize before it and answers under the id it was given', async () => {
  assert.equal(
    await answers(callLine(7, 'echo', { text: 'é\n' }), callLine('seven', 'a-bare-one', {})),
    '{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"é\\n"}],"structuredContent":{"text":"é\\n"},"isError":false}}\n' +
      '{"jsonrpc":"2.0","id":"seven","result":{"content":[{"type":"text","text":"done"}],"structuredContent":{},"isError":false}}\n',
  );
});

test('arguments are not checked against the schema: that is the work of the Runner', async () => {
  assert.equal(
    await answers(callLine(1, 'echo', { text: 'longer than eight' })),
    '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"longer than eight"}],"structuredContent":{"text":"longer than eight"},"isError":false}}\n',
  );
});

test('tools/call with bad parameters or an unknown tool is an error of the request', async () => {
  const bad = '"error":{"code":-32602,"message":"params has no name and arguments"}}\n';
  const unknown = '"error":{"code":-32602,"message":"unknown tool"}}\n';
  assert.equal(
    await answers(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call"}\n',
      '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}}\n',
      '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":["a"]}}\n',
      '{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":1,"arguments":{}}}\n',
      callLine(5, 'echoes', {}),
      callLine(6, 'toString', {}),
      callLine(7, '__proto__', {}),
    ),
    [bad, bad, bad, bad, unknown, unknown, unknown]
      .map((error, index) => `{"jsonrpc":"2.0","id":${index + 1},${error}`)
      .join(''),
  );
});

test('an unknown method is refused under its id', async () => {
  assert.equal(
    await answers('{"jsonrpc":"2.0","id":1,"method":"shutdown"}\n'),
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found"}}\n',
  );
});

test('what is not JSON, or not UTF-8, is a parse error without an id', async () => {
  const notJson = '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"request is not JSON"}}\n';
  assert.equal(await answers('{"jsonrpc":\n', '\n', '\ufeff{}\n'), notJson.repeat(3));
  const { stdout } = await served(plugin, [Uint8Array.of(0x22, 0xff, 0x22, 0x0a)]);
  assert.equal(
    stdout,
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"request is not UTF-8"}}\n',
  );
});

test('an envelope without version, id or method is an invalid request', async () => {
  assert.equal(
    await answers(
      '{"id":1,"method":"initialize"}\n',
      '{"jsonrpc":"1.0","id":1,"method":"initialize"}\n',
      '[{"jsonrpc":"2.0","id":1,"method":"initialize"}]\n',
      'null\n',
      '{"jsonrpc":"2.0","method":"initialize"}\n',
      '{"jsonrpc":"2.0","id":null,"method":"initialize"}\n',
      '{"jsonrpc":"2.0","id":1e400,"method":"initialize"}\n',
      '{"jsonrpc":"2.0","id":true,"method":"initialize"}\n',
      '{"jsonrpc":"2.0","id":1}\n',
      '{"jsonrpc":"2.0","id":2,"method":""}\n',
    ),
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"not a JSON-RPC 2.0 request"}}\n'.repeat(4) +
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"request without a usable id"}}\n'.repeat(
        4,
      ) +
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"request without a method"}}\n' +
      '{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"request without a method"}}\n',
  );
});

test('a carriage return before the line feed does not count', async () => {
  assert.equal(
    await answers('{"jsonrpc":"2.0","id":1,"method":"x"}\r\n'),
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found"}}\n',
  );
});

test('a last line without its line feed is answered', async () => {
  assert.equal(
    await answers('{"jsonrpc":"2.0","id":1,"meth', 'od":"x"}'),
    '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found"}}\n',
  );
});

const TOO_LARGE = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"request too large"}}\n';

function requestOf(bytes: number): string {
  const frame = '{"jsonrpc":"2.0","id":1,"method":"x","params":""}';
  return frame.replace('""', `"${'a'.repeat(bytes - frame.length)}"`);
}

test('a request of exactly 1 MiB is read, one byte more is refused and skipped', async () => {
  const largest = requestOf(1_048_576);
  assert.equal(Buffer.byteLength(largest), 1_048_576);
  const answer = '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found"}}\n';
  assert.equal(await answers(`${largest}\n`), answer);
  assert.equal(await answers(`${requestOf(1_048_577)}\n${largest}\n`), TOO_LARGE + answer);
});

test('a line without an end is refused once, while it still comes in', async () => {
  const half = 'a'.repeat(600_000);
  assert.equal(await answers(half, half, half, half), TOO_LARGE);
  assert.equal(
    await answers(half, half, half, `${half}\n{"jsonrpc":"2.0","id":1,"method":"x"}\n`),
    `${TOO_LARGE}{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found"}}\n`,
  );
});

test('one line is one answer, however the bytes are cut', async () => {
  const lines = [
    callLine(1, 'echo', { text: 'añ🧵' }),
    'broken\n',
    callLine(2, 'echo', { text: '' }),
    '{"jsonrpc":"2.0","id":3,"method":"x"}\r\n',
  ];
  const whole = await answers(...lines);
  assert.equal(whole.split('\n').length, 5);
  const bytes = Buffer.from(lines.join(''));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 40 }), async (cuts) => {
      const at = [0, ...cuts, bytes.length].sort((a, b) => a - b);
      const chunks = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
      const { stdout } = await served(plugin, chunks);
      assert.equal(stdout, whole);
    }),
    { numRuns: 100 },
  );
});
