import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Key, KeyDecoder } from '../../src/chat/terminal/key-decoder.ts';

const ESC = '\u001b';

function keysOf(text: string): string[] {
  const decoder = new KeyDecoder();
  return [...decoder.feed(text), ...decoder.flush()].map((key) =>
    key.kind === 'key' ? key.key : `${key.kind}:${key.text}`,
  );
}

test('keys have the names that people call them by', () => {
  assert.deepEqual(keysOf('hé漢\r'), ['text:hé漢', 'enter']);
  assert.deepEqual(keysOf('\u0003\u0004\u0012\u000c\n\t\u007f\b'), [
    ...['ctrl-c', 'ctrl-d', 'ctrl-r', 'ctrl-l', 'ctrl-j', 'tab', 'backspace', 'backspace'],
  ]);
  assert.deepEqual(keysOf(`${ESC}[A${ESC}[B${ESC}[C${ESC}[D${ESC}OH${ESC}OF`), [
    ...['up', 'down', 'right', 'left', 'home', 'end'],
  ]);
  assert.deepEqual(keysOf(`${ESC}[5~${ESC}[6~${ESC}[3~${ESC}[1~${ESC}[4~${ESC}OP${ESC}[11~${ESC}[Z`), [
    ...['pageup', 'pagedown', 'delete', 'home', 'end', 'f1', 'f1', 'shift-tab'],
  ]);
  assert.deepEqual(keysOf(`${ESC}[1;5C${ESC}[1;3D${ESC}b${ESC}\r${ESC}\n${ESC}\u007f`), [
    ...['ctrl-right', 'alt-left', 'alt-b', 'alt-enter', 'alt-enter', 'alt-backspace'],
  ]);
  assert.deepEqual(keysOf(`${ESC}[13;2u${ESC}[27;2;13~${ESC}[99;5u${ESC}[5;2~\u0000`), [
    ...['shift-enter', 'shift-enter', 'ctrl-c', 'shift-pageup', 'ctrl-space'],
  ]);
});

test('a lone escape is a key once nothing follows it', () => {
  const decoder = new KeyDecoder();
  assert.deepEqual(decoder.feed(ESC), []);
  assert.equal(decoder.isPending, true);
  assert.deepEqual(decoder.flush(), [{ kind: 'key', key: 'escape' }]);
  assert.deepEqual(decoder.flush(), []);
  assert.deepEqual(keysOf(`${ESC}${ESC}[A`), ['escape', 'up']);
  assert.deepEqual(keysOf(`${ESC}${ESC}`), ['escape', 'escape']);
  assert.deepEqual(keysOf(`${ESC}[`), ['alt-[']);
  assert.deepEqual(keysOf(`${ESC}[12`), []);
});

test('a paste is a text, whatever stands in it', () => {
  const text = `a\r\nb\u0003${ESC}[A${ESC}`;
  assert.deepEqual(keysOf(`${ESC}[200~${text}${ESC}[201~x`), [`paste:a\nb\u0003${ESC}[A${ESC}`, 'text:x']);
});

test('what is no key is passed over', () => {
  assert.deepEqual(keysOf(`${ESC}[?1;2cx`), ['text:x']);
  assert.deepEqual(keysOf(`${ESC}[<0;10;10Mx`), ['text:x']);
  assert.deepEqual(keysOf(`${ESC}[999~${ESC}[1200ux`), ['text:x']);
  assert.deepEqual(keysOf(`${ESC}[${'1'.repeat(80)}漢x`), ['text:漢x']);
});

test('whatever bytes come, in whatever pieces, they give the same keys and never throw', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 6 }),
    fc.constantFrom(
      ESC,
      `${ESC}[`,
      `${ESC}O`,
      '[200~',
      `${ESC}[200~`,
      `${ESC}[201~`,
      '1;5',
      'A',
      '~',
      'u',
      '\r',
      '\u0003',
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const whole = new KeyDecoder();
      const parts = new KeyDecoder();
      const together = (keys: readonly Key[]) =>
        keys
          .map((key) =>
            key.kind === 'key' ? `<${key.key}>` : key.kind === 'text' ? key.text : `{${key.text}}`,
          )
          .join('');
      const first = together([...whole.feed(pieces.join('')), ...whole.flush()]);
      const second = together([...pieces.flatMap((each) => parts.feed(each)), ...parts.flush()]);
      assert.equal(second, first);
    }),
  );
});
