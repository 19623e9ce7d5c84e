import { randomBytes } from 'node:crypto';

/** Randomness as a parameter: `count` unpredictable bytes. */
export type Random = (count: number) => Uint8Array;

/** The machine's own cryptographic randomness. */
export function systemRandom(): Random {
  return (count) => randomBytes(count);
}

/** `prefix` and 22 base64url characters: 128 random bits. */
export function randomId(prefix: string, random: Random): string {
  return prefix + Buffer.from(random(16)).toString('base64url');
}

/** `prefix` and 43 base64url characters: 256 random bits, for what must not be guessed. */
export function randomSecret(prefix: string, random: Random): string {
  return prefix + Buffer.from(random(32)).toString('base64url');
}
