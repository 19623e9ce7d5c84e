import { rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@fairlead/base';
import type { Fleet } from './fleet.ts';
import type { CallRow } from './journal-view.ts';
import { readLedger } from './ledger.ts';
import type { CallPlan, FrameKind, RoundPlan } from './plan.ts';
import type { RoundEvents } from './round-events.ts';
import type { RoundNames } from './round-names.ts';
import { isByAgent, type SessionCalls, writeOrder } from './session-calls.ts';
import type { Told } from './told.ts';
import { type LogEnd, logEnd } from './write-ahead-log.ts';

/** Nothing has moved for so long: what is held is let go, whatever else was planned. */
const STALLED_MS = 700;
const JOURNAL_LOOK_MS = 1;

function isOfCall(frame: FrameKind): boolean {
  return frame === 'request' || frame === 'result';
}

/** What goes on while calls run: who is told of what, and how far the log is known to be durable. */
export class LiveRound {
  #durable: LogEnd = { salt: '', end: 0 };
  readonly #fleet: Fleet;
  readonly #plan: RoundPlan;
  readonly #names: readonly string[];
  readonly #agents: readonly string[];
  readonly #events: RoundEvents;
  readonly #before: number;
  /** Calls whose caller has been told what became of them. */
  readonly #answered = new Set<number>();
  readonly #underWay = new Map<number, Promise<Told>>();
  readonly #stop: (() => void)[] = [];
  /** Calls that were seen on their way to the plugin: their intents were durable before that. */
  readonly #sent = new Set<number>();
  /** Calls of which nothing had to be durable when the power was lost. */
  #openAtLoss: ReadonlySet<number> = new Set();

  constructor(fleet: Fleet, plan: RoundPlan, names: RoundNames, events: RoundEvents, before: number) {
    this.#fleet = fleet;
    this.#plan = plan;
    this.#names = names.calls;
    this.#agents = names.agents;
    this.#events = events;
    this.#before = before;
  }

  begin(): void {
    const { proxy, ledger } = this.#fleet;
    const byName = new Map(this.#names.map((name, call) => [name, call]));
    if (proxy !== null) {
      proxy.rules = this.#plan.rules.map(({ frame, call, does }) => ({
        frame,
        name: isOfCall(frame) ? (this.#wireNames[call] as string) : '',
        does,
      }));
      const byWireName = new Map(this.#wireNames.map((name, call) => [name, call]));
      proxy.onFrame = ({ frame, name }) => {
        const call = isOfCall(frame) ? byWireName.get(name) : 0;
        if (call === undefined) return;
        if (frame === 'request') this.#wasSent(call);
        this.#events.happened({ on: frame, call });
      };
    }
    for (const [call, plan] of this.#plan.calls.entries())
      if (isByAgent(plan))
        writeOrder(this.#fleet.marks, this.#agents[call] as string, this.argumentsOf(call));
    const watcher = watch(ledger, (_event, file) => {
      const call = byName.get(file ?? '');
      if (call === undefined) return;
      this.#wasSent(call);
      this.#events.happened({ on: 'ledger', call });
    });
    // While the adversary pauses on purpose, nothing is to move.
    const patienceMs = STALLED_MS + Math.max(0, ...this.#plan.steps.map(({ afterMs = 0 }) => afterMs));
    const stalled = setInterval(() => {
      if (performance.now() - this.#events.movedMs <= patienceMs) return;
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
    const { hold, silent, flood, fails } = this.#plan.calls[call] as CallPlan;
    return {
      name: this.#names[call] as string,
      ...(hold === undefined ? {} : { hold }),
      ...(silent === undefined ? {} : { silent }),
      ...(flood === undefined ? {} : { flood }),
      ...(fails === undefined ? {} : { fails }),
    };
  }

  /** Hears of the answer of a call that has been sent. */
  async answered(call: number, answer: Promise<Told>): Promise<Told> {
    this.#underWay.set(call, answer);
    const told = await answer;
    this.#underWay.delete(call);
    if (told.kind === 'answered') {
      this.#answered.add(call);
      this.#noteDurable();
    }
    this.#events.happened({ on: 'answer', call });
    return told;
  }

  /** What must not be lost from here on has been said to a caller that waits for more. */
  acknowledged(): void {
    this.#noteDurable();
  }

  /**
   * To be called when the process is dead and nothing that it sent is on its way any more: resolves when the callers of every call under way
   * know, with how far the log was durable when the last answer, or the last call to the plugin, left.
   */
  async powerLost(): Promise<LogEnd> {
    for (const name of readLedger(this.#fleet.ledger).keys()) {
      const call = this.#names.indexOf(name);
      if (call >= 0) this.#wasSent(call);
    }
    this.#openAtLoss = new Set(
      [...this.#names.keys()].filter((call) => !this.#answered.has(call) && !this.#sent.has(call)),
    );
    await Promise.all(this.#underWay.values());
    return this.#durable;
  }

  mayBeLost(call: number, told: Told): boolean {
    return this.#openAtLoss.has(call) && told.kind !== 'answered';
  }

  openGates(): void {
    for (const name of this.#names) writeFileSync(join(this.#fleet.marks, `${name}.gate`), '');
  }

  end(): void {
    for (const stop of this.#stop) stop();
  }

  /** To be called when nothing of the round can still wait at a gate: one that is open for a moment only is overlooked. */
  removeGates(): void {
    for (const name of this.#names) rmSync(join(this.#fleet.marks, `${name}.gate`), { force: true });
  }

  /** Finds the rows of a call by the id that was told, or by the digest of what only it was called with. */
  rowFinder(told: readonly Told[], sessions: SessionCalls): (call: number) => readonly CallRow[] {
    const { journal } = this.#fleet;
    const digests = this.#names.map((_name, call) => journal.digestsOf(this.argumentsOf(call)));
    return (call) => {
      const answer = told[call];
      if (sessions.has(call)) return sessions.rowsOf(call, answer);
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

  /** What calls are called on the link: an agent calls by its own name. */
  get #wireNames(): readonly string[] {
    return this.#names.map((name, call) =>
      isByAgent(this.#plan.calls[call] as CallPlan) ? (this.#agents[call] as string) : name,
    );
  }

  /**
   * By the letter, the log is cut behind the last answer. By the spirit, also behind what must have been durable before a call was sent; so always
   * where an agent's turn or schedule would rightly begin again without it.
   */
  get #marksSent(): boolean {
    return this.#plan.seed % 2 === 0 || this.#plan.calls.some(isByAgent);
  }

  #wasSent(call: number): void {
    if (!this.#marksSent || this.#sent.has(call)) return;
    this.#noteDurable();
    this.#sent.add(call);
  }

  #noteDurable(): void {
    if (this.#plan.adversary !== 'lose-power') return;
    this.#durable = logEnd(this.#fleet.journal.databasePath, this.#durable);
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
