import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, requires } from '@fairlead/testing';

const PLUGIN = join(import.meta.dirname, '../plugin.py');
const skip = requires('python3');

// Only catches hanging.
const HANGING_MS = 30_000;

function run(input: string | Uint8Array): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync('python3', [PLUGIN], {
    input,
    encoding: 'utf8',
    timeout: HANGING_MS,
  });
  return { status, stdout, stderr };
}

function answersTo(input: string | Uint8Array): string {
  const { status, stdout, stderr } = run(input);
  assert.equal(stderr, '');
  assert.equal(status, 0);
  return stdout;
}

function echo(id: number | string, args: string): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo","arguments":${args}}}\n`;
}

function refusal(id: number | null, code: number, message: string): string {
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":"${message}"}}\n`;
}

const INITIALIZE =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"webcodex-plugin-v1"}}\n';
const INITIALIZED = '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"webcodex-plugin-v1"}}\n';

test('raw-python answers initialize, tools/list and tools/call, and ends with its input', { skip }, (t) => {
  hygiene(t);
  assert.equal(
    answersTo(
      `${INITIALIZE}{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}\n${echo(3, '{"text":"ein\\tFädchen\\n🧵"}')}`,
    ),
    INITIALIZED +
      '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"echo","description":"Answers with the text that it was given.",' +
      '"inputSchema":{"type":"object","properties":{"text":{"type":"string","minLength":1,"maxLength":4096}},"required":["text"],"additionalProperties":false},' +
      '"outputSchema":{"type":"object","properties":{"text":{"type":"string","maxLength":4096}},"required":["text"],"additionalProperties":false},' +
      '"annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}]}}\n' +
      '{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"ein\\tF\\u00e4dchen\\n\\ud83e\\uddf5"}],' +
      '"structuredContent":{"text":"ein\\tF\\u00e4dchen\\n\\ud83e\\uddf5"},"isError":false}}\n',
  );
});

test('raw-python counts characters, not bytes, and takes exactly 4096', { skip }, (t) => {
  hygiene(t);
  const longest = '\\ud83e\\uddf5'.repeat(4096);
  assert.equal(
    answersTo(echo(1, `{"text":"${longest}"}`) + echo(2, `{"text":"${longest}a"}`)),
    `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"${longest}"}],"structuredContent":{"text":"${longest}"},"isError":false}}\n` +
      refusal(2, -32602, 'text must have 1 to 4096 characters'),
  );
});

test('raw-python refuses arguments that are not one text', { skip }, (t) => {
  hygiene(t);
  const other = 'echo takes text and nothing else';
  const length = 'text must have 1 to 4096 characters';
  assert.equal(
    answersTo(
      echo(1, '{}') +
        echo(2, '{"text":"a","more":1}') +
        echo(3, '["a"]') +
        echo(4, '{"text":""}') +
        echo(5, '{"text":1}') +
        '{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"add","arguments":{}}}\n' +
        '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}\n',
    ),
    refusal(1, -32602, other) +
      refusal(2, -32602, other) +
      refusal(3, -32602, other) +
      refusal(4, -32602, length) +
      refusal(5, -32602, length) +
      refusal(6, -32602, 'unknown tool') +
      refusal(7, -32602, 'params is not an object'),
  );
});

test('raw-python answers a text that the Runner would not let pass with an error result', { skip }, (t) => {
  hygiene(t);
  const texts = ['\\u001b[31mred', '\\u0000', '\\u0085', '\\ud800'];
  assert.equal(
    answersTo(texts.map((text, id) => echo(id, `{"text":"${text}"}`)).join('')),
    texts
      .map(
        (_, id) =>
          `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"The text holds a control character."}],"structuredContent":{"text":""},"isError":true}}\n`,
      )
      .join(''),
  );
});

