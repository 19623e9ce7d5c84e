import { utf8Length } from '../json/plain-json.ts';

/** The first `most` UTF-16 units of a text, never half a pair; `…` stands for what was cut. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text
    .slice(0, most - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, '')}…`;
}

const BREAKS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g;

/** One line without control and direction characters, cut: for what a foreign error or extension says. */
export function cutLine(text: string, most: number): string {
  return cutText(text.replace(BREAKS, ' ').trim(), most);
}

/** Whether a text is longer than `most` bytes of UTF-8. */
export function exceedsBytes(text: string, most: number): boolean {
  return text.length * 3 > most && utf8Length(text) > most;
}

/** What was thrown, as one line that is not trusted, of `most` UTF-16 units. Never throws: an error's message may be anything. */
export function thrownText(thrown: unknown, most: number): string {
  let text: string;
  try {
    text = String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    text = 'something that has no text';
  }
  return cutLine(text === '' ? 'no reason given' : text, most);
}
