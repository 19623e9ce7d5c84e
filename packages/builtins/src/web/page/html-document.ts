import domino, { type DominoDocument } from '@mixmark-io/domino';

/** HTML as a document of its own: nothing in it is run or fetched. `url` is where relative addresses are meant from. */
export function htmlDocument(html: string, url: string): DominoDocument {
  const document = domino.createDocument(html, true);
  const base = baseOf(document, url);
  // The parser knows neither; who looks for the main text asks for both.
  Object.defineProperty(document, 'baseURI', { value: base });
  Object.defineProperty(document, 'documentURI', { value: url });
  makeIterable(document);
  return document;
}

/** An address that a page names, whole; undefined for anything that is not on the web. */
export function webAddress(given: string | null, base: string): string | undefined {
  if (given === null || !URL.canParse(given.trim(), base)) return undefined;
  const { protocol, href } = new URL(given.trim(), base);
  return protocol === 'https:' || protocol === 'http:' ? href : undefined;
}

function baseOf(document: DominoDocument, url: string): string {
  return webAddress(document.querySelector('base[href]')?.getAttribute('href') ?? null, url) ?? url;
}

/** Its lists have a length and members and cannot be walked as a browser's can. */
function makeIterable(document: DominoDocument): void {
  const lists: object = Object.getPrototypeOf(document.getElementsByTagName('html'));
  if (Symbol.iterator in lists) return;
  Object.defineProperty(lists, Symbol.iterator, { value: Array.prototype[Symbol.iterator] });
}
