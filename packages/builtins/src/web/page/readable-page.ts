import { gfm } from '@joplin/turndown-plugin-gfm';
import type { DominoDocument } from '@mixmark-io/domino';
import { isProbablyReaderable, Readability } from '@mozilla/readability';
import TurndownService from 'turndown';
import { htmlDocument, webAddress } from './html-document.ts';
import type { ReadablePage } from './page-job.ts';

/** What shows nothing that could be read, and what somebody looking at the page would not see. */
const UNREADABLE = [
  ...['script', 'style', 'noscript', 'template', 'iframe', 'object', 'embed', 'svg', 'canvas', 'dialog'],
  ...['link', 'meta', 'input', 'button', 'select', 'textarea', '[hidden]', '[aria-hidden="true"]'],
].join(', ');

const INVISIBLE =
  /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0*)?\s*(?:;|$))/i;

/**
 * A page as Markdown: its main text where it is an article, else all that can be seen of it, addresses whole. Takes as long as the page likes and may
 * run out of stack: it is made for a thread that can be ended.
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
  const document = htmlDocument(html, url);
  for (const element of Array.from(document.querySelectorAll(UNREADABLE))) element.remove();
  for (const element of Array.from(document.querySelectorAll('[style]')))
    if (INVISIBLE.test(element.getAttribute('style') ?? '')) element.remove();
  for (const link of Array.from(document.querySelectorAll('a[href]'))) {
    const address = webAddress(link.getAttribute('href'), document.baseURI);
    if (address === undefined) link.removeAttribute('href');
    else link.setAttribute('href', address);
  }
  for (const image of Array.from(document.querySelectorAll('img'))) {
    const address = webAddress(image.getAttribute('src'), document.baseURI);
    if (address === undefined) image.remove();
    else image.setAttribute('src', address);
  }
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
  return service
    .turndown(html)
    .replace(/[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}
