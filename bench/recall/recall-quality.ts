import { HostMemory, type HostMemoryOptions } from '@fairlead/host';
import { type RecallQuestion, recallMemories, recallQuestions } from './recall-set.ts';
import { trigramEmbedder } from './trigram-embedder.ts';

/**
 * How much of the best order one answer has, 0 to 1: discounted cumulative gain of its first ten (gain 2^grade − 1, divided by log2 of the place and
 * one), against that of the best answer.
 */
export function ndcgAt10(found: readonly string[], answers: RecallQuestion['answers']): number {
  const gainOf = (grades: readonly number[]) =>
    grades.slice(0, 10).reduce((sum, grade, index) => sum + (2 ** grade - 1) / Math.log2(index + 2), 0);
  const best = gainOf(Object.values(answers).sort((left, right) => right - left));
  return best === 0 ? 0 : gainOf(found.map((key) => answers[key] ?? 0)) / best;
}

export interface RecallQuality {
  readonly words: number;
  readonly hybrid: number;
}

/** Mean nDCG@10 over the labelled set: words alone, and words with the trigrams of 384 dimensions. In a memory of an agent that has nothing else. */
export async function recallQuality(
  floor: Pick<HostMemoryOptions, 'peer' | 'store' | 'clock' | 'agents'>,
  agent: string,
): Promise<RecallQuality> {
  const report = () => {};
  const words = await HostMemory.open({ ...floor, report });
  for (const [key, value, ...tags] of recallMemories) await words.remember({ agent }, { key, value, tags });
  const hybrid = await HostMemory.open({
    ...floor,
    report,
    embedder: trigramEmbedder(384, 'trigrams/labelled'),
  });
  await hybrid.caughtUp();
  const mean = async (memory: HostMemory) => {
    let sum = 0;
    for (const { query, answers } of recallQuestions) {
      const { memories } = await memory.recall({ agent }, { query, limit: 10 });
      sum += ndcgAt10(
        memories.map(({ key }) => key),
        answers,
      );
    }
    return sum / recallQuestions.length;
  };
  const quality = { words: await mean(words), hybrid: await mean(hybrid) };
  await hybrid.close();
  await words.close();
  return quality;
}
