import { isIP } from 'node:net';

/** The 4 or 16 bytes of an IP address in its ordinary notation, brackets allowed; null for anything else, zone ids included. */
export function addressBytes(text: string): readonly number[] | null {
  const plain = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (plain.includes('%')) return null;
  const family = isIP(plain);
  if (family === 4) return plain.split('.').map(Number);
  return family === 6 ? bytesOf6(plain) : null;
}

/** `text` is known to be IPv6. */
function bytesOf6(text: string): readonly number[] {
  const dotted = text.includes('.') ? text.slice(text.lastIndexOf(':') + 1) : undefined;
  const groups = dotted === undefined ? text : text.slice(0, -dotted.length) + hexOf4(dotted);
  const [left = '', right] = groups.split('::');
  const before = wordsOf(left);
  const after = right === undefined ? [] : wordsOf(right);
  const gap = new Array<number>(8 - before.length - after.length).fill(0);
  return [...before, ...gap, ...after].flatMap((word) => [word >> 8, word & 0xff]);
}

function hexOf4(dotted: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number);
  return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
}

function wordsOf(text: string): number[] {
  return text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16));
}
