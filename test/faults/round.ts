import { rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Certainty, isJsonObject, type JsonObject } from '@fairlead/base';
import { waitFor } from '@fairlead/testing';
import { attack } from './attack.ts';
import type { Fleet } from './fleet.ts';
import type { CallRow } from './journal-view.ts';
import { type CallFacts, type Fault, judgeCall } from './judge.ts';
import { readLedger } from './ledger.ts';
import type { CallPlan, RoundPlan } from './plan.ts';
import { RoundEvents } from './round-events.ts';
import { certaintyOf, isCertainty, type Told, textOf } from './told.ts';
import { type LogEnd, logEnd } from './write-ahead-log.ts';

/** Nothing has moved for so long: what is held is let go, whatever else was planned. */
const STALLED_MS = 700;
const SETTLED_MS = 30_000;
const JOURNAL_LOOK_MS = 1;

/** What came of one call, for the figures. */
export type CallResult = {
  readonly certainty: Certainty;
  readonly path: CallPlan['path'];
  /** How it stands in the end: `settled` = by itself, once the link was back. */
  readonly end: 'known at once' | 'settled' | 'never known' | 'not recorded';
  /** The outcome was unknown and the Runner process that had the call lived on; `settled` of all these is a figure. */
  readonly runnerLivedOn: boolean;
};

export type RoundResult = {
  readonly plan: RoundPlan;
  readonly faults: readonly Fault[];
  readonly calls: readonly CallResult[];
  /** What the adversary did and how each call ended: the same for the same seed, where nothing is left to chance. */
  readonly trace: readonly string[];
  /** The names of calls that must never be found in the ledger, also later. */
  readonly neverRan: readonly string[];
};

/** Runs one round on a fleet that works, and leaves it working. Rejects where the fleet could not be brought back. */
export async function runRound(fleet: Fleet, plan: RoundPlan, tag: string): Promise<RoundResult> {
  await fleet.refresh();
  const bindings = { work: await fleet.bind('work'), brief: await fleet.bind('brief') };
  const { journal } = fleet;
  journal.noteTargets();
  const before = journal.newest();
  const runnerBefore = fleet.runnerPid;
  const names = plan.calls.map((_call, number) => `${tag}-${number}`);
  const events = new RoundEvents();
  const round = new Live(fleet, plan, names, events, before);
  const paths = await Promise.all(plan.calls.map(({ path }) => fleet.path(path)));

  const over = new AbortController();
  round.begin();
  const attacking = attack(fleet, {
    plan,
    events,
    durable: () => round.durable,
    powerLost: () => round.powerLost(),
    signal: over.signal,
  }).then(() => round.openGates());
  const told: Told[] = [];
  let next = 0;
  const lane = async () => {
    for (let call = next++; call < plan.calls.length; call = next++) {
      const { tool } = plan.calls[call] as CallPlan;
      const given = round.argumentsOf(call);
      const answer = (paths[call] as (typeof paths)[number]).call({
        tool,
        binding: bindings[tool],
        arguments: given,
      });
      events.happened({ on: 'sent', call });
      told[call] = await round.answered(call, answer);
    }
  };
  await Promise.all(Array.from({ length: plan.lanes }, lane));
  over.abort();
  await attacking;
  round.end();

  const lost = await fleet.restore();
  const faults: Fault[] = lost.map((text) => ({ kind: 'left behind', call: null, text }));
  journal.noteTargets();
  const rowsOf = round.rowFinder(told);
  const runnerLivedOn = fleet.runnerPid === runnerBefore;
  await untilSettled(fleet, before);
  const executions = readLedger(fleet.ledger);
  const calls: CallResult[] = [];
  const neverRan: string[] = [];
  for (const [call, name] of names.entries()) {
    const answer = told[call] as Told;
    const rows = rowsOf(call);
    const facts: CallFacts = {
      call,
      told: answer,
      executions: executions.get(name) ?? [],
      rows,
      asked: rows[0] === undefined ? null : await ask(fleet, rows[0].id),
      mayBeLost: round.mayBeLost(call, answer),
    };
    faults.push(...judgeCall(facts));
    const result = resultOf(plan.calls[call] as CallPlan, facts, runnerLivedOn);
    calls.push(result);
    if (facts.executions.length === 0 && result.end !== 'never known' && result.end !== 'not recorded')
      neverRan.push(name);
    events.trace.push(`call ${call}: ${certaintyOf(answer)}, ${result.end}`);
    if (process.env['FAULTS_DEBUG']) console.error(call, JSON.stringify(facts));
  }
  faults.push(...(await fleet.strays()).map((text): Fault => ({ kind: 'left behind', call: null, text })));
  return { plan, faults, calls, trace: events.trace, neverRan };
}

/** What goes on while calls run: who is told of what, and how far the log is known to be durable. */
class Live {
  durable: LogEnd = { salt: '', end: 0 };
  readonly #fleet: Fleet;
  readonly #plan: RoundPlan;
  readonly #names: readonly string[];
  readonly #events: RoundEvents;
  readonly #before: number;
  readonly #answered = new Set<number>();
  readonly #underWay = new Map<number, Promise<Told>>();
  readonly #stop: (() => void)[] = [];
  /** Calls whose execution was seen, and what was durable by then with it. */
  readonly #executed = new Set<number>();
  /** Calls of which nothing had to be durable when the power was lost. */
  #openAtLoss: ReadonlySet<number> = new Set();

