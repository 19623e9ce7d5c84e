import type { SeededRandom } from '@fairlead/testing';
import { NUMBERS, PIECES } from './interesting.ts';

/** What a change may draw from. */
export type Material = {
  readonly dice: SeededRandom;
  readonly words: readonly string[];
  /** Another input that was kept. */
  other(): Uint8Array;
};

type Change = (input: Buffer, material: Material) => Buffer;

/** Changes an input in one to eight places. */
export function mutateBytes(input: Uint8Array, material: Material): Buffer {
  let changed: Buffer = Buffer.from(input);
  const times = 1 << material.dice.below(4);
  for (let time = 0; time < times; time += 1) changed = material.dice.pick(changes)(changed, material);
  return changed;
}

const changes: readonly Change[] = [
  (input, { dice }) => replace(input, span(input, dice, 1), Buffer.of(dice.below(256))),
  (input, { dice }) => {
    const at = dice.below(input.length);
    return replace(input, [at, at + 1], Buffer.of((input[at] ?? 0) ^ (1 << dice.below(8))));
  },
  (input, { dice }) => replace(input, span(input, dice, 0), Buffer.from(dice(1 + dice.below(8)))),
  (input, { dice }) => replace(input, span(input, dice, 1 + dice.below(16)), Buffer.alloc(0)),
  (input, { dice }) => replace(input, span(input, dice, input.length), Buffer.alloc(0)),
  (input, { dice }) => replace(input, span(input, dice, 0), Buffer.from(dice.pick(PIECES))),
  (input, { dice }) => replace(input, span(input, dice, 1 + dice.below(4)), Buffer.from(dice.pick(PIECES))),
  (input, { dice, words }) => replace(input, span(input, dice, 0), Buffer.from(pickOr(dice, words))),
  (input, { dice, words }) => replace(input, wordAt(input, dice), Buffer.from(pickOr(dice, words))),
  (input, { dice }) => replace(input, numberAt(input, dice), Buffer.from(dice.pick(NUMBERS))),
  // A part of itself once more, somewhere else or in the place of another part.
  (input, { dice }) => replace(input, span(input, dice, 0), input.subarray(...span(input, dice, 32))),
  (input, { dice }) => replace(input, span(input, dice, 8), input.subarray(...span(input, dice, 8))),
  // The same again and again: what grows, nests or repeats without end.
  (input, { dice }) => replace(input, span(input, dice, 0), repeated(input, dice)),
  (input, { dice }) => {
    const [open, close] = dice.pick(BRACKETS);
    const deep = 1 << dice.below(14);
    const [start, end] = span(input, dice, 64);
    const middle = input.subarray(start, end);
    return replace(
      input,
      [start, end],
      Buffer.concat([Buffer.from(open.repeat(deep)), middle, Buffer.from(close.repeat(deep))]),
    );
  },
  // The beginning of this and the end of another.
  (input, { dice, other }) => {
    const tail = Buffer.from(other());
    return Buffer.concat([
      input.subarray(0, dice.below(input.length + 1)),
      tail.subarray(dice.below(tail.length + 1)),
    ]);
  },
  (input, { dice, other }) => {
    const from = Buffer.from(other());
    return replace(input, span(input, dice, 8), from.subarray(...span(from, dice, 32)));
  },
  (input, { dice }) => changeLines(input, dice),
];

const BRACKETS: readonly (readonly [string, string])[] = [
  ['[', ']'],
  ['{"a":', '}'],
  ['(', ')'],
  ['{a=', '}'],
];

/** A random part of at most `most` bytes. */
function span(input: Uint8Array, dice: SeededRandom, most: number): [number, number] {
  const start = dice.below(input.length + 1);
  return [start, Math.min(input.length, start + (most <= 1 ? most : 1 + dice.below(most)))];
}

function replace(input: Buffer, [start, end]: readonly [number, number], by: Uint8Array): Buffer {
  return Buffer.concat([input.subarray(0, start), by, input.subarray(end)]);
}

function pickOr(dice: SeededRandom, words: readonly string[]): string {
  return words.length === 0 ? dice.pick(PIECES) : dice.pick(words);
}

function repeated(input: Buffer, dice: SeededRandom): Buffer {
  const [start, end] = span(input, dice, 12);
  const part = start === end ? Buffer.from(dice.pick(PIECES)) : input.subarray(start, end);
  return Buffer.concat(Array.from({ length: 1 << dice.below(10) }, () => part));
}

function isWord(byte: number | undefined): boolean {
  return (
    byte !== undefined &&
    (byte === 0x5f || (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a))
  );
}

function runAt(input: Buffer, at: number, belongs: (byte: number | undefined) => boolean): [number, number] {
  let start = at;
  let end = at;
  while (start > 0 && belongs(input[start - 1])) start -= 1;
  while (end < input.length && belongs(input[end])) end += 1;
  return [start, end];
}

function wordAt(input: Buffer, dice: SeededRandom): [number, number] {
  return runAt(input, dice.below(input.length + 1), isWord);
}

/** A number of the input, where a few looks find one. */
function numberAt(input: Buffer, dice: SeededRandom): [number, number] {
  const isDigit = (byte: number | undefined) => byte !== undefined && byte >= 0x30 && byte <= 0x39;
  for (let look = 0; look < 16; look += 1) {
    const [start, end] = runAt(input, dice.below(input.length + 1), isDigit);
    if (end > start) return [start, end];
  }
  return span(input, dice, 1);
}

/** Leaves out, doubles or moves a line. */
function changeLines(input: Buffer, dice: SeededRandom): Buffer {
  const lines = input.toString('latin1').split('\n');
  const at = dice.below(lines.length);
  const [line = ''] = lines.splice(at, 1);
  const copies = dice.below(3);
  for (let copy = 0; copy < copies; copy += 1) lines.splice(dice.below(lines.length + 1), 0, line);
  return Buffer.from(lines.join('\n'), 'latin1');
}
