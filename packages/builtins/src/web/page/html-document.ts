import domino, { type DominoDocument } from '@mixmark-io/domino';
import { webLimits } from '../../limits.ts';

/** HTML as a document of its own: nothing in it is run or fetched. */
export function htmlDocument(html: string): DominoDocument {
  const document = domino.createDocument(html, true);
  // The parser knows neither; who looks for the main text asks for both, and makes nothing whole without: that is done before, and bounded.
  Object.defineProperty(document, 'baseURI', { value: '' });
  Object.defineProperty(document, 'documentURI', { value: '' });
  makeIterable(document);
  return document;
}

/** An address that a page names, whole; undefined for anything that is not on the web, or too long. */
export function webAddress(given: string | null, base: string): string | undefined {
  if (given === null || given.length > webLimits.addressMax) return undefined;
  if (!URL.canParse(given.trim(), base)) return undefined;
  const { protocol, href } = new URL(given.trim(), base);
  const isWeb = protocol === 'https:' || protocol === 'http:';
  return isWeb && href.length <= webLimits.addressMax ? href : undefined;
}

/** Where the relative addresses of a page from `url` are meant from. */
export function baseOf(document: DominoDocument, url: string): string {
  return webAddress(document.querySelector('base[href]')?.getAttribute('href') ?? null, url) ?? url;
}

/** Its lists have a length and members and cannot be walked as a browser's can. */
function makeIterable(document: DominoDocument): void {
  const lists: object = Object.getPrototypeOf(document.getElementsByTagName('html'));
  if (Symbol.iterator in lists) return;
  Object.defineProperty(lists, Symbol.iterator, { value: Array.prototype[Symbol.iterator] });
}
