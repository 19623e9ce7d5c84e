import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { systemClock, systemRandom } from '@fairlead/base';
import { Agents, HostMemory, type HostMemoryOptions } from '@fairlead/host';
import { openPeer, openStore } from '@fairlead/store';
import type { Bench, BenchContext } from '../harness/bench.ts';
import { interleave } from '../harness/interleave.ts';
import { limitRow, ratioRow } from '../harness/row.ts';
import { recallQuality } from '../recall/recall-quality.ts';
import { trigramEmbedder } from '../recall/trigram-embedder.ts';

const MEMORIES = 100_000;
const QUICK_MEMORIES = 2000;
const DIMENSIONS = 384;
const MEMORIES_A_COMMIT = 200;
const QUESTIONS_A_ROUND = 20;
const WORDS = 20_000;
const MAX_WORDS_MS = 25;
const MAX_HYBRID_MS = 60;
const MAX_SLICE_MS = 10;
const MAX_RESIDENT_MIB = 190;

/** Recall over 100,000 memories, and how good it is on the labelled set. */
export const recall: Bench = {
  name: 'recall',
  title: `recall over ${MEMORIES} memories of one agent, words alone and with vectors of ${DIMENSIONS} dimensions, which take no time to be made here`,
  async run(context) {
    await using stack = new AsyncDisposableStack();
    const floor = await benchFloor(context, stack);
    const next = numbers(context.seed);
    const agent = (await floor.agents.create('bench')).id;
    await fill(floor, agent, context.quick ? QUICK_MEMORIES : MEMORIES, next);
    const report = () => {};
    const words = await HostMemory.open({ ...floor, report });
    stack.defer(() => words.close());
    const hybrid = await HostMemory.open({ ...floor, report, embedder: trigramEmbedder(DIMENSIONS) });
    stack.defer(() => hybrid.close());
    await hybrid.caughtUp();
    const reader = (await floor.agents.create('reader')).id;
    const measured = await interleave(
      [
        { unit: 'ms', round: async () => ({ words: await timed(words, agent, next) }) },
        {
          unit: { hybrid: 'ms', slice: 'ms', resident: 'MiB' },
          round: async () => {
            const slices = sliceWatch();
            const samples = await timed(hybrid, agent, next);
            return {
              hybrid: samples,
              slice: [await slices.longest()],
              resident: [hybrid.residentBytes / 2 ** 20],
            };
          },
        },
      ],
      context.plan(20, 2, 2),
    );
    const quality = await recallQuality(floor, reader);
    const scores = await interleave(
      [
        {
          unit: 'points',
          round: async () => ({ 'words alone': [quality.words * 100], both: [quality.hybrid * 100] }),
        },
      ],
      context.plan(1, 1, 0),
    );
    return {
      measurements: [...Object.values(measured), ...Object.values(scores)],
      rows: [
        limitRow('recall by words over 100,000 memories', measured.words, MAX_WORDS_MS),
        limitRow('recall by words and meaning, beyond the embedding call', measured.hybrid, MAX_HYBRID_MS),
        limitRow('… its longest slice of the event loop', measured.slice, MAX_SLICE_MS),
        limitRow('… vectors in memory', measured.resident, MAX_RESIDENT_MIB),
        ratioRow('nDCG@10 of words alone against words and trigrams', scores['words alone'], scores.both, 1),
      ],
    };
  },
};

type Floor = Pick<HostMemoryOptions, 'peer' | 'store' | 'clock' | 'agents'>;

async function benchFloor(context: BenchContext, stack: AsyncDisposableStack): Promise<Floor> {
  const stateDirectory = join(context.folder, 'state');
  await mkdir(stateDirectory, { mode: 0o700 });
  const clock = systemClock();
  const store = stack.use(await openStore({ path: join(stateDirectory, 'fairlead.db'), clock }));
  const peer = stack.use(await openPeer({ store, stateDirectory, clock, random: systemRandom() }));
  return { peer, store, clock, agents: new Agents({ peer, clock, isModel: () => true }) };
}

/** Numbers from 0 to 1, the same for a seed. */
function numbers(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
}

/** A word of a language in which a word is the rarer the later it stands in the dictionary, as in any. */
function word(next: () => number): string {
  const rank = Math.floor(WORDS ** next());
  let name = '';
  for (let left = rank * 7919 + 17; left > 0; left = Math.floor(left / 20)) name += SYLLABLES[left % 20];
  return name;
}

const SYLLABLES = 'ba de fi go hu ka le mi no pu ra se ti vo wu xa ye zi ro la'.split(' ');

async function fill({ agents }: Floor, agent: string, count: number, next: () => number): Promise<void> {
  const database = await agents.open(agent);
  for (let done = 0; done < count; done += MEMORIES_A_COMMIT) {
    await database.commit((tx) => {
      for (let index = done; index < Math.min(done + MEMORIES_A_COMMIT, count); index += 1) {
        const key = `${index} ${word(next)}`;
        const length = 8 + Math.floor(next() * 25);
        const value = Array.from({ length }, () => word(next)).join(' ');
        tx.put('memory', key, { key, value, tags: [`t${index % 40}`], agent, at: index });
      }
    });
    await setImmediate();
  }
}

/** Questions of two to five words each. */
async function timed(memory: HostMemory, agent: string, next: () => number): Promise<readonly number[]> {
  const samples: number[] = [];
  for (let index = 0; index < QUESTIONS_A_ROUND; index += 1) {
    const query = Array.from({ length: 2 + Math.floor(next() * 4) }, () => word(next)).join(' ');
    const startedMs = performance.now();
    await memory.recall({ agent }, { query });
    samples.push(performance.now() - startedMs);
    // Whoever asks next comes in a turn of their own.
    await setImmediate();
  }
  return samples;
}

/** Looks at the event loop in each of its turns: for how long was the thread at work in the longest? */
function sliceWatch() {
  let longestMs = 0;
  let isOver = false;
  const watching = (async () => {
    for (let last = process.threadCpuUsage(); !isOver; ) {
      await setImmediate();
      const { user, system } = process.threadCpuUsage(last);
      longestMs = Math.max(longestMs, (user + system) / 1000);
      last = process.threadCpuUsage();
    }
  })();
  return {
    async longest(): Promise<number> {
      isOver = true;
      await watching;
      return longestMs;
    },
  };
}
