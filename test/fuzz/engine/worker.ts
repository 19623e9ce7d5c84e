// One thread for one target: its covered files are loaded here with counters, and the thread that
// started it can end it whatever it does.
import { parentPort, workerData } from 'node:worker_threads';
import { repositoryRoot, seededRandom } from '@fairlead/testing';
import { Beacon } from './beacon.ts';
import { type Coverage, Judge } from './judge.ts';
import { minimise, search } from './search.ts';
import type { Target } from './target.ts';
import { wordsOf } from './words-of.ts';
import type { FuzzAnswer, FuzzOrder, FuzzWord } from './work.ts';

const order = workerData as FuzzOrder;
const NOTHING: Coverage = { take: () => [] };
const SHRINK_TRIES = 2_000;

const say = (word: FuzzWord): void => parentPort?.postMessage(word);

try {
  say({ answer: await fuzz() });
} catch (error) {
  // A fault of the search itself: while a judge listens for stray rejections, nobody else would hear of it.
  say({ error: error instanceof Error ? error : new Error(String(error)) });
}

async function fuzz(): Promise<FuzzAnswer> {
  const coverage = order.isAlone ? NOTHING : await countBranches();
  const { target } = (await import(order.module)) as { readonly target: Target };
  const opened = await target.open();
  const judge = new Judge({ target, opened, beacon: new Beacon(order.beacon), coverage });
  coverage.take();

  const seeds = order.isAlone ? [] : target.seeds();
  const corpus = [...seeds, ...order.corpus].map((seed) => Buffer.from(seed).subarray(0, target.maxBytes));
  const report = await search({
    target,
    judge,
    dice: seededRandom(order.seed),
    words: [...new Set([...wordsOf(repositoryRoot, target.covers), ...(target.words ?? [])])],
    corpus,
    isGuided: order.isGuided,
    maxFailures: order.maxFailures,
    budgetMs: order.isAlone ? 0 : order.budgetMs,
    maxRuns: order.maxRuns,
    shrinkTries: order.isAlone ? 0 : SHRINK_TRIES,
    now: () => performance.now(),
    onFailure: (failure) => say({ failure }),
  });
  const keeps = order.keepBytes > 0;
  const least = keeps ? await minimise(judge, [...order.corpus, ...report.kept], order.keepBytes) : [];
  await opened.close?.();
  return { ...report, kept: report.kept.length, least };
}

/** Counting takes a compiler, which one input alone can do without. */
async function countBranches(): Promise<Coverage> {
  const { BranchCoverage } = await import('./branch-coverage.ts');
  return new BranchCoverage(repositoryRoot, order.covers);
}
