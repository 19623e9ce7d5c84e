// native-plugin-protocol §2
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readResponse } from '../src/index.ts';

function read(text: string | Uint8Array, expectedId = 3) {
  return readResponse(typeof text === 'string' ? Buffer.from(text) : text, expectedId);
}

function refuses(code: string, texts: readonly string[]) {
  for (const text of texts) {
    it(`${code}: ${text.length > 90 ? `${text.slice(0, 90)}…` : text}`, () => {
      assert.deepEqual(read(text), { kind: 'fault', code });
    });
  }
}

describe('a result', () => {
  it('is handed on with the size of its line', () => {
    const text = '{"jsonrpc":"2.0","id":3,"result":{"content":[]}}';
    assert.deepEqual(read(text), { kind: 'result', result: { content: [] }, bytes: 48 });
  });

  it('may be any JSON value: its method decides what it must be', () => {
    for (const result of ['null', '0', '""', '[]', 'false']) {
      assert.equal(read(`{"jsonrpc":"2.0","id":3,"result":${result}}`).kind, 'result');
    }
  });

  it('may stand beside unknown members, in any order', () => {
    const text = '{"extra":{"deep":[1]},"result":1,"id":3,"trace":null,"jsonrpc":"2.0"}';
    assert.deepEqual(read(text), { kind: 'result', result: 1, bytes: 69 });
  });

  it('may carry the id 3.0, which is the number 3', () => {
    assert.equal(read('{"jsonrpc":"2.0","id":3.0,"result":1}').kind, 'result');
  });

  it('may nest as deep and hold as many values as one line can', () => {
    const deep = `${'['.repeat(1000)}${']'.repeat(1000)}`;
    assert.equal(read(`{"jsonrpc":"2.0","id":3,"result":${deep}}`).kind, 'result');
    const wide = `[${'0,'.repeat(100_000)}0]`;
    assert.equal(read(`{"jsonrpc":"2.0","id":3,"result":${wide}}`).kind, 'result');
  });
});

describe('order 0: the line is JSON', () => {
  refuses('plugin_malformed_json', [
    'Server listening on port 3000',
    '{"jsonrpc":"2.0","id":3,"result":1',
    '{"jsonrpc":"2.0","id":3,"result":1} trailing',
    "{'jsonrpc':'2.0'}",
    '{"jsonrpc":"2.0","id":3,"result":NaN}',
    '{"jsonrpc":"2.0","id":3,"id":3,"result":1}',
    '{"jsonrpc":"2.0","id":3,"result":"\\ud800"}',
    '{"jsonrpc":"2.0","id":3,"result":1e999}',
    '{"jsonrpc":"2.0","id":3,"result":9007199254740993}',
    '{"jsonrpc":"2.0","id":18446744073709551615,"result":1}',
    '\ufeff{"jsonrpc":"2.0","id":3,"result":1}',
  ]);
  it('plugin_malformed_json: bytes that are not UTF-8', () => {
    const bytes = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":3,"result":"'),
      Buffer.from([0xff]),
      Buffer.from('"}'),
    ]);
    assert.deepEqual(read(bytes), { kind: 'fault', code: 'plugin_malformed_json' });
  });
  it('plugin_malformed_json: a line of more than 1 MiB that reaches it all the same', () => {
    const text = `{"jsonrpc":"2.0","id":3,"result":"${'x'.repeat(1_048_576)}"}`;
    assert.deepEqual(read(text), { kind: 'fault', code: 'plugin_malformed_json' });
  });
});

describe('order 1: an object with jsonrpc "2.0" and no method', () => {
  refuses('plugin_protocol_error', [
    'null',
    '3',
    '"text"',
    '[{"jsonrpc":"2.0","id":3,"result":1}]',
    '{}',
    '{"id":3,"result":1}',
    '{"jsonrpc":"1.0","id":3,"result":1}',
    '{"jsonrpc":2.0,"id":3,"result":1}',
    '{"jsonrpc":"2.0","method":"notifications/progress"}',
    '{"jsonrpc":"2.0","id":3,"result":1,"method":"tools/call"}',
    '{"jsonrpc":"2.0","id":3,"result":1,"method":null}',
  ]);
});

describe('order 2: the id is a non-negative integer', () => {
  refuses('plugin_response_id_invalid', [
    '{"jsonrpc":"2.0","result":1}',
    '{"jsonrpc":"2.0","id":null,"result":1}',
    '{"jsonrpc":"2.0","id":"3","result":1}',
    '{"jsonrpc":"2.0","id":-3,"result":1}',
    '{"jsonrpc":"2.0","id":3.5,"result":1}',
    '{"jsonrpc":"2.0","id":1e300,"result":1}',
    '{"jsonrpc":"2.0","id":[3],"result":1}',
    '{"jsonrpc":"2.0","id":true}',
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad"}}',
  ]);
});

describe('order 3: the id is the one that waits', () => {
  refuses('plugin_duplicate_response_id', [
    '{"jsonrpc":"2.0","id":2,"result":1}',
    '{"jsonrpc":"2.0","id":0,"result":1}',
    '{"jsonrpc":"2.0","id":2}',
    '{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":"late"}}',
  ]);
  refuses('plugin_unknown_response_id', [
    '{"jsonrpc":"2.0","id":4,"result":1}',
    '{"jsonrpc":"2.0","id":9007199254740991,"result":1}',
    '{"jsonrpc":"2.0","id":4,"error":7}',
  ]);
});

describe('order 4: exactly one of result and error', () => {
  refuses('plugin_protocol_error', [
    '{"jsonrpc":"2.0","id":3}',
    '{"jsonrpc":"2.0","id":3,"result":1,"error":{"code":1,"message":"both"}}',
    '{"jsonrpc":"2.0","id":3,"result":1,"error":null}',
    '{"jsonrpc":"2.0","id":3,"result":null,"error":{"code":1,"message":"both"}}',
  ]);
});

describe('order 5: an error has an integer code and a short message', () => {
  const accepted = [
    '{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"unknown tool"}}',
    '{"jsonrpc":"2.0","id":3,"error":{"code":0,"message":"x","data":{"any":1}}}',
    `{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"${'x'.repeat(512)}"}}`,
    `{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"${'é'.repeat(256)}"}}`,
  ];
  for (const text of accepted) {
    it(`plugin_rpc_error without the plugin's words: ${text.slice(0, 80)}`, () => {
      assert.deepEqual(read(text), { kind: 'rpc_error' });
    });
  }
  refuses('plugin_protocol_error', [
    '{"jsonrpc":"2.0","id":3,"error":null}',
    '{"jsonrpc":"2.0","id":3,"error":"failed"}',
    '{"jsonrpc":"2.0","id":3,"error":[]}',
    '{"jsonrpc":"2.0","id":3,"error":{}}',
    '{"jsonrpc":"2.0","id":3,"error":{"message":"no code"}}',
    '{"jsonrpc":"2.0","id":3,"error":{"code":1}}',
    '{"jsonrpc":"2.0","id":3,"error":{"code":1.5,"message":"x"}}',
    '{"jsonrpc":"2.0","id":3,"error":{"code":"1","message":"x"}}',
    '{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":""}}',
    '{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":7}}',
    `{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"${'é'.repeat(257)}"}}`,
  ]);
});
