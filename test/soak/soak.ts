import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { seededRandom } from '@fairlead/testing';
import type { Action } from './actions/action.ts';
import { makeSession, tell } from './actions/conversation.ts';
import { heldAfterLoad } from './after-load.ts';
import { coverageFaults } from './coverage.ts';
import { endOf } from './end-of-soak.ts';
import { runLoad } from './load.ts';
import { disturbanceFaults } from './outcome.ts';
import { ProcessTrees } from './process-sample.ts';
import { RowCensus, rowFaults } from './row-census.ts';
import { sampleWorld } from './sampler.ts';
import { SoakWorld } from './soak-world.ts';
import type { Tally } from './tally.ts';
import { judge, type Sample, type SeriesVerdict } from './verdict.ts';

export type SoakOptions = {
  readonly durationMs: number;
  readonly seed: number;
  readonly actions: readonly Action[];
  /** An empty folder for everything that it makes. */
  readonly folder: string;
  /** Where the samples go, one JSON object a line. */
  readonly samplesFile: string;
  /** The program of the plugin that counts. */
  readonly counter?: string;
  readonly lanes?: number;
  readonly perSecond?: number;
  readonly sampleEveryMs?: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
};

export type SoakResult = {
  readonly samples: readonly Sample[];
  readonly tally: Tally;
  readonly verdicts: readonly SeriesVerdict[];
  /** What went wrong in one sentence each; series that are not flat are not among them. */
  readonly faults: readonly string[];
};

/** 512 are kept, and 64 more until they are removed together. */
const BINDINGS_MAX = 576;
/** What a host keeps in memory of sessions that are left, on purpose: they are there before anything is sampled. */
const SESSIONS_KEPT = 64;
/** Shorter runs are not judged by what they keep, nor by series that are missing. */
const JUDGED_FROM_MS = 60_000;
const PROGRESS_EVERY_MS = 60_000;

/** Puts a load on a real Fairlead for a while, samples what it holds, ends it, and judges. */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const {
    durationMs,
    seed,
    actions,
    folder,
    samplesFile,
    signal,
    say,
    counter = join(import.meta.dirname, 'counting-plugin.mjs'),
    lanes = 4,
    perSecond = 100,
    sampleEveryMs = Math.max(250, Math.min(5_000, durationMs / 240)),
  } = options;
  mkdirSync(dirname(samplesFile), { recursive: true });
  writeFileSync(samplesFile, lineOf({ seed, durationMs, lanes, perSecond, sampleEveryMs }));
  const samples: Sample[] = [];
  const trees = new ProcessTrees();
  await using world = await SoakWorld.start(folder, { counter, lanes });
  const census = new RowCensus(join(world.stateDirectory, 'fairlead.db'));
  if (durationMs >= JUDGED_FROM_MS) await fillSessions(world, signal);
  const over = AbortSignal.any([signal, AbortSignal.timeout(durationMs)]);
  const startedMs = performance.now();
  const load = runLoad(world, { actions, lanes, perSecond, random: seededRandom(seed), over, signal });
  const sampleNow = () =>
    sampleWorld(world, { trees, census, atMs: Math.round(performance.now() - startedMs) });
  let saidMs = 0;
  while (!over.aborted) {
    const sample = sampleNow();
    const { atMs } = sample;
    samples.push(sample);
    appendFileSync(samplesFile, lineOf(sample));
    if (atMs - saidMs >= PROGRESS_EVERY_MS) {
      saidMs = atMs;
      say(
        `${Math.round(atMs / 60_000)} of ${Math.round(durationMs / 60_000)} minutes, ${world.tally.total} actions`,
      );
    }
    await pause(sampleEveryMs, undefined, { signal: over }).catch(() => {});
  }
  await load;
  const verdicts = judge(samples);
  const faults = [...world.tally.faults].map(([sentence, times]) => `${times} × ${sentence}`);
  faults.push(...disturbanceFaults(world.tally));
  if (durationMs >= JUDGED_FROM_MS && !signal.aborted) {
    faults.push(...coverageFaults(samples, verdicts));
    faults.push(...(await heldAfterLoad(verdicts, sampleNow)));
  }
  faults.push(...rowFaults(census.compare(census.count(), world.tally.kept)));
  faults.push(...(await endOf(world, trees)));
  const bindings = Math.max(...samples.map(({ values }) => values['rows.bindings'] ?? 0));
  if (bindings > BINDINGS_MAX) faults.push(`there were ${bindings} bindings, ${BINDINGS_MAX} allowed`);
  const { actions: done, disturbances, kept, counted } = world.tally;
  appendFileSync(samplesFile, lineOf({ done, disturbances, kept, counted, faults, verdicts }));
  signal.throwIfAborted();
  return { samples, tally: world.tally, verdicts, faults };
}

/** Leaves as many sessions as a host keeps: on a slow machine that would take half of the run, and look like a leak. */
async function fillSessions(world: SoakWorld, signal: AbortSignal): Promise<void> {
  for (let made = 0; made < SESSIONS_KEPT && !signal.aborted; made += 1) {
    const session = await makeSession(world, 'hand');
    await tell(world, session, 'hand');
    world.leave('hand', session);
  }
}

function lineOf(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}
