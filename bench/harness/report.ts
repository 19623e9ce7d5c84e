import { readFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { SkippedRow } from './bench.ts';
import type { BenchOptions } from './bench-options.ts';
import type { Comparison } from './comparison.ts';
import type { Duration } from './duration.ts';
import type { Measurement } from './measurement.ts';
import type { Row } from './row.ts';

/** A bench that could not be measured. */
type BenchFailure = { readonly bench: string; readonly message: string };

/** The JSON document of one run. `holds`: every goal held and every bench ran; what the baseline says stands in `comparison`. */
export type Report = {
  readonly version: string;
  readonly startedAt: string;
  readonly seed: number;
  readonly quick: boolean;
  readonly benches: readonly string[];
  readonly machine: Machine;
  readonly holds: boolean;
  readonly rows: readonly (Row & { readonly bench: string })[];
  readonly measurements: readonly (Measurement & { readonly bench: string })[];
  /** Rows that could not be measured here, and why. */
  readonly skipped: readonly (SkippedRow & { readonly bench: string })[];
  readonly failures: readonly BenchFailure[];
  readonly durations: readonly Duration[];
  /** It was stopped; the benches that it did not come to stand in `failures`. */
  readonly interrupted?: true;
  /** Against the baseline of its day; null for a quick run, and where there was none. */
  readonly comparison: Comparison | null;
};

export type Machine = {
  readonly node: string;
  readonly platform: string;
  readonly architecture: string;
  readonly kernel: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGib: number;
  /** One-minute load average when the run began: above 1 a core, the figures are not worth keeping. */
  readonly loadAverage: number;
};

export function thisMachine(): Machine {
  const processors = cpus();
  return {
    node: process.version,
    platform: process.platform,
    architecture: process.arch,
    kernel: release(),
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    loadAverage: loadavg()[0] ?? 0,
  };
}

/** Fairlead's version, as the clone's package.json has it. */
export function fairleadVersion(): string {
  const text = readFileSync(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

export function reportOf(
  options: BenchOptions,
  context: { readonly version: string; readonly startedAt: string; readonly machine: Machine },
  results: Pick<Report, 'rows' | 'measurements' | 'skipped' | 'failures' | 'durations' | 'interrupted'>,
): Report {
  return {
    version: context.version,
    startedAt: context.startedAt,
    seed: options.seed,
    quick: options.quick,
    benches: options.only,
    machine: context.machine,
    holds: results.failures.length === 0 && results.rows.every((row) => row.holds !== false),
    ...results,
    comparison: null,
  };
}