  constructor(fleet: Fleet, plan: RoundPlan, names: readonly string[], events: RoundEvents, before: number) {
    this.#fleet = fleet;
    this.#plan = plan;
    this.#names = names;
    this.#events = events;
    this.#before = before;
  }

  begin(): void {
    const { proxy, ledger } = this.#fleet;
    const byName = new Map(this.#names.map((name, call) => [name, call]));
    if (proxy !== null) {
      proxy.rules = this.#plan.rules.map(({ frame, call, does }) => ({
        frame,
        name: this.#names[call] as string,
        does,
      }));
      proxy.onFrame = ({ frame, name }) => {
        const call = byName.get(name);
        if (call !== undefined) this.#events.happened({ on: frame, call });
      };
    }
    const watcher = watch(ledger, (_event, file) => {
      const call = byName.get(file ?? '');
      if (call === undefined) return;
      if (this.#marksExecutions) {
        this.#noteDurable();
        this.#executed.add(call);
      }
      this.#events.happened({ on: 'ledger', call });
    });
    const stalled = setInterval(() => {
      if (performance.now() - this.#events.movedMs <= STALLED_MS) return;
      this.openGates();
      proxy?.release();
    }, 100);
    this.#stop.push(
      () => watcher.close(),
      () => clearInterval(stalled),
    );
    if (this.#plan.steps.some(({ when }) => when.on === 'journal')) this.#watchJournal();
    this.#noteDurable();
  }

  argumentsOf(call: number): JsonObject {
    const { path: _path, tool: _tool, ...rest } = this.#plan.calls[call] as CallPlan;
    return { name: this.#names[call] as string, ...rest };
  }

  /** Hears of the answer of a call that has been sent. */
  async answered(call: number, answer: Promise<Told>): Promise<Told> {
    this.#underWay.set(call, answer);
    const told = await answer;
    this.#underWay.delete(call);
    this.#answered.add(call);
    this.#noteDurable();
    this.#events.happened({ on: 'answer', call });
    return told;
  }

  async powerLost(): Promise<number> {
    const calls = [...this.#names.keys()];
    this.#openAtLoss = new Set(
      calls.filter((call) => !this.#answered.has(call) && !this.#executed.has(call)),
    );
    const known = await Promise.all(this.#underWay.values());
    return known.filter(({ kind }) => kind === 'answered').length;
  }

  mayBeLost(call: number, told: Told): boolean {
    return this.#openAtLoss.has(call) && told.kind !== 'answered';
  }

  openGates(): void {
    for (const name of this.#names) writeFileSync(join(this.#fleet.marks, `${name}.gate`), '');
  }

  end(): void {
    for (const stop of this.#stop) stop();
    for (const name of this.#names) rmSync(join(this.#fleet.marks, `${name}.gate`), { force: true });
  }

  /** Finds the rows of a call by the id that was told, or by the digest of what only it was called with. */
  rowFinder(told: readonly Told[]): (call: number) => readonly CallRow[] {
    const { journal } = this.#fleet;
    const digests = this.#names.map((_name, call) => journal.digestsOf(this.argumentsOf(call)));
    return (call) => {
      const answer = told[call];
      const id = answer?.kind === 'answered' ? answer.call : null;
      return journal
        .calls(this.#before)
        .filter(
          (row) =>
            row.id === id ||
            (row.arguments_digest !== null && digests[call]?.has(row.arguments_digest) === true),
        );
    };
  }

  /** By the letter, the log is cut behind the last answer; by the spirit, also behind what must have been durable for an execution to begin. */
  get #marksExecutions(): boolean {
    return this.#plan.seed % 2 === 0;
  }

  #noteDurable(): void {
    if (this.#plan.adversary !== 'lose-power') return;
    this.durable = logEnd(this.#fleet.journal.databasePath, this.durable);
  }

  #watchJournal(): void {
    const look = setInterval(() => {
      try {
        const intents = this.#fleet.journal.intents(this.#before);
        for (let call = 0; call < intents; call += 1) this.#events.happened({ on: 'journal', call });
      } catch {
        // Its gateway is being started: there is nothing to see.
      }
    }, JOURNAL_LOOK_MS);
    this.#stop.push(() => clearInterval(look));
  }
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
  await waitFor(() => fleet.journal.calls(before).every(isFinal), {
    what: 'the settling of every call',
    timeoutMs: SETTLED_MS,
  }).catch(() => {});
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

function resultOf({ path }: CallPlan, { told, rows }: CallFacts, runnerLivedOn: boolean): CallResult {
  const certainty = certaintyOf(told);
  const [row] = rows;
  if (certainty !== 'outcome_unknown') return { certainty, path, end: 'known at once', runnerLivedOn: false };
  if (row === undefined) return { certainty, path, end: 'not recorded', runnerLivedOn: false };
  const known = row.settled_certainty ?? row.certainty;
  // Where the plugin gave no answer there is nothing that its Runner could know.
  const byPlugin =
    (row.settled_code ?? row.code)?.startsWith('plugin_') === true &&
    row.settled_code !== 'plugin_gateway_timeout';
  const end = known === 'outcome_unknown' ? 'never known' : 'settled';
  return { certainty, path, end, runnerLivedOn: runnerLivedOn && !(byPlugin && end === 'never known') };
}
