import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene } from '@fairlead/testing';

const PLUGIN = join(import.meta.dirname, '../src/plugin.ts');

// Only catches hanging.
const HANGING_MS = 30_000;

function run(...requests: string[]): { status: number | null; stdout: string; stderr: string } {
  const input = requests.map((request) => `${request}\n`).join('');
  const { status, stdout, stderr } = spawnSync(process.execPath, [PLUGIN], {
    input,
    encoding: 'utf8',
    timeout: HANGING_MS,
  });
  return { status, stdout, stderr };
}

test('sdk-echo answers initialize, tools/list and tools/call, and ends with its input', (t) => {
  hygiene(t);
  assert.deepEqual(
    run(
      '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"webcodex-plugin-v1"}}',
      '{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}',
      '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"text":"ein\\tFädchen\\n🧵"}}}',
    ),
    {
      status: 0,
      stdout:
        '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"webcodex-plugin-v1"}}\n' +
        '{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"echo","title":"Echo","description":"Answers with the text that it was given.",' +
        '"inputSchema":{"type":"object","properties":{"text":{"type":"string","description":"What to say again.","minLength":1,"maxLength":4096}},"required":["text"],"additionalProperties":false},' +
        '"outputSchema":{"type":"object","properties":{"text":{"type":"string","maxLength":4096}},"required":["text"],"additionalProperties":false},' +
        '"annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}}]}}\n' +
        '{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"ein\\tFädchen\\n🧵"}],"structuredContent":{"text":"ein\\tFädchen\\n🧵"},"isError":false}}\n',
      stderr: '',
    },
  );
});

test('sdk-echo refuses a text that the Runner would not let pass', (t) => {
  hygiene(t);
  const refusal =
    '"result":{"content":[{"type":"text","text":"The text holds a control character."}],"structuredContent":{"text":""},"isError":true}}\n';
  const texts = ['\\u001b[31mred', '\\u0000', '\\u007f', '\\u0085'];
  const requests = texts.map(
    (text, id) =>
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"echo","arguments":{"text":"${text}"}}}`,
  );
  assert.equal(
    run(...requests).stdout,
    texts.map((_, id) => `{"jsonrpc":"2.0","id":${id},${refusal}`).join(''),
  );
});
