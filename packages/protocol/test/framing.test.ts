// native-plugin-protocol §1
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { encodeRequest, LineSplitter } from '../src/index.ts';

type Event = string | { readonly fault: string };

function collect(maxBytes = 1_048_576) {
  const events: Event[] = [];
  const lines: Uint8Array[] = [];
  const splitter = new LineSplitter({
    maxBytes,
    onLine: (line) => {
      lines.push(line);
      events.push(Buffer.from(line).toString());
    },
    onFault: (fault) => events.push({ fault }),
  });
  return { splitter, events, lines };
}

describe('LineSplitter', () => {
  it('gives each line once, in order, without its line feed', () => {
    const { splitter, events } = collect();
    splitter.push(Buffer.from('one\ntwo\nthree'));
    assert.deepEqual(events, ['one', 'two']);
    splitter.push(Buffer.from('\n'));
    assert.deepEqual(events, ['one', 'two', 'three']);
  });

  it('strips exactly one carriage return before the line feed', () => {
    const { splitter, events } = collect();
    splitter.push(Buffer.from('a\r\nb\r\r\nc\rd\n'));
    assert.deepEqual(events, ['a', 'b\r', 'c\rd']);
  });

  it('strips a carriage return that came in another chunk than its line feed', () => {
    const { splitter, events } = collect();
    splitter.push(Buffer.from('a\r'));
    splitter.push(Buffer.from('\n'));
    assert.deepEqual(events, ['a']);
  });

  it('hands a line that lies whole in one chunk on as a part of that chunk', () => {
    const { splitter, lines } = collect();
    const chunk = Buffer.from('whole\n');
    splitter.push(chunk);
    assert.equal(lines[0]?.buffer, chunk.buffer);
  });

  it('does not write again to the bytes of a line that it has handed on', () => {
    const { splitter, lines } = collect();
    for (const piece of ['fir', 'st\nsec', 'ond\n']) splitter.push(Buffer.from(piece));
    assert.deepEqual(
      lines.map((line) => Buffer.from(line).toString()),
      ['first', 'second'],
    );
  });

  for (const [what, text] of [
    ['an empty line', '\n'],
    ['a line of one carriage return', '\r\n'],
    ['an empty line after good ones', 'good\n\ngood\n'],
  ] as const) {
    it(`${what} is malformed and ends the stream for good`, () => {
      const { splitter, events } = collect();
      splitter.push(Buffer.from(text));
      splitter.push(Buffer.from('later\n'));
      splitter.end();
      assert.deepEqual(events.at(-1), { fault: 'plugin_malformed_json' });
      assert.equal(events.length, text.startsWith('good') ? 2 : 1);
      assert.equal(splitter.ended, true);
    });
  }

  it('takes a line of exactly 1 MiB and refuses one byte more', () => {
    const most = Buffer.alloc(1_048_577, 'x');
    most[1_048_576] = 0x0a;
    const good = collect();
    good.splitter.push(most);
    assert.equal(good.lines[0]?.length, 1_048_576);

    const bad = collect();
    bad.splitter.push(Buffer.alloc(1_048_576, 'x'));
    assert.deepEqual(bad.events, []);
    bad.splitter.push(Buffer.from('x'));
    assert.deepEqual(bad.events, [{ fault: 'plugin_message_too_large' }]);
  });

  it('counts the carriage return of a line as one of its bytes', () => {
    const { splitter, events } = collect(4);
    splitter.push(Buffer.from('abc\r\nabcd\r\n'));
    assert.deepEqual(events, ['abc', { fault: 'plugin_message_too_large' }]);
  });

  it('says too large as soon as the byte arrives, not at the line feed', () => {
    const { splitter, events } = collect(4);
    splitter.push(Buffer.from('abcde'));
    assert.deepEqual(events, [{ fault: 'plugin_message_too_large' }]);
    splitter.push(Buffer.from('\nok\n'));
    splitter.end();
    assert.deepEqual(events, [{ fault: 'plugin_message_too_large' }]);
  });

  it('a partial line at the end of the stream is malformed', () => {
    const { splitter, events } = collect();
    splitter.push(Buffer.from('good\n{"half":'));
    splitter.end();
    assert.deepEqual(events, ['good', { fault: 'plugin_malformed_json' }]);
  });

  it('no byte after the last line feed is a plain end', () => {
    const { splitter, events } = collect();
    splitter.push(Buffer.from('good\n'));
    splitter.end();
    splitter.end();
    assert.deepEqual(events, ['good', { fault: 'plugin_eof' }]);
  });

  it('stop ends it without an event, also from within a line', () => {
    const events: string[] = [];
    const splitter = new LineSplitter({
      maxBytes: 16,
      onLine: (line) => {
        events.push(Buffer.from(line).toString());
        splitter.stop();
      },
      onFault: (fault) => events.push(fault),
    });
    splitter.push(Buffer.from('one\ntwo\n'));
    splitter.end();
    assert.deepEqual(events, ['one']);
    assert.equal(splitter.ended, true);
  });

  it('holds a long line that comes byte by byte in memory of its own size', () => {
    const { splitter, lines } = collect(65_536);
    const one = Buffer.from('x');
    for (let count = 0; count < 65_536; count += 1) splitter.push(one);
    splitter.push(Buffer.from('\n'));
    assert.equal(lines[0]?.length, 65_536);
    assert.ok((lines[0]?.buffer.byteLength ?? 0) <= 65_536);
  });
});

describe('encodeRequest', () => {
  // native-plugin-protocol §2
  it('writes one line with the members in their order', () => {
    const rows = [
      [
        encodeRequest(1, 'initialize', { protocolVersion: 'webcodex-plugin-v1' }),
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"webcodex-plugin-v1"}}\n',
      ],
      [encodeRequest(2, 'tools/list', {}), '{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}\n'],
      [
        encodeRequest(3, 'tools/call', { name: 'add', arguments: { text: 'a\nb' } }),
        '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"add","arguments":{"text":"a\\nb"}}}\n',
      ],
    ] as const;
    for (const [encoded, line] of rows) assert.equal(encoded.ok && encoded.bytes.toString(), line);
  });

  it('takes a frame of exactly 1 MiB without its line feed and refuses one byte more', () => {
    const around = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"x":""}}'.length;
    const fits = encodeRequest(1, 'tools/call', { x: 'a'.repeat(1_048_576 - around) });
    assert.equal(fits.ok && fits.bytes.length, 1_048_577);
    assert.deepEqual(encodeRequest(1, 'tools/call', { x: 'a'.repeat(1_048_577 - around) }), {
      ok: false,
      code: 'plugin_request_too_large',
    });
    const wide = encodeRequest(1, 'tools/call', { x: 'é'.repeat(1_048_576 - around) });
    assert.deepEqual(wide, { ok: false, code: 'plugin_request_too_large' });
  });

  it('refuses what cannot be written as JSON', () => {
    const cyclic: { [key: string]: unknown } = {};
    cyclic['self'] = cyclic;
    const invalid = { ok: false, code: 'plugin_request_invalid' };
    assert.deepEqual(encodeRequest(1, 'tools/call', cyclic as JsonObject), invalid);
    assert.deepEqual(encodeRequest(1, 'tools/call', undefined as unknown as JsonObject), invalid);
    assert.deepEqual(encodeRequest(0, 'tools/list', {}), invalid);
    assert.deepEqual(encodeRequest(1.5, 'tools/list', {}), invalid);
  });
});
