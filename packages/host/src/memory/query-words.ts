import { memoryLimits } from '../limits.ts';

/**
 * English words that stand in every sentence: what a search by any of several words must not be about. Other languages have their own; a word of
 * theirs that is everywhere is weighed down by how common it is.
 */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'about after again all also am an and any are as at be because been before being but by can could did do does doing done for from get ' +
    'got had has have having he her here hers him his how if in into is it its just let me more most my no nor not now of off on once only ' +
    'or other our ours out over own please same she should so some such than that the their theirs them then there these they this those ' +
    'through to too under until up us very was we were what when where which while who whom why will with would you your yours'
  ).split(' '),
);

/** Words of a text in small letters, split at everything that is neither letter nor digit, of two bytes at least. */
export function wordsOf(text: string): readonly string[] {
  return (text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).filter(
    (word) => Buffer.byteLength(word) >= 2,
  );
}

/** The words to look for, each once: those that say something, or all where none does. At most 32. */
export function queryWords(text: string, most: number = memoryLimits.queryWords): readonly string[] {
  const words = [...new Set(wordsOf(text))];
  const telling = words.filter((word) => !STOP_WORDS.has(word));
  return (telling.length > 0 ? telling : words).slice(0, most);
}

/** What a conversation is about: telling words of its texts, the newest text first, at most `most`. Empty where none says anything. */
export function topicWords(texts: readonly string[], most: number): readonly string[] {
  const words = new Set<string>();
  for (const text of texts.toReversed())
    for (const word of wordsOf(text)) {
      if (words.size >= most) return [...words];
      if (!STOP_WORDS.has(word)) words.add(word);
    }
  return [...words];
}
