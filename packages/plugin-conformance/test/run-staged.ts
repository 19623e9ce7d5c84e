import { systemClock, systemRandom } from '@fairlead/base';
import type { Scenario } from '../src/hostile/scenario.ts';
import type { ConformanceReport } from '../src/report/conformance-report.ts';
import { type ConformanceOptions, runConformance } from '../src/run-conformance.ts';
import { type StagedPort, stagedPlugin } from './staged-plugin.ts';

/** Holds a scenario that is played in this process against the wire. */
export async function runStaged(
  scenario: Scenario,
  options: Partial<ConformanceOptions> = {},
): Promise<ConformanceReport> {
  const running = new Map<number, ReturnType<typeof stagedPlugin>>();
  const port: StagedPort = { heldBy: null };
  const report = await runConformance({
    plugin: {
      command: process.execPath,
      args: [],
      cwd: import.meta.dirname,
      env: { PATH: '/bin', HOME: '/home/you' },
    },
    platform: 'linux',
    clock: systemClock(),
    random: systemRandom(),
    timeoutMs: scenario.timeoutMs === undefined ? 10_000 : 400,
    quietMs: 60,
    exitMs: 300,
    spawnTree: async ({ env }) => {
      const tree = stagedPlugin(scenario, { env, port });
      running.set(tree.pid, tree);
      return { ok: true, tree };
    },
    kill: (pid) => running.get(pid)?.terminate(),
    ...options,
  });
  if (!report.ok) throw new Error(report.localDetail);
  return report;
}

/** The clauses that are not as they should be. */
export function broken(report: ConformanceReport): string[] {
  return report.clauses
    .filter(({ verdict }) => verdict === 'failed' || verdict === 'advice')
    .map(({ id, verdict }) => `${verdict} ${id}`);
}
