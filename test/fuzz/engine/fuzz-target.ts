import { Worker } from 'node:worker_threads';
import { Beacon } from './beacon.ts';
import type { Failure } from './judge.ts';
import { shrink } from './shrink.ts';
import type { Target } from './target.ts';
import type { FuzzOrder, FuzzResult, FuzzWord } from './work.ts';

/** How to fuzz one target. */
export type FuzzOptions = {
  readonly target: Target;
  /** URL of the module that exports it. */
  readonly module: string;
  readonly corpus: readonly Uint8Array[];
  readonly seed: number;
  /** For new inputs; the corpus comes before it and takes what it takes. */
  readonly budgetMs: number;
  readonly maxRuns?: number;
  readonly isGuided?: boolean;
  readonly keepBytes?: number;
  readonly maxFailures?: number;
  /** The corpus alone is run: no seeds, no new inputs, no counters, and what fails stays as it is. */
  readonly isAlone?: boolean;
  /** How long one input may stand still before its thread is ended. */
  readonly hangMs?: number;
  /** What its thread may hold. */
  readonly heapMb?: number;
};

/** Far more than the processor time of any input, on a machine that is busy with other things. */
const HANG_MS = 20_000;
/** What one thread may hold: far above every bound of what it runs. */
const MAX_HEAP_MB = 512;
/** More different faults than this are one mess, to be looked at first. */
const MAX_FAILURES = 8;
const LOOK_MS = 100;
/** Each try is a thread of its own, and one that hangs is waited for. */
const SHRINK_TRIES = 24;

/**
 * Fuzzes one target in a thread of its own, and ends that thread where an input hangs or takes all memory. What was found before
 * is answered all the same.
 */
export async function fuzzTarget(options: FuzzOptions): Promise<FuzzResult> {
  const { target, hangMs = HANG_MS } = options;
  const first = await inThread(options, hangMs);
  if (first.ended === 'well' || first.input === null) return first;
  // The thread is gone; what it ran last is made smaller in threads of its own.
  const { ended } = first;
  const failures = new Map(first.failures.map((failure) => [failure.name, failure]));
  const input = await shrink(first.input, {
    form: target.form,
    maxTries: SHRINK_TRIES,
    fails: async (candidate) => {
      const only = { ...options, corpus: [candidate], keepBytes: 0, isAlone: true };
      const again = await inThread(only, hangMs / 4);
      for (const failure of again.failures)
        if (!failures.has(failure.name)) failures.set(failure.name, failure);
      return again.ended === ended;
    },
  });
  return { ...first, failures: [...failures.values(), { ...VERDICTS[ended], input }] };
}

const VERDICTS = {
  hung: { name: 'hang', message: 'one input did not end' },
  memory: { name: 'memory', message: 'one input took all the memory of its thread' },
  crashed: { name: 'crash', message: 'one input ended its thread' },
} as const;

type ThreadEnd = FuzzResult & { readonly input: Uint8Array | null };

function inThread(options: FuzzOptions, hangMs: number): Promise<ThreadEnd> {
  const beacon = Beacon.of(options.target.maxBytes);
  const order: FuzzOrder = {
    module: options.module,
    covers: options.target.covers,
    beacon: beacon.memory,
    corpus: options.corpus,
    seed: options.seed,
    budgetMs: options.budgetMs,
    maxRuns: options.maxRuns ?? Number.POSITIVE_INFINITY,
    isGuided: options.isGuided ?? true,
    maxFailures: options.maxFailures ?? MAX_FAILURES,
    keepBytes: options.keepBytes ?? 0,
    isAlone: options.isAlone ?? false,
  };
  // What runs there has counters put into it: its coverage would be laid over the same files as they are.
  const { NODE_V8_COVERAGE: _, ...env } = process.env;
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: order,
    env,
    resourceLimits: { maxOldGenerationSizeMb: options.heapMb ?? MAX_HEAP_MB },
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const failures = new Map<string, Failure>();
  return new Promise((resolve, reject) => {
    const over = (ended: FuzzResult['ended']) => {
      clearInterval(look);
      const input = beacon.isRunning ? beacon.input : null;
      resolve({
        runs: (beacon.sequence + 1) >> 1,
        features: 0,
        kept: 0,
        least: [],
        failures: [...failures.values()],
        ended,
        input,
      });
    };
    let last = -1;
    let sinceMs = 0;
    const look = setInterval(() => {
      if (!beacon.isRunning || beacon.sequence !== last) {
        last = beacon.sequence;
        sinceMs = performance.now();
      } else if (performance.now() - sinceMs > hangMs) {
        over('hung');
        void worker.terminate();
      }
    }, LOOK_MS);
    worker.on('message', (word: FuzzWord) => {
      if ('failure' in word) {
        failures.set(word.failure.name, word.failure);
        return;
      }
      clearInterval(look);
      if ('error' in word) reject(word.error);
      else resolve({ ...word.answer, failures: [...failures.values()], ended: 'well', input: null });
    });
    worker.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') over('memory');
      else {
        clearInterval(look);
        reject(error);
      }
    });
    worker.once('exit', () => over('crashed'));
  });
}
