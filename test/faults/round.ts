import { type Certainty, isJsonObject } from '@fairlead/base';
import { waitFor } from '@fairlead/testing';
import { attack } from './attack.ts';
import type { Fleet } from './fleet.ts';
import type { CallRow } from './journal-view.ts';
import { type CallFacts, type Fault, judgeCall, judgeQuiet } from './judge.ts';
import type { Later } from './late-executions.ts';
import { clearLedger, readLedger } from './ledger.ts';
import { LiveRound } from './live-round.ts';
import type { CallPlan, RoundPlan } from './plan.ts';
import { RoundEvents } from './round-events.ts';
import type { RoundNames } from './round-names.ts';
import { isByAgent, SessionCalls } from './session-calls.ts';
import { type Strike, strikesOnCalls, strikesOnLink } from './strike.ts';
import { certaintyOf, isCertainty, type Told, textOf } from './told.ts';

const SETTLED_MS = 30_000;

/**
 * What became of a call that was told as unknown. `settled`: known by itself, once the link was back. `beyond its Runner`: that was asked, and
 * has nothing but that its plugin gave it no answer, in a round that gave the plugin a reason for it. `not recorded`: no journal has it, so
 * there is nothing to settle.
 */
type CallEnd = 'known at once' | 'settled' | 'never known' | 'beyond its Runner' | 'not recorded';

/** What came of one call, for the figures. */
type CallResult = {
  readonly certainty: Certainty;
  readonly path: CallPlan['path'];
  readonly way?: CallPlan['way'];
  readonly end: CallEnd;
  /** The ledger has it. */
  readonly ran: boolean;
  /** The outcome was unknown and the Runner process of its round lived on. */
  readonly runnerLivedOn: boolean;
};

export type RoundResult = {
  readonly plan: RoundPlan;
  readonly faults: readonly Fault[];
  readonly calls: readonly CallResult[];
  /** What the adversary did and how each call ended: the same for the same seed, where nothing is left to chance. */
  readonly trace: readonly string[];
  /** What the adversary was to do, and of each whether it fell. */
  readonly strikes: readonly Strike[];
  /** What each call must be found as when it stands in the ledger after its round; null where that is no fault. */
  readonly later: ReadonlyMap<string, Later>;
};

/** Runs one round on a fleet that works, and leaves it working. Rejects where the fleet could not be brought back. */
export async function runRound(fleet: Fleet, plan: RoundPlan, names: RoundNames): Promise<RoundResult> {
  await fleet.refresh();
  const bindings = { work: await fleet.bind('work'), brief: await fleet.bind('brief') };
  const { journal } = fleet;
  journal.noteTargets();
  const before = journal.newest();
  const runnerBefore = fleet.runnerPid;
  const sessions = await SessionCalls.prepare(fleet.paths.agents, journal, plan.calls, names);
  const events = new RoundEvents();
  const round = new LiveRound(fleet, plan, names, events, before);
  const paths = await Promise.all(plan.calls.map(({ path }) => fleet.paths.path(path)));

  const over = new AbortController();
  round.begin();
  const attacking = attack(fleet, {
    plan,
    events,
    powerLost: () => round.powerLost(),
    openGates: () => round.openGates(),
    signal: over.signal,
  }).finally(() => round.openGates());
  // It is awaited below; until then its failure is nobody's surprise.
  attacking.catch(() => {});
  const told: Told[] = [];
  let next = 0;
  const lane = async () => {
    for (let call = next++; call < plan.calls.length; call = next++) {
      const { tool, way, target } = plan.calls[call] as CallPlan;
      const given = round.argumentsOf(call);
      const answer = (paths[call] as (typeof paths)[number]).call({
        agent: names.agents[call] as string,
        tool,
        binding: bindings[tool],
        arguments: given,
        ...sessions.placeOf(call),
        ...(way === undefined ? {} : { way }),
        ...(target === undefined ? {} : { target }),
        isAttacked: !isQuiet(plan),
        acknowledged: () => {
          sessions.acknowledged(call);
          round.acknowledged();
        },
      });
      events.happened({ on: 'sent', call });
      told[call] = await round.answered(call, answer);
    }
  };
  await Promise.all(Array.from({ length: plan.lanes }, lane));
  over.abort();
  const strikes = [...(await attacking), ...strikesOnLink(plan, fleet.proxy?.rules ?? [])];
  round.end();

  const lost = await fleet.restore();
  const faults: Fault[] = lost.map((text) => ({ kind: 'left behind', call: null, text }));
  const staleName = await fleet.staleName();
  if (staleName !== null) faults.push({ kind: 'contradiction', call: null, text: staleName });
  journal.noteTargets();
  const rowsOf = round.rowFinder(told, sessions);
  const runnerLivedOn = fleet.runnerPid === runnerBefore;
  await untilSettled(fleet, before);
  faults.push(...(await untilIdle(sessions)));
  const executions = readLedger(fleet.ledger);
  const claimed = new Set<string>();
  const calls: CallResult[] = [];
  const later = new Map<string, Later>();
  for (const [call, name] of names.calls.entries()) {
    const answer = told[call] as Told;
    const callPlan = plan.calls[call] as CallPlan;
    const [row] = rowsOf(call);
    // An agent's call is no client's to ask about: its session says what became of it.
    const mayAsk = row !== undefined && !isByAgent(callPlan);
    const asked = mayAsk ? await ask(fleet, row.id) : null;
    if (mayAsk && asked === null)
      faults.push({
        kind: 'contradiction',
        call,
        text: 'it stands in the journal, and outcome has no answer',
      });
    const facts: CallFacts = {
      call,
      told: answer,
      executions: executions.get(name) ?? [],
      // Asking may settle what nothing had settled by itself.
      rows: rowsOf(call),
      asked,
      mayBeLost: round.mayBeLost(call, answer),
      // The command prints the plugin’s own result, which has no room for it.
      tellsId: callPlan.path !== 'cli',
      // A turn has ended when its end is written, and a disk may stay full as long as anybody waits for that.
      mayBeLate: callPlan.path === 'turn' && plan.adversary === 'fill-disk',
    };
    for (const { id } of facts.rows) claimed.add(id);
    faults.push(...judgeCall(facts));
    if (isQuiet(plan)) faults.push(...judgeQuiet(facts, callPlan));
    faults.push(...(await sessions.judge(call, facts)));
    const ran = facts.executions.length > 0;
    const { path, way } = callPlan;
    const result = { path, way, ran, ...endOf(plan, answer, row, runnerLivedOn) };
    calls.push(result);
    const isOpen = result.end !== 'known at once' && result.end !== 'settled';
    later.set(name, ran ? 'double execution' : isOpen ? null : 'false not_started');
    events.trace.push(`call ${call}: ${certaintyOf(answer)}, ${result.end}`);
  }
  for (const { id } of journal.calls(before))
    if (!claimed.has(id))
      faults.push({ kind: 'contradiction', call: null, text: `the journal has ${id}, which nobody called` });
  clearLedger(
    fleet.ledger,
    names.calls.flatMap((name) => executions.get(name) ?? []),
  );
  round.removeGates();
  faults.push(
    ...(await fleet.strays()).map(({ text }): Fault => ({ kind: 'left behind', call: null, text })),
  );
  strikes.push(
    ...strikesOnCalls(
      plan,
      calls.map(({ certainty }, call) => ({
        certainty,
        executions: executions.get(names.calls[call] as string)?.length ?? 0,
      })),
    ),
  );
  return { plan, faults, calls, trace: events.trace, strikes, later };
}

