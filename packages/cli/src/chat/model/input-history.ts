import { chatLimits } from '../../limits.ts';

/** What was said before, oldest first, each text once. `place`: the one that is shown, its length where none is. */
export type InputHistory = {
  readonly texts: readonly string[];
  readonly place: number;
  /** What was being written when somebody began to look back. */
  readonly draft: string;
};

export const emptyHistory: InputHistory = { texts: [], place: 0, draft: '' };

/** With one more text at its end. */
export function remember({ texts }: InputHistory, text: string): InputHistory {
  if (text.trim() === '') return { texts, place: texts.length, draft: '' };
  const others = texts.filter((other) => other !== text);
  const kept = [...others, text].slice(-chatLimits.historyTexts);
  return { texts: kept, place: kept.length, draft: '' };
}

/** One text back or on; null where there is none. */
export function lookBack(
  history: InputHistory,
  way: -1 | 1,
  current: string,
): { readonly history: InputHistory; readonly text: string } | null {
  const place = history.place + way;
  if (place < 0 || place > history.texts.length) return null;
  const draft = history.place === history.texts.length ? current : history.draft;
  return { history: { ...history, place, draft }, text: history.texts[place] ?? draft };
}

/** The newest text before `before` that has the words in it, whatever their case; null where there is none. */
export function searchBack(
  { texts }: InputHistory,
  words: string,
  before = texts.length,
): { readonly place: number; readonly text: string } | null {
  if (words === '') return null;
  const wanted = words.toLowerCase();
  for (let place = Math.min(before, texts.length) - 1; place >= 0; place -= 1) {
    const text = texts[place] ?? '';
    if (text.toLowerCase().includes(wanted)) return { place, text };
  }
  return null;
}
