import { randomBytes, randomFillSync } from 'node:crypto';

/** Randomness as a parameter: `count` unpredictable bytes. */
export type Random = (count: number) => Uint8Array;

/** Bytes that are drawn ahead: one draw costs some 8 µs, however few it gives, and every invocation has an id. */
const DRAWN_TOGETHER = 1_024;

/** An id's share. What is longer is a key or a secret, and is drawn by itself. */
const FROM_POOL_MAX = 16;

/** The machine's own cryptographic randomness. No byte is given twice, and none is kept once it was given. */
export function systemRandom(): Random {
  const pool = new Uint8Array(DRAWN_TOGETHER);
  let at = DRAWN_TOGETHER;
  return (count) => {
    if (count > FROM_POOL_MAX) return randomBytes(count);
    if (at + count > DRAWN_TOGETHER) {
      randomFillSync(pool);
      at = 0;
    }
    const end = at + count;
    const given = pool.slice(at, end);
    pool.fill(0, at, end);
    at = end;
    return given;
  };
}

/** `prefix` and 22 base64url characters: 128 random bits. */
export function randomId(prefix: string, random: Random): string {
  return prefix + Buffer.from(random(16)).toString('base64url');
}

/** `prefix` and 43 base64url characters: 256 random bits, for what must not be guessed. */
export function randomSecret(prefix: string, random: Random): string {
  return prefix + Buffer.from(random(32)).toString('base64url');
}
