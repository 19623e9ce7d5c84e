import { encodeJson, type Json } from '@fairlead/base';
import { entryLimits } from '../limits.ts';

/** What of a tool's output stands in its entry. */
export interface FittedResult {
  readonly text: string;
  readonly structured?: Json;
  /** UTF-8 bytes of the whole text. */
  readonly bytes: number;
  /** How many of them are left out, in its middle. */
  readonly cut?: number;
}

/**
 * Fits a tool's output into an entry: of a text over 64 KiB the first 48 and the last 16 stay, whole characters; a structured part over 64
 * KiB is left out.
 */
export function fitResult(output: { readonly text: string; readonly structured?: Json }): FittedResult {
  const whole = Buffer.from(output.text.toWellFormed());
  const structured =
    output.structured !== undefined &&
    Buffer.byteLength(encodeJson(output.structured)) <= entryLimits.structuredBytes
      ? { structured: output.structured }
      : {};
  const bytes = whole.length;
  if (bytes <= entryLimits.textBytes) return { text: whole.toString(), ...structured, bytes };
  const head = whole.subarray(0, startOfCharacter(whole, entryLimits.headBytes));
  let from = bytes - entryLimits.tailBytes;
  while (isInside(whole, from)) from += 1;
  return {
    text: head.toString() + whole.subarray(from).toString(),
    ...structured,
    bytes,
    cut: from - head.length,
  };
}

/** The text of an entry of ours that may be too long: its first 64 KiB, whole characters. */
export function fitText(text: string): string {
  const whole = Buffer.from(text.toWellFormed());
  return whole.subarray(0, startOfCharacter(whole, entryLimits.textBytes)).toString();
}

/** Where the character begins that holds the byte `at`. */
function startOfCharacter(text: Buffer, at: number): number {
  let start = Math.min(at, text.length);
  while (isInside(text, start)) start -= 1;
  return start;
}

function isInside(text: Buffer, at: number): boolean {
  return ((text[at] ?? 0) & 0xc0) === 0x80;
}