/** Waits until nothing goes on in the sessions of a round. */
async function untilIdle(sessions: SessionCalls): Promise<readonly Fault[]> {
  if (await sessions.settle(SETTLED_MS)) return [];
  return [{ kind: 'lost record', call: null, text: 'a turn or a slot of the round never ended' }];
}

/** Waits until no row of the round can be expected to change: ended, and where the Runner that had the call lives, settled. */
async function untilSettled(fleet: Fleet, before: number): Promise<void> {
  const runners = new Set(await fleet.runnerInstances());
  const isFinal = (row: CallRow) =>
    row.certainty !== null &&
    (row.certainty !== 'outcome_unknown' ||
      row.settled_certainty !== null ||
      row.runner_instance === null ||
      !runners.has(row.runner_instance));
  const isSettled = () => {
    try {
      return fleet.journal.calls(before).every(isFinal);
    } catch {
      // Its gateway has just been started and holds it for a moment.
      return false;
    }
  };
  await waitFor(isSettled, { what: 'the settling of every call', timeoutMs: SETTLED_MS }).catch(() => {});
}

async function ask(fleet: Fleet, id: string): Promise<CallFacts['asked']> {
  const output = await fleet.gateway.output({ action: 'outcome', call: id });
  const certainty = output?.['certainty'];
  if (output === null || !isCertainty(certainty)) return null;
  const { code, result } = output;
  return {
    certainty,
    code: typeof code === 'string' ? code : null,
    text: isJsonObject(result) ? textOf(result) : null,
  };
}

/** `row`: as it stood before anybody asked. */
export function endOf(
  plan: Pick<RoundPlan, 'adversary' | 'calls'>,
  told: Told,
  row: Pick<CallRow, 'certainty' | 'settled_certainty' | 'settled_code'> | undefined,
  runnerLivedOn: boolean,
): Pick<CallResult, 'certainty' | 'end' | 'runnerLivedOn'> {
  const certainty = certaintyOf(told);
  if (certainty !== 'outcome_unknown') return { certainty, end: 'known at once', runnerLivedOn: false };
  if (row === undefined) return { certainty, end: 'not recorded', runnerLivedOn: false };
  if ((row.settled_certainty ?? row.certainty) !== 'outcome_unknown')
    return { certainty, end: 'settled', runnerLivedOn };
  // What it was asked for and could not say counts as never known: that it has forgotten, or that nobody answered.
  const isItsAnswer = row.settled_certainty !== null && PLUGIN_GAVE_NONE.has(row.settled_code ?? '');
  const isBeyond = isItsAnswer && mayBeMute(plan);
  return { certainty, end: isBeyond ? 'beyond its Runner' : 'never known', runnerLivedOn };
}

/**
 * Whether a plugin of this round may have given its Runner no answer in time: it is told to hold or to be silent, it has a second of its
 * clock for a call, or it, or what reads it, is killed or stands still. One word of the Runner is not enough.
 */
function mayBeMute({ adversary, calls }: Pick<RoundPlan, 'adversary' | 'calls'>): boolean {
  const isTold = calls.some(
    ({ hold, silent, tool }) => hold === true || silent !== undefined || tool === 'brief',
  );
  return isTold || adversary === 'kill-plugin' || adversary === 'stop-process';
}

/** Nobody keeps a call from coming to its end. */
function isQuiet({ adversary }: Pick<RoundPlan, 'adversary'>): boolean {
  return adversary === 'none' || adversary === 'flood-stderr';
}

/** Codes by which a Runner says that its plugin was given the call and never answered it. */
const PLUGIN_GAVE_NONE: ReadonlySet<string> = new Set([
  'plugin_timeout',
  'plugin_eof',
  'plugin_stdin_failed',
  'plugin_stdout_failed',
  'plugin_manager_stopping',
]);
