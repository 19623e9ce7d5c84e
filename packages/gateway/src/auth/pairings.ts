import { hash } from 'node:crypto';
import { type Clock, FairleadError, type Random } from '@fairlead/base';
import { gatewayErrors } from '../errors.ts';
import { pairingLimits } from '../limits.ts';
import { checkName, checkRunner } from './token-request.ts';

/** What a code is good for. */
export type PairingWish = { readonly runner: string; readonly name?: string | undefined };

/** What became of a code that somebody showed. */
type Redemption =
  | {
      readonly ok: true;
      readonly wish: PairingWish;
      /** For a token that could not be made after all: the code is good again. */
      giveBack(): void;
    }
  | { readonly ok: false; readonly code: 'pairing_code_invalid' | 'pairing_limited' };

/**
 * Codes by which a second machine gets a Runner's token: 80 random bits, good once, for 10 minutes, kept as digests in this
 * process alone, so that none outlives it. See docs/how-to/connect-a-second-runner.md.
 */
export type Pairings = {
  /** A new code; an older one for the same runner id ends. Throws `token_request_invalid`, `pairing_limit_reached`. */
  offer(wish: PairingWish): { readonly code: string; readonly expiresAtMs: number };
  /** Takes a code out, so that nobody can show it again. `client` is whose wrong ones are counted. */
  redeem(code: string, client: string): Redemption;
};

export function createPairings(options: { readonly clock: Clock; readonly random: Random }): Pairings {
  return new PairingBook(options);
}

type Offer = { readonly wish: PairingWish; readonly endMs: number };

class PairingBook implements Pairings {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #offers = new Map<string, Offer>();
  readonly #wrong = new Map<string, number>();
  #wrongInAll = 0;
  #windowEndMs = 0;

  constructor({ clock, random }: { readonly clock: Clock; readonly random: Random }) {
    this.#clock = clock;
    this.#random = random;
  }

  offer(wish: PairingWish): { readonly code: string; readonly expiresAtMs: number } {
    checkRunner(wish.runner);
    if (wish.name !== undefined) checkName(wish.name);
    const nowMs = this.#clock.monotonicMs();
    for (const [digest, { wish: older, endMs }] of this.#offers) {
      if (endMs <= nowMs || older.runner === wish.runner) this.#offers.delete(digest);
    }
    if (this.#offers.size >= pairingLimits.live) {
      throw new FairleadError('pairing_limit_reached', gatewayErrors.pairing_limit_reached.message);
    }
    const code = newCode(this.#random);
    this.#offers.set(digestOf(code), { wish, endMs: nowMs + pairingLimits.lifetimeMs });
    return { code, expiresAtMs: this.#clock.wallMs() + pairingLimits.lifetimeMs };
  }

  redeem(code: string, client: string): Redemption {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs >= this.#windowEndMs) this.#forgetWrong(nowMs);
    const wrong = this.#wrong.get(client) ?? 0;
    if (wrong >= pairingLimits.wrongPerClient || this.#wrongInAll >= pairingLimits.wrongInAll) {
      return { ok: false, code: 'pairing_limited' };
    }
    // Looked up by its digest: who guesses cannot choose that, so the time it takes tells nothing.
    const digest = digestOf(code);
    const offer = this.#offers.get(digest);
    this.#offers.delete(digest);
    if (offer !== undefined && nowMs < offer.endMs) {
      return { ok: true, wish: offer.wish, giveBack: () => void this.#offers.set(digest, offer) };
    }
    this.#wrong.set(client, wrong + 1);
    this.#wrongInAll += 1;
    return { ok: false, code: 'pairing_code_invalid' };
  }

  #forgetWrong(nowMs: number): void {
    this.#wrong.clear();
    this.#wrongInAll = 0;
    this.#windowEndMs = nowMs + pairingLimits.windowMs;
  }
}

/** Digits and letters without I, L, O and U, which are read as others. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** 16 characters in groups of four. */
function newCode(random: Random): string {
  const characters = Array.from(random(pairingLimits.codeCharacters), (byte) => alphabet[byte % 32] ?? '0');
  return characters.join('').replace(/.{4}(?=.)/g, '$&-');
}

/** Of the code as it was meant: dashes and spaces do not count, nor does upper or lower case, nor O for 0, I or L for 1. */
function digestOf(typed: string): string {
  const meant = typed.toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
  return hash('sha256', `fairlead pairing v1\n${meant}`, 'base64url');
}
