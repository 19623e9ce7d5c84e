import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type StderrLine, StderrRing } from '../src/index.ts';

function ringOf(...chunks: (string | Uint8Array)[]): StderrLine[] {
  const ring = new StderrRing();
  for (const chunk of chunks) ring.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  return ring.lines();
}

test('lines are kept as they came, the unfinished one too', () => {
  assert.deepEqual(ringOf('one\ntw', 'o\n\nthree'), [
    { text: 'one', truncated: false },
    { text: 'two', truncated: false },
    { text: '', truncated: false },
    { text: 'three', truncated: false },
  ]);
  assert.deepEqual(ringOf(), []);
  assert.deepEqual(ringOf('ended\n'), [{ text: 'ended', truncated: false }]);
});

test('only printable ASCII is shown', () => {
  assert.deepEqual(ringOf('a\tb\r\n\u001b[31mé\u0000\u007f\n'), [
    { text: 'a b', truncated: false },
    { text: '?[31m????', truncated: false },
  ]);
});

test('a long line is cut at 1,024 bytes and says so', () => {
  assert.deepEqual(ringOf(`${'x'.repeat(1024)}\n${'y'.repeat(1025)}\nz`), [
    { text: 'x'.repeat(1024), truncated: false },
    { text: 'y'.repeat(1024), truncated: true },
    { text: 'z', truncated: false },
  ]);
  assert.deepEqual(ringOf('y'.repeat(1024), 'y'), [{ text: 'y'.repeat(1024), truncated: true }]);
});

test('64 lines are kept, the newest', () => {
  const lines = ringOf(Array.from({ length: 100 }, (_, index) => `${index}\n`).join(''));
  assert.equal(lines.length, 64);
  assert.deepEqual([lines[0]?.text, lines[63]?.text], ['36', '99']);
});

test('32 KiB are kept in all, with the unfinished line', () => {
  const long = `${'x'.repeat(1000)}\n`;
  assert.equal(ringOf(long.repeat(40)).length, 32);
  assert.equal(ringOf(long.repeat(40), 'x'.repeat(900)).length, 32);
  assert.equal(ringOf(long.repeat(32), 'x'.repeat(768)).length, 33);
});

/** The same rules, written for clearness and not for floods. */
function reference(bytes: Uint8Array): StderrLine[] {
  const lines: StderrLine[] = [];
  for (const part of Buffer.from(bytes).toString('latin1').split('\n')) {
    const shown = part
      .replaceAll('\r', '')
      .replaceAll('\t', ' ')
      .replace(/[^ -~]/g, '?');
    lines.push({ text: shown.slice(0, 1024), truncated: shown.length > 1024 });
    if (part === '') lines.splice(-1, 1, { text: '', truncated: false });
  }
  const last = Buffer.from(bytes).toString('latin1').split('\n').at(-1);
  if (last === '') lines.pop();
  while (lines.length > 64 || lines.reduce((sum, { text }) => sum + text.length, 0) > 32_768) lines.shift();
  return lines;
}

test('however the bytes are cut into chunks, the same lines are kept', () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.constantFrom('\n', '\r\n', '\t', 'text').map((text) => Buffer.from(text)),
    fc.nat(2500).map((length) => Buffer.alloc(length, 'x')),
    fc.nat(90).map((length) => Buffer.alloc(length, '\n')),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      assert.deepEqual(ringOf(...pieces), reference(Buffer.concat(pieces)));
    }),
    { numRuns: 300 },
  );
});
