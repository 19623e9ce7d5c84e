import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Copies pages for readers who have no clone: a link to a page that is not copied along becomes its words. */
export function layPages(options: {
  readonly from: string;
  readonly pages: readonly string[];
  readonly into: string;
}): void {
  const { from, pages, into } = options;
  mkdirSync(into, { recursive: true });
  for (const page of pages)
    writeFileSync(join(into, page), linksWithin(readFileSync(join(from, page), 'utf8'), pages));
}

/** The text with those links alone that lead to one of the pages, within it, or into the web. */
function linksWithin(text: string, pages: readonly string[]): string {
  return text.replaceAll(/\[([^\][]*)\]\(([^()\s]*)\)/g, (link: string, words: string, target: string) => {
    const [page = ''] = target.split('#');
    return page === '' || pages.includes(page) || /^https?:/.test(page) ? link : words;
  });
}
