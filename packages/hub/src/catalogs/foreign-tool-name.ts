import { createHash } from 'node:crypto';

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const MAX_LENGTH = 64;

/** A name that ends as a digested one does, with a digit among the six: ordinary words of six letters (`get_status`) keep their names. */
const LOOKS_DIGESTED = /_(?=[a-z]*[2-7])[a-z2-7]{6}$/;

/**
 * The name of a foreign tool toward models: `<source>__<tool>`, the source being a server or a plugin. Where that has a character outside `[A-Za-z0-9_-]`, is longer than 64, or ends
 * as if that had been done already, it is cut to 57 with `_` and six characters of a digest of both names. It never depends on what else is there.
 * Two tools of one source may still meet, where the six are all letters: whoever offers them refuses the second.
 */
export function foreignToolName(source: string, tool: string): string {
  const plain = `${source}__${tool}`;
  const flat = plain.replaceAll(/[^A-Za-z0-9_-]/gu, '_');
  if (flat === plain && plain.length <= MAX_LENGTH && !LOOKS_DIGESTED.test(plain)) return plain;
  const digest = createHash('sha256').update(`${source}\0${tool}`).digest();
  let mark = '';
  let bits = digest.readUInt32BE(0);
  for (let left = 6; left > 0; left -= 1) {
    mark += BASE32[bits >>> 27];
    bits = (bits << 5) >>> 0;
  }
  return `${flat.slice(0, MAX_LENGTH - 7)}_${mark}`;
}
