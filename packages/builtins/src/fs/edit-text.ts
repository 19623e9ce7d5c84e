import { toolFault } from '../errors.ts';

/** One place of a text to change. */
export interface Edit {
  readonly old_text: string;
  readonly new_text: string;
}

export interface EditedText {
  readonly text: string;
  /** Lines that it has more than before, or fewer. */
  readonly lineDelta: number;
}

/**
 * Makes every edit, or none. Each old text must occur exactly once in the original, and no two may overlap; all are found before anything is
 * put together. Where every line of the original ends in CRLF, edits may be written with LF, and what they bring in gets CRLF.
 *
 * Faults, the first one in the order of the edits: `edit_not_found` (an empty old text too), `edit_not_unique`, then `edits_overlap`.
 */
export function editText(original: string, edits: readonly Edit[]): EditedText {
  const isCrlf = /\n/.test(original) && !/(?<!\r)\n/.test(original);
  const plain = (text: string) => (isCrlf ? text.replaceAll('\r\n', '\n') : text);
  const text = plain(original);
  const places = edits
    .map((edit, index) =>
      placeOf(text, { old_text: plain(edit.old_text), new_text: plain(edit.new_text) }, index, edits.length),
    )
    .sort((left, right) => left.start - right.start);
  let made = '';
  let at = 0;
  for (const { start, end, new_text } of places) {
    if (start < at) throw toolFault('not_started', 'edits_overlap');
    made += text.slice(at, start) + new_text;
    at = end;
  }
  made += text.slice(at);
  return {
    text: isCrlf ? made.replaceAll('\n', '\r\n') : made,
    lineDelta: linesOf(made) - linesOf(text),
  };
}

interface Place {
  readonly start: number;
  readonly end: number;
  readonly new_text: string;
}

function placeOf(text: string, { old_text, new_text }: Edit, index: number, count: number): Place {
  const which = count === 1 ? '' : `edit ${index + 1} of ${count}`;
  const start = old_text === '' ? -1 : text.indexOf(old_text);
  if (start < 0) throw toolFault('not_started', 'edit_not_found', which);
  if (text.includes(old_text, start + 1)) throw toolFault('not_started', 'edit_not_unique', which);
  return { start, end: start + old_text.length, new_text };
}

function linesOf(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return text === '' || text.endsWith('\n') ? lines : lines + 1;
}
