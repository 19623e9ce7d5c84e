import { Broken } from '../engine/target.ts';

/** Breaks behind three bytes, each of which opens the next comparison. */
export function readMagic(input: Uint8Array): void {
  if (input[0] !== 0x46) return;
  if (input[1] !== 0xc3) return;
  if (input[2] === 0x21) throw new Broken('the magic was said');
}
