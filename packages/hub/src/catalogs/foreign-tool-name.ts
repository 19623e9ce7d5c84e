import { createHash } from 'node:crypto';

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const MAX_LENGTH = 64;

/**
 * The name of a foreign tool toward models: `<source>__<tool>`, the source being a server or a plugin. Where that has a character outside `[A-Za-z0-9_-]`, or is longer than 64, it is
 * cut to 57 with `_` and six characters of a digest of both names. It never depends on what else is there.
 */
export function foreignToolName(source: string, tool: string): string {
  const plain = `${source}__${tool}`;
  const flat = plain.replaceAll(/[^A-Za-z0-9_-]/gu, '_');
  if (flat === plain && plain.length <= MAX_LENGTH) return plain;
  const digest = createHash('sha256').update(`${source}\0${tool}`).digest();
  let mark = '';
  let bits = digest.readUInt32BE(0);
  for (let left = 6; left > 0; left -= 1) {
    mark += BASE32[bits >>> 27];
    bits = (bits << 5) >>> 0;
  }
  return `${flat.slice(0, MAX_LENGTH - 7)}_${mark}`;
}
