import { webLimits } from '../../limits.ts';

/** One answer of a search engine. */
export type SearchResult = {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
};

/** A result of what an engine said, or undefined where it leads nowhere. Tags and control characters are taken out. */
export function searchResult(title: unknown, url: unknown, snippet: unknown): SearchResult | undefined {
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  if (url.length > webLimits.resultUrlMax) return undefined;
  return {
    title: plain(title, webLimits.resultTitleMax) || url,
    url,
    snippet: plain(snippet, webLimits.resultSnippetMax),
  };
}

function plain(value: unknown, max: number): string {
  if (typeof value !== 'string') return '';
  const text = value
    .slice(0, max * 8)
    .toWellFormed()
    .replace(/<\/?[a-z][^<>]*>/gi, '')
    .replace(/&(amp|lt|gt|quot|#0?39|#x27|nbsp);/g, (_, name: string) => ENTITIES[name] ?? ' ')
    .replace(/[\p{Cc}\p{Zs}]+/gu, ' ')
    .trim();
  return text.length <= max
    ? text
    : `${text
        .slice(0, max)
        .toWellFormed()
        .replace(/\ufffd$/, '')}…`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  '#039': "'",
  '#x27': "'",
};
