import { measurementOf } from '../../bench/harness/measurement.ts';
import type { Report } from '../../bench/harness/report.ts';
import type { Row } from '../../bench/harness/row.ts';

const row: Row = {
  name: '',
  p50: 0,
  unit: 'µs',
  baseline: null,
  ratio: null,
  difference: null,
  goal: null,
  goalOf: null,
  holds: null,
  p50Range: [0, 0],
  baselineRange: null,
  ratioRange: null,
  differenceRange: null,
  ratioInterval: null,
  rounds: 2,
};

/** A run with one row of every kind, whose figures are easy to follow by eye. */
export const fixedReport: Report = {
  version: '0.1.0',
  startedAt: '2026-11-30T12:00:00.000Z',
  seed: 7,
  quick: false,
  benches: ['calls', 'peers', 'admission', 'up'],
  machine: {
    node: 'v24.0.0',
    platform: 'linux',
    architecture: 'x64',
    kernel: '6.1.0',
    cpu: 'A processor',
    cores: 2,
    memoryGib: 8,
    loadAverage: 0.25,
  },
  holds: false,
  rows: [
    {
      ...row,
      bench: 'calls',
      name: 'call against a pipe',
      ...{ p50: 24, baseline: 20, ratio: 1.2, ratioInterval: [1.15, 1.25], difference: 4 },
      ...{ goal: 1.5, goalOf: 'ratio', holds: true },
    },
    {
      ...row,
      bench: 'admission',
      name: 'a hundred tools',
      ...{ unit: 'ms', p50: 108, baseline: 100, ratio: 1.08, ratioInterval: [1.05, 1.12], difference: 8.5 },
      ...{ goal: 8, goalOf: 'difference', holds: false },
    },
    {
      ...row,
      bench: 'up',
      name: 'registered first',
      ...{ unit: 'ms', p50: 5, baseline: 6, ratio: 0.83, ratioInterval: [0.8, 0.9], difference: -1 },
      ...{ goal: 1, goalOf: 'order', holds: true },
    },
    { ...row, bench: 'up', name: 'settled', unit: 'ms', p50: 2.5, goal: 100, goalOf: 'limit', holds: true },
    { ...row, bench: 'up', name: 'memory | idle', unit: 'MiB', p50: 61.23 },
    {
      ...row,
      bench: 'peers',
      name: 'Fairlead, HTTP, against supergateway',
      ...{ p50: 900, baseline: 600, ratio: 1.5, ratioInterval: [1.4, 1.6], difference: 300 },
    },
  ],
  measurements: [
    figure('bare pipe', 'µs', [20, 22]),
    figure('bare pipe, per second', '1/s', [40_000]),
    figure('bare pipe, 8 at once', 'µs', [60, 80]),
    figure('bare pipe, 8 at once, per second', '1/s', [100_000]),
    figure('Fairlead, HTTP', 'µs', [900, 1_800]),
    figure('Fairlead, HTTP, per second', '1/s', [1_000]),
    figure('Fairlead, HTTP, 8 at once', 'µs', [5_000, 7_000]),
    figure('Fairlead, HTTP, 8 at once, per second', '1/s', [1_500]),
  ],
  skipped: [{ bench: 'peers', name: 'Fairlead Runner, against Extism', reason: '--no-peers was given' }],
  failures: [{ bench: 'append', message: 'no disk\nat somewhere' }],
  durations: [
    { bench: 'calls', seconds: 40.4 },
    { bench: 'peers', seconds: 130 },
  ],
  comparison: null,
};

function figure(name: string, unit: 'µs' | '1/s', samples: readonly number[]) {
  return { bench: 'peers', ...measurementOf(name, unit, [samples]) };
}
