/** A part of a text, from its first UTF-16 unit to behind its last. */
export type Span = readonly [start: number, end: number];

const MARKER = /-{4,5} ?(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}/g;

/** What a line of a key's body consists of, in a file or, with its line breaks as `\\n`, in JSON. */
const BODY = /[A-Za-z0-9+/=\\]/;
const BLANK = /[\s",']/;

/** A word this long is no word. The line before an end may be short. */
const LINE = 32;

export interface PrivateKeys {
  readonly spans: readonly Span[];
  /** A key begins and its end is not there: what follows the text belongs to it. */
  readonly isOpen: boolean;
}

/**
 * Whole private keys in a text, markers and bodies. Without its end a key goes to the end of the text; an end without a beginning takes
 * along what stands before it and can be a body. `wasOpen` says that a key began before the text.
 */
export function privateKeysIn(text: string, wasOpen = false): PrivateKeys {
  const spans: Span[] = [];
  let start = wasOpen ? 0 : undefined;
  let after = 0;
  if (text.includes('PRIVATE KEY'))
    for (const match of text.matchAll(MARKER)) {
      const end = match.index + match[0].length;
      if (match[1] === 'BEGIN') start ??= match.index;
      else {
        spans.push([start ?? bodyBefore(text, match.index, after), end]);
        start = undefined;
        after = end;
      }
    }
  if (start !== undefined) spans.push([start, text.length]);
  return { spans, isOpen: start !== undefined };
}

function bodyBefore(text: string, end: number, least: number): number {
  let start = end;
  for (let isLast = true; ; isLast = false) {
    const lineEnd = backOver(BLANK, text, start, least);
    const lineStart = backOver(BODY, text, lineEnd, least);
    if (lineStart === lineEnd || (!isLast && lineEnd - lineStart < LINE)) return start;
    start = lineStart;
  }
}

function backOver(characters: RegExp, text: string, from: number, least: number): number {
  let at = from;
  while (at > least && characters.test(text.charAt(at - 1))) at -= 1;
  return at;
}
