import { gfm } from '@joplin/turndown-plugin-gfm';
import type { DominoDocument } from '@mixmark-io/domino';
import { isProbablyReaderable, Readability } from '@mozilla/readability';
import TurndownService from 'turndown';
import { baseOf, htmlDocument } from './html-document.ts';
import { boundedRules, PageAddresses, weigh } from './page-growth.ts';
import type { ReadablePage } from './page-job.ts';

/** What shows nothing that could be read, and what somebody looking at the page would not see. */
const UNREADABLE = [
  ...['script', 'style', 'noscript', 'template', 'iframe', 'object', 'embed', 'svg', 'canvas', 'dialog'],
  ...['link', 'meta', 'input', 'button', 'select', 'textarea', '[hidden]', '[aria-hidden="true"]'],
].join(', ');

const INVISIBLE =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0*)?\s*(?:;|$))/i;

/** What a browser takes, too. */
const COLUMNS = 1000;

/**
 * A page as Markdown: its main text where it is an article, else all that can be seen of it, addresses whole. Takes as long as the page likes and may
 * run out of stack: it is made for a thread that can be ended. Throws `PageGrowth`.
 */
export function readablePage(html: string, url: string): ReadablePage {
  const document = seenDocument(html, url);
  const title = (document.title ?? '').replace(/\s+/g, ' ').trim();
  const article = isProbablyReaderable(document) ? new Readability(document).parse() : null;
  if (typeof article?.content === 'string')
    return { title: article.title?.trim() || title, markdown: markdownOf(article.content) };
  // Who looked for an article has taken the document apart.
  const { body } = seenDocument(html, url);
  return { title, markdown: markdownOf(body?.innerHTML ?? '') };
}

function seenDocument(html: string, url: string): DominoDocument {
  const document = htmlDocument(html);
  const addresses = new PageAddresses(baseOf(document, url));
  for (const element of Array.from(document.querySelectorAll(UNREADABLE))) element.remove();
  for (const element of Array.from(document.querySelectorAll('[style]')))
    if (INVISIBLE.test(element.getAttribute('style') ?? '')) element.remove();
  for (const link of Array.from(document.querySelectorAll('a[href]'))) {
    const address = addresses.whole(link.getAttribute('href'));
    if (address === undefined) link.removeAttribute('href');
    else link.setAttribute('href', address);
  }
  for (const image of Array.from(document.querySelectorAll('img'))) {
    const address = addresses.whole(image.getAttribute('src'));
    if (address === undefined) image.remove();
    else image.setAttribute('src', address);
  }
  // A cell is repeated for each column that it says it spans.
  for (const cell of Array.from(document.querySelectorAll('[colspan]')))
    if (!(Number(cell.getAttribute('colspan')) <= COLUMNS)) cell.removeAttribute('colspan');
  weigh(document.querySelectorAll('*'));
  return document;
}

function markdownOf(html: string): string {
  const service = new TurndownService({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    hr: '---',
  });
  service.use(gfm);
  service.rules.array = boundedRules(service.rules.array);
  return service
    .turndown(html)
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
