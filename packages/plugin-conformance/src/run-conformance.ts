import { type Clock, type Random, systemClock, systemRandom } from '@fairlead/base';
import { timeoutLimits } from '@fairlead/protocol';
import { checkBeside } from './checks/check-beside.ts';
import { checkCalls } from './checks/check-calls.ts';
import { checkSecondStart, checkStdinEnd } from './checks/check-endings.ts';
import { checkManners } from './checks/check-manners.ts';
import { checkPieces, checkStart } from './checks/check-start.ts';
import { type CallRequest, type Run, readySession } from './checks/run.ts';
import type { Clause } from './clauses/clause.ts';
import { clauses } from './clauses/clauses.ts';
import { runLimits } from './limits.ts';
import { Lab, type LabOptions, type PluginCommand, type StartFault } from './plugin/lab.ts';
import type { CalledTools, ConformanceReport } from './report/conformance-report.ts';
import { Findings } from './report/findings.ts';

/** What to hold against the wire, and how patiently. */
export type ConformanceOptions = {
  readonly plugin: PluginCommand;
  /** Calls beside those of the tools that are annotated as read-only; each is made once, whatever it does. */
  readonly calls?: readonly CallRequest[];
  /** Default: this machine's. */
  readonly platform?: NodeJS.Platform;
  /** Default: this machine's. */
  readonly clock?: Clock;
  /** Default: this machine's. */
  readonly random?: Random;
  /** For each answer, in milliseconds. Default: 30 s, as a Runner's. */
  readonly timeoutMs?: number;
  /** How long the plugin is listened to while it has nothing to say, in milliseconds. Default 200. */
  readonly quietMs?: number;
  /** How long the plugin may take to end, in milliseconds. Default 2 s. */
  readonly exitMs?: number;
  /** What starts the program and signals it. Default: real processes. */
  readonly spawnTree?: NonNullable<LabOptions['spawnTree']>;
  readonly kill?: NonNullable<LabOptions['kill']>;
};

/**
 * Holds a program against every clause of the plugin wire (docs/reference/plugin-conformance.md). It starts the program
 * several times, once beside itself, and calls the tools that are annotated as read-only; others only where `calls`
 * names them. Every wait is bounded, and nothing of the plugin is left when this resolves.
 *
 * A program that cannot be started is `ok: false` with the code of the protocol's §10 (`plugin_executable_unavailable`,
 * `plugin_executable_unsupported`, `plugin_spawn_failed`, `plugin_stdio_unavailable`).
 */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceReport | StartFault> {
  const { calls = [], platform = process.platform } = options;
  await using lab = new Lab({
    clock: systemClock(),
    random: systemRandom(),
    timeoutMs: timeoutLimits.defaultSecs * 1000,
    quietMs: runLimits.quietMs,
    exitMs: runLimits.exitMs,
    ...options,
    platform,
  });
  const run: Run = { lab, findings: new Findings(), calls };
  const start = await checkStart(run);
  if (start.kind === 'not_started') return start.fault;
  if (start.kind === 'refused') return report(run, NONE_CALLED, () => REFUSED);

  const { catalog } = start;
  const pieces = await checkPieces(run);
  if (pieces === null) return report(run, NONE_CALLED, afterFault);
  const ready = await checkBeside(run, pieces);
  if (ready === null) return report(run, NONE_CALLED, afterFault);
  const { session, ...tools } = await checkCalls(run, ready, catalog);
  if (run.findings.failed) return report(run, tools, afterFault);

  const idle = session ?? (await readySession(run));
  if (idle !== null) await checkStdinEnd(run, idle);
  await checkManners(run, catalog);
  await checkSecondStart(run, catalog, platform);
  return report(run, tools, () => NOT_REACHED);
}

const NONE_CALLED: CalledTools = { called: [], notCalled: [], notMade: [] };
const MUST_FIRST = 'advice is given once nothing fails that a plugin must do';
const NOT_LOOKED_AT = 'not looked at, because an earlier answer was wrong';
const REFUSED = 'the plugin did not come so far: a Runner would not take it';
const NOT_REACHED = 'the plugin did not come so far a second time';

/** Why a clause was left out after something failed. */
function afterFault({ level }: Clause): string {
  return level === 'must' ? NOT_LOOKED_AT : MUST_FIRST;
}

function report(
  { findings }: Run,
  tools: CalledTools,
  otherwise: (clause: Clause) => string,
): ConformanceReport {
  const found = clauses.map((clause) => ({ ...clause, ...findings.of(clause.id, otherwise(clause)) }));
  const passed = found.every(({ verdict }) => verdict !== 'failed');
  return { ok: true, passed, clauses: found, ...tools };
}
