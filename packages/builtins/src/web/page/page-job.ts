import type { SearchResult } from './search-result.ts';

/** What the thread that reads pages is asked for. */
export type PageJob =
  | { readonly kind: 'page'; readonly html: string; readonly url: string }
  | { readonly kind: 'results'; readonly html: string };

/** A page as it is read. */
export interface ReadablePage {
  /** Empty where it has none. */
  readonly title: string;
  readonly markdown: string;
  /** UTF-16 units of all of the Markdown, where `markdown` is its beginning. */
  readonly wholeUnits?: number;
}

/** What a job of each kind answers. */
export interface PageAnswers {
  readonly page: ReadablePage;
  readonly results: readonly SearchResult[];
}

/** What the thread posts. `reason` is ours. */
export type PageReply =
  | { readonly ok: true; readonly value: ReadablePage | readonly SearchResult[] }
  | { readonly ok: false; readonly reason: string };
