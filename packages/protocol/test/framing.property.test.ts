// native-plugin-protocol §1
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LineSplitter } from '../src/index.ts';

const MAX_BYTES = 12;

/** Streams that are dense in what matters: line feeds, carriage returns, lines around the limit. */
const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .uint8Array({ minLength: 1, maxLength: MAX_BYTES })
      .map((bytes) => bytes.map((byte) => (byte === 10 ? 11 : byte))),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom('a', 'ab\r', '\rb', 'x'.repeat(MAX_BYTES), `${'x'.repeat(MAX_BYTES - 1)}\r`)
      .map((text) => Buffer.from(text)),
  },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('', '\r', 'x'.repeat(MAX_BYTES + 1), `${'x'.repeat(MAX_BYTES)}\r`)
      .map((text) => Buffer.from(text)),
  },
);
const stream = fc
  .tuple(fc.array(line, { maxLength: 12 }), fc.oneof(fc.constant(Buffer.alloc(0)), line))
  .map(([lines, rest]) => Buffer.concat([...lines.flatMap((bytes) => [bytes, Buffer.from('\n')]), rest]));
const cuts = fc.array(fc.nat(), { maxLength: 30 });

function run(chunks: readonly Uint8Array[]): string[] {
  const events: string[] = [];
  const splitter = new LineSplitter({
    maxBytes: MAX_BYTES,
    onLine: (bytes) => events.push(`line ${Buffer.from(bytes).toString('hex')}`),
    onFault: (code) => events.push(code),
  });
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return events;
}

/** The same rules over the whole stream at once, without any state. */
function expected(bytes: Buffer): string[] {
  const events: string[] = [];
  let start = 0;
  for (;;) {
    const end = bytes.indexOf(10, start);
    const part = bytes.subarray(start, end < 0 ? bytes.length : end);
    if (part.length > MAX_BYTES) return [...events, 'plugin_message_too_large'];
    if (end < 0) return [...events, part.length > 0 ? 'plugin_malformed_json' : 'plugin_eof'];
    const payload = part.at(-1) === 13 ? part.subarray(0, -1) : part;
    if (payload.length === 0) return [...events, 'plugin_malformed_json'];
    events.push(`line ${payload.toString('hex')}`);
    start = end + 1;
  }
}

function split(bytes: Buffer, at: readonly number[]): Buffer[] {
  const places = [...new Set(at.map((place) => place % (bytes.length + 1)))].sort(
    (left, right) => left - right,
  );
  const chunks: Buffer[] = [];
  let start = 0;
  for (const place of [...places, bytes.length]) {
    chunks.push(bytes.subarray(start, place));
    start = place;
  }
  return chunks;
}

describe('framing under arbitrary chunking', () => {
  it('gives the same events for every way of cutting a stream, and ends exactly once', () => {
    fc.assert(
      fc.property(stream, cuts, (bytes, places) => {
        assert.deepEqual(run(split(bytes, places)), expected(bytes));
      }),
      { numRuns: 2000 },
    );
  });

  it('gives the same events byte by byte', () => {
    fc.assert(
      fc.property(stream, (bytes) => {
        assert.deepEqual(run([...bytes].map((byte) => Buffer.from([byte]))), expected(bytes));
      }),
    );
  });

  it('neither loses nor invents a byte of good lines', () => {
    const good = fc
      .uint8Array({ minLength: 1, maxLength: MAX_BYTES })
      .map((bytes) => bytes.map((byte) => (byte === 10 || byte === 13 ? 0x20 : byte)));
    fc.assert(
      fc.property(fc.array(good), cuts, (lines, places) => {
        const bytes = Buffer.concat(lines.flatMap((payload) => [payload, Buffer.from('\n')]));
        const wanted = lines.map((payload) => `line ${Buffer.from(payload).toString('hex')}`);
        assert.deepEqual(run(split(bytes, places)), [...wanted, 'plugin_eof']);
      }),
    );
  });
});
