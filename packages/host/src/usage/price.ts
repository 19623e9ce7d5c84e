import type { Price } from '../models/configuration/backend.ts';
import type { ModelUsage } from '../models/model.ts';

const MILLION = 1_000_000n;

/**
 * What tokens cost in whole nano-dollars, rounded up once, so that many small calls never cost nothing; null without a price. Exact: a
 * price is a whole number of nano-dollars for a million tokens.
 */
export function nanousdOf(usage: ModelUsage, price: Price | undefined): number | null {
  if (price === undefined) return null;
  const { input, output, cached, written } = usage;
  const fresh = Math.max(0, input - cached - written);
  const perMillion =
    BigInt(fresh) * BigInt(price.input) +
    BigInt(cached) * BigInt(price.cached) +
    BigInt(written) * BigInt(price.written) +
    BigInt(output) * BigInt(price.output);
  const nanousd = (perMillion + MILLION - 1n) / MILLION;
  return nanousd > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(nanousd);
}
