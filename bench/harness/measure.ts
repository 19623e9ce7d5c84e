import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench, BenchContext, BenchResult } from './bench.ts';
import type { BenchHost } from './bench-host.ts';
import type { BenchOptions } from './bench-options.ts';
import { ChildSet } from './child-set.ts';
import { type Duration, durationText } from './duration.ts';
import { installPeers, type PeerPackages } from './peer-packages.ts';
import { fairleadVersion, type Machine, type Report, reportOf } from './report.ts';
import { measurementTable } from './table.ts';

/** Runs the benches that were asked for, one after another, shows the figures of each, and gives all of them. */
export async function measure(
  benches: readonly Bench[],
  options: BenchOptions,
  machine: Machine,
  host: BenchHost,
): Promise<Report> {
  const about = { version: fairleadVersion(), startedAt: new Date().toISOString(), machine };
  const rows: Report['rows'][number][] = [];
  const measurements: Report['measurements'][number][] = [];
  const skipped: Report['skipped'][number][] = [];
  const failures: Report['failures'][number][] = [];
  const durations: Duration[] = [];
  const peers = peersOf(options, host);
  for (const bench of benches.filter(({ name }) => options.only.includes(name))) {
    if (host.signal.aborted) {
      failures.push({ bench: bench.name, message: 'interrupted before it began' });
      continue;
    }
    const startedMs = performance.now();
    try {
      const result = await runOne(bench, options, host, peers);
      rows.push(...result.rows.map((row) => ({ bench: bench.name, ...row })));
      measurements.push(...result.measurements.map((measured) => ({ bench: bench.name, ...measured })));
      skipped.push(...(result.skipped ?? []).map((row) => ({ bench: bench.name, ...row })));
      host.out(`\n${bench.name}: ${bench.title}\n${measurementTable(result.measurements)}`);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      failures.push({ bench: bench.name, message });
      const shown = error instanceof Error && !host.signal.aborted ? error.stack : message;
      host.err(`${bench.name} could not be measured: ${shown}\n`);
    }
    const seconds = (performance.now() - startedMs) / 1000;
    durations.push({ bench: bench.name, seconds });
    host.out(`(${bench.name} took ${durationText(seconds)})\n`);
  }
  const results = { rows, measurements, skipped, failures, durations };
  return reportOf(options, about, host.signal.aborted ? { ...results, interrupted: true } : results);
}

/** Installs once, when a bench first asks. */
function peersOf({ withPeers }: BenchOptions, host: BenchHost): () => Promise<PeerPackages> {
  const { peersFolder, signal } = host;
  let known: Promise<PeerPackages> | undefined;
  return () => {
    if (!withPeers || peersFolder === undefined)
      return Promise.resolve({ ok: false, reason: '--no-peers was given' });
    known ??= installPeers({ folder: peersFolder, signal, say: host.err });
    return known;
  };
}

async function runOne(
  bench: Bench,
  options: BenchOptions,
  host: BenchHost,
  peers: () => Promise<PeerPackages>,
): Promise<BenchResult> {
  await using owned = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-bench-'));
  owned.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const children = owned.use(new ChildSet());
  host.onChildren?.(children);
  const context: BenchContext = {
    folder,
    children,
    seed: options.seed,
    quick: options.quick,
    peers,
    signal: host.signal,
    plan(rounds, quickRounds, warmUpRounds) {
      const counted = options.quick ? quickRounds : rounds;
      const every = Math.max(1, Math.floor(counted / 5));
      return {
        rounds: counted,
        warmUpRounds: options.quick ? Math.min(1, warmUpRounds) : warmUpRounds,
        signal: host.signal,
        onRound(round) {
          if (round >= 0 && round % every === 0)
            host.err(`${bench.name}: round ${round + 1} of ${counted}\n`);
        },
      };
    },
  };
  return await bench.run(context);
}
