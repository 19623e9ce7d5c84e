import type { LiveSet } from '@fairlead/hub';
import { type OfferedTools, type OfferOptions, offeredTools } from '../context/offered-tools.ts';

type Known = { readonly options: OfferOptions; readonly offered: OfferedTools };

/** What live sets offer, kept as long as they are in use: turn after turn has the same tools, and each is estimated once. */
export class Offers {
  /** By the tools of a set, which are the same object for every turn that it serves. */
  readonly #known = new WeakMap<LiveSet['tools'], Known[]>();

  /** `effectOf` says the same of a tool of one set whenever it is asked. */
  of({ tools }: Pick<LiveSet, 'tools'>, options: OfferOptions): OfferedTools {
    const all = this.#known.get(tools) ?? [];
    const known = all.find((one) => isSame(one.options, options));
    if (known !== undefined) return known.offered;
    const offered = offeredTools({ tools }, options);
    // An agent whose configuration changed leaves the one before behind; so many are more than one set serves at a time.
    if (all.length >= KEPT) all.shift();
    all.push({ options, offered });
    this.#known.set(tools, all);
    return offered;
  }
}

const KEPT = 8;

function isSame(one: OfferOptions, other: OfferOptions): boolean {
  return (
    one.mode === other.mode &&
    one.profile === other.profile &&
    isSameList(one.allowed, other.allowed) &&
    isSameList(one.givers ?? [], other.givers ?? [])
  );
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, at) => value === other[at]);
}
