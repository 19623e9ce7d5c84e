import { seededRandom } from '@fairlead/testing';

/** Two numbers to add, and their sum. */
export type Pair = { readonly a: number; readonly b: number; readonly sum: number };

const COUNT = 1024;

/** Repeats 1,024 pairs chosen by `seed`, so that making arguments costs a call nothing. */
export function pairsOf(seed: number): (index: number) => Pair {
  const random = seededRandom(seed);
  const pairs = Array.from({ length: COUNT }, () => {
    const a = random.below(1_000_000);
    const b = random.below(1_000_000);
    return { a, b, sum: a + b };
  });
  return (index) => pairs[index % COUNT] as Pair;
}

/** Throws when an answer's `structuredContent.sum` is not the pair's: a wrong answer must not count as a fast one. */
export function checkSum(result: unknown, pair: Pair): void {
  const content = (result as { structuredContent?: { sum?: unknown } } | null | undefined)?.structuredContent;
  if (content?.sum !== pair.sum) throw new Error(`not the sum ${pair.sum}: ${JSON.stringify(result)}`);
}
