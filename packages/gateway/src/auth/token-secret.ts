import { hash } from 'node:crypto';
import { type Random, randomSecret } from '@fairlead/base';

/** `personal` opens the HTTP API, `runner` the Runner link of one runner id; neither opens the other. */
export type TokenKind = 'personal' | 'runner';

const PREFIX: Readonly<Record<TokenKind, string>> = { personal: 'fairlead_pat_', runner: 'fairlead_runner_' };
/** 256 bits in base64url. */
const RANDOM_PART = /^[A-Za-z0-9_-]{43}$/;

/** A new token: its kind's prefix and 256 random bits. It is shown once and never kept. */
export function newSecret(kind: TokenKind, random: Random): string {
  return randomSecret(PREFIX[kind], random);
}

/** The kind that a text claims to be by its form, or null when no token has that form. */
export function kindOfSecret(text: string): TokenKind | null {
  if (text.startsWith(PREFIX.personal))
    return RANDOM_PART.test(text.slice(PREFIX.personal.length)) ? 'personal' : null;
  if (text.startsWith(PREFIX.runner))
    return RANDOM_PART.test(text.slice(PREFIX.runner.length)) ? 'runner' : null;
  return null;
}

/**
 * What is stored and looked up in a token's place. A plain digest is enough for 256 random bits, and looking up by it
 * gives no timing to learn from: who guesses cannot choose the digest.
 */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'base64url');
}