test('raw-python refuses what is not JSON, not UTF-8, or not a request', { skip }, (t) => {
  hygiene(t);
  assert.equal(
    answersTo('{"jsonrpc":\n\n{"jsonrpc":"2.0","id":NaN}\n'),
    refusal(null, -32700, 'request is not JSON').repeat(3),
  );
  assert.equal(
    answersTo(Uint8Array.of(0x22, 0xff, 0x22, 0x0a)),
    refusal(null, -32700, 'request is not JSON'),
  );
  assert.equal(answersTo('['.repeat(60_000)), refusal(null, -32700, 'request is not JSON'));
  assert.equal(
    answersTo(
      '[]\n{"jsonrpc":"1.0","id":1}\n{"jsonrpc":"2.0","id":true,"method":"x"}\n{"jsonrpc":"2.0","id":1e400,"method":"x"}\n' +
        '{"jsonrpc":"2.0","method":"x"}\n{"jsonrpc":"2.0","id":1}\n{"jsonrpc":"2.0","id":2,"method":"x"}\n' +
        '{"jsonrpc":"2.0","id":3,"method":"initialize","params":{}}\n',
    ),
    refusal(null, -32600, 'not a JSON-RPC 2.0 request').repeat(2) +
      refusal(null, -32600, 'request without a usable id').repeat(3) +
      refusal(1, -32600, 'request without a method') +
      refusal(2, -32601, 'method not found') +
      refusal(3, -32602, 'unsupported protocol version'),
  );
});

test('raw-python bounds depth and number of values', { skip }, (t) => {
  hygiene(t);
  const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
  const withParams = (params: string): string => `{"jsonrpc":"2.0","id":1,"method":"x","params":${params}}\n`;
  // The request is depth 0, its params depth 1; jsonrpc, id, method and params are four values beside the request itself.
  assert.equal(
    answersTo(
      withParams(deep(16)) +
        withParams(deep(17)) +
        withParams(`[${'0,'.repeat(4090)}0]`) +
        withParams(`[${'0,'.repeat(4091)}0]`),
    ),
    refusal(1, -32601, 'method not found') +
      refusal(null, -32600, 'request too deep or too large') +
      refusal(1, -32601, 'method not found') +
      refusal(null, -32600, 'request too deep or too large'),
  );
});

test('raw-python answers a line over 64 KiB, skips its rest and goes on', { skip }, (t) => {
  hygiene(t);
  const frame = '{"jsonrpc":"2.0","id":1,"method":"x","params":{"pad":""}}';
  const padded = (bytes: number): string => frame.replace('""', `"${'a'.repeat(bytes - frame.length)}"`);
  assert.equal(
    answersTo(`${padded(65_536)}\n${padded(65_537)}\n${'b'.repeat(200_000)}\n${INITIALIZE}`),
    refusal(1, -32601, 'method not found') +
      refusal(null, -32600, 'request too large').repeat(2) +
      INITIALIZED,
  );
});

test('raw-python never writes a line over 128 KiB', { skip }, (t) => {
  hygiene(t);
  // Two bytes in are six bytes out.
  assert.equal(
    answersTo(`{"jsonrpc":"2.0","id":"${'é'.repeat(30_000)}","method":"x"}\n${INITIALIZE}`),
    refusal(null, -32600, 'answer too large') + INITIALIZED,
  );
});

test('raw-python answers a last line without its line feed, and then ends', { skip }, (t) => {
  hygiene(t);
  assert.equal(answersTo(INITIALIZE.trimEnd()), INITIALIZED);
  assert.equal(answersTo('{"jsonrpc":'), refusal(null, -32700, 'request is not JSON'));
  assert.equal(answersTo('b'.repeat(70_000)), refusal(null, -32600, 'request too large'));
});

test('raw-python ends quietly when nobody reads its answers', { skip }, async (t) => {
  hygiene(t);
  const child = spawn('python3', [PLUGIN], { timeout: HANGING_MS });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => {});
  child.stdin.write(INITIALIZE);
  await once(child.stdout, 'readable');
  child.stdout.destroy();
  child.stdin.write(INITIALIZE.repeat(100));
  assert.deepEqual(await once(child, 'close'), [0, null]);
  assert.equal(stderr, '');
});
