import type TurndownService from 'turndown';
import { webLimits } from '../../limits.ts';
import { webAddress } from './html-document.ts';

type Rule = TurndownService.Rule;

/** A page of some bytes that would become much larger than it is. */
export class PageGrowth extends Error {
  override readonly name = 'PageGrowth';
}

/** Makes the addresses of one page whole, as long as all of them together stay bounded: a short link under a long base grows a thousandfold. */
export class PageAddresses {
  readonly #base: string;
  #left: number = webLimits.addressesMax;

  constructor(base: string) {
    this.#base = base;
  }

  /** Undefined for what leads nowhere on the web, what is too long, and what comes after too many. */
  whole(given: string | null): string | undefined {
    if (this.#left <= 0) return undefined;
    const address = webAddress(given, this.#base);
    this.#left -= address?.length ?? 0;
    return address;
  }
}

interface Weighed {
  readonly tagName: string;
  readonly attributes: ArrayLike<{ readonly name: string; readonly value: string }>;
}

/**
 * Throws `PageGrowth` where the tags of a document, written out, are much more than any page says: a tag that was left open is made again, with all its
 * attributes, in each paragraph that follows.
 */
export function weigh(elements: ArrayLike<Weighed>): void {
  let units = 0;
  for (let index = 0; index < elements.length; index += 1) {
    const element = elements[index];
    if (element === undefined) continue;
    units += element.tagName.length * 2 + 5;
    for (const { name, value } of Array.from(element.attributes)) units += name.length + value.length + 4;
    if (units > webLimits.tagsMax) throw new PageGrowth();
  }
}

/** The same rules, which together may add so much to the text between the tags: quotes in quotes add a mark to each line, each time. */
export function boundedRules(rules: readonly Rule[]): Rule[] {
  let left: number = webLimits.growthMax;
  return rules.map(({ replacement, ...rule }) => {
    if (replacement === undefined) return rule;
    return {
      ...rule,
      replacement(content, node, options) {
        const text = replacement(content, node, options);
        left -= Math.max(0, text.length - content.length);
        if (left < 0) throw new PageGrowth();
        return text;
      },
    };
  });
}
