import { webLimits } from '../../limits.ts';
import { htmlDocument } from './html-document.ts';
import { type SearchResult, searchResult } from './search-result.ts';

const PAGE = 'https://html.duckduckgo.com/html/';

/** The results of DuckDuckGo's page for browsers without scripts, advertisements left out: as many as anybody may ask for. */
export function duckDuckGoResults(html: string): readonly SearchResult[] {
  const document = htmlDocument(html);
  const results: SearchResult[] = [];
  for (const row of Array.from(document.querySelectorAll('.result'))) {
    if (results.length >= webLimits.results) break;
    if (row.classList.contains('result--ad')) continue;
    const link = row.querySelector('a.result__a');
    const url = targetOf(link?.getAttribute('href') ?? '');
    const result = searchResult(link?.textContent, url, row.querySelector('.result__snippet')?.textContent);
    if (result !== undefined) results.push(result);
  }
  return results;
}

/** Its links lead over a page of its own, which names the target. */
function targetOf(href: string): string | undefined {
  if (!URL.canParse(href, PAGE)) return undefined;
  const url = new URL(href, PAGE);
  return url.searchParams.get('uddg') ?? url.href;
}
