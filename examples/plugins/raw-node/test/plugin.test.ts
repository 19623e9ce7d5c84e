import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene } from '@fairlead/testing';

const PLUGIN = join(import.meta.dirname, '../plugin.mjs');

// Only catches hanging.
const HANGING_MS = 30_000;

function run(input: string | Buffer): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PLUGIN], {
    input,
    encoding: 'utf8',
    timeout: HANGING_MS,
  });
  return { status, stdout, stderr };
}

function call(id: number, name: string, args: string): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"${name}","arguments":${args}}}\n`;
}

const INITIALIZE =
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"webcodex-plugin-v1"}}\n';
const INITIALIZED = '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"webcodex-plugin-v1"}}\n';

test('raw-node answers initialize, tools/list and tools/call, and ends with its input', (t) => {
  hygiene(t);
  assert.deepEqual(
    run(
      INITIALIZE +
        '{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}\n' +
        call(3, 'echo', '{"text":"ein\\tFädchen\\n🧵"}') +
        call(4, 'add', '{"a":2,"b":5}'),
    ),
    {
      status: 0,
      stdout:
        INITIALIZED +
        '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"echo","description":"Answers with the text that it was given.",' +
        '"inputSchema":{"type":"object","properties":{"text":{"type":"string","minLength":1,"maxLength":4096}},"required":["text"],"additionalProperties":false},' +
        '"annotations":{"readOnlyHint":true}},' +
        '{"name":"add","description":"Adds two numbers.",' +
        '"inputSchema":{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"],"additionalProperties":false},' +
        '"outputSchema":{"type":"object","properties":{"sum":{"type":"number"}},"required":[],"additionalProperties":false},' +
        '"annotations":{"readOnlyHint":true}}]}}\n' +
        '{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"ein\\tFädchen\\n🧵"}],"structuredContent":{"text":"ein\\tFädchen\\n🧵"},"isError":false}}\n' +
        '{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"7"}],"structuredContent":{"sum":7},"isError":false}}\n',
      stderr: '',
    },
  );
});

test('raw-node answers an unknown tool and bad arguments with an error result', (t) => {
  hygiene(t);
  const calls = [
    ['subtract', '{}', 'there is no such tool'],
    ['echo', '{}', 'echo needs a text'],
    ['echo', '{"text":""}', 'echo needs a text'],
    ['echo', '{"text":"\\u001b[31m"}', 'the text holds a control character'],
    ['add', '{"a":1}', 'add needs two numbers, a and b'],
    ['add', '{"a":1,"b":"2"}', 'add needs two numbers, a and b'],
    ['add', '{"a":1e308,"b":1e308}', 'the sum is too large'],
  ] as const;
  assert.deepEqual(run(calls.map(([name, args], id) => call(id, name, args)).join('')), {
    status: 0,
    stdout: calls
      .map(
        ([, , text], id) =>
          `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"${text}"}],"structuredContent":{},"isError":true}}\n`,
      )
      .join(''),
    stderr: '',
  });
});

test('raw-node refuses another version, bad parameters and an unknown method', (t) => {
  hygiene(t);
  assert.deepEqual(
    run(
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"webcodex-plugin-v2"}}\n' +
        '{"jsonrpc":"2.0","id":2,"method":"initialize"}\n' +
        '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"add"}}\n' +
        '{"jsonrpc":"2.0","id":4,"method":"shutdown"}\n',
    ),
    {
      status: 0,
      stdout:
        '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"unsupported protocol version"}}\n' +
        '{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"unsupported protocol version"}}\n' +
        '{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"params has no arguments"}}\n' +
        '{"jsonrpc":"2.0","id":4,"error":{"code":-32601,"message":"method not found"}}\n',
      stderr: '',
    },
  );
});

test('raw-node notes what is no request on standard error and goes on', (t) => {
  hygiene(t);
  assert.deepEqual(run(`{"jsonrpc":\n[]\n{"jsonrpc":"2.0","method":"initialize"}\n${INITIALIZE}`), {
    status: 0,
    stdout: INITIALIZED,
    stderr:
      'raw-node: a line that is not JSON was ignored\n' +
      'raw-node: a request without an id was ignored\n'.repeat(2),
  });
});

test('raw-node answers a last line without its line feed', (t) => {
  hygiene(t);
  assert.deepEqual(run(INITIALIZE.trimEnd()), { status: 0, stdout: INITIALIZED, stderr: '' });
});

test('raw-node ends with code 1 at a line over 1 MiB', (t) => {
  hygiene(t);
  assert.deepEqual(run(INITIALIZE + 'a'.repeat(1_048_577)), {
    status: 1,
    stdout: INITIALIZED,
    stderr: 'raw-node: a line over 1 MiB; stopping\n',
  });
});

test('raw-node ends quietly when nobody reads its answers', async (t) => {
  hygiene(t);
  const child = spawn(process.execPath, [PLUGIN], { timeout: HANGING_MS });
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
