import {
  type Certainty,
  type Clock,
  type JsonObject,
  type Outcome,
  systemClock,
  type Timer,
} from '@fairlead/base';
import { linkLimits, type RunnerPayload } from '@fairlead/protocol';
import type { DispatchLog } from '../dispatch-log.ts';
import { resultText } from '../invocation/recorded-end.ts';
import type { CallRecord } from '../journal/call-record.ts';
import type { Journal } from '../journal/journal.ts';
import { type JournalEnd, journalName } from '../journal/journal-row.ts';
import { SETTLING_AGAIN, SETTLING_AT_ONCE, SETTLING_WAITING_MAX } from '../limits.ts';
import { mayUseRunner, type Principal } from '../principal.ts';
import type { RunnerEvents, RunnerPort, VisibleRunner } from '../runner-port.ts';
import type { SessionRecorder } from '../sessions/session-recorder.ts';
import { type Told, toldAbout } from './told.ts';

export type SettlerOptions = {
  readonly runners: RunnerPort & RunnerEvents;
  readonly journal: Journal;
  /** Where calls of sessions are told what was learnt. */
  readonly sessions?: Pick<SessionRecorder, 'settled'>;
  /** Default: the machine's. */
  readonly clock?: Clock;
  readonly log?: DispatchLog;
};

/** What is known of one invocation now. */
export type CallReport = {
  readonly call: string;
  readonly runner?: string;
  readonly plugin?: string;
  readonly tool?: string;
  readonly certainty: Certainty;
  /** What the journal shows, or why nothing is certain yet. */
  readonly code?: string;
  /** What the action answered, where the Runner still has it. */
  readonly result?: JsonObject;
};

/** A Runner process that did not answer. `timer`: until it is asked again; null while it is. */
type Silence = { readonly pauseMs: number; timer: Timer | null };

/**
 * Finds out what became of effects that ended `outcome_unknown`, by asking the Runner process that they were addressed to: when it
 * registers, when such an end is written while it is connected, when it says that one has ended, and when somebody asks. One that stays
 * linked and does not answer is asked again, with pauses that grow from 5 s to 5 min. It writes what it learns beside the unknown end and
 * never carries anything out. Close it before the journal.
 */
export class Settler implements AsyncDisposable {
  readonly #options: SettlerOptions;
  readonly #stopListening: () => void;
  readonly #working = new Set<Promise<void>>();
  readonly #asking = new Map<string, Promise<Told>>();
  /** Calls that were answered `running`, and by whom: asked again when they have ended. */
  readonly #running = new Map<string, VisibleRunner>();
  /** Calls that ended while the answer `running` was on its way through here. */
  readonly #endedMeanwhile = new Set<string>();
  /** Runner processes that left a question without an answer, by their instance, and when they are asked again. */
  readonly #silent = new Map<string, Silence>();
  readonly #clock: Clock;
  #isClosed = false;

  constructor(options: SettlerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock();
    this.#stopListening = options.runners.listen({
      registered: (runner) => this.#heardRegister(runner),
      ended: (runner, call) => this.#heardEnd(runner, call),
    });
    options.journal.onUnknown((call) => this.#work(this.#settleOne(call)));
  }

  /**
   * What is known of an invocation of this principal, asked for at its Runner where that may know more. Null: there is none of that id, or
   * it is somebody else's. Rejects with a code of the store.
   */
  async report(call: string, principal: Principal): Promise<CallReport | null> {
    const record = await this.#options.journal.find(call);
    if (record === undefined || record.principal !== principal.id) return null;
    const known = record.settlement ?? record.end;
    if (known === null) return reportOf(record, { certainty: 'outcome_unknown', code: 'call_running' });
    const runner = this.#runnerOf(record);
    if (known.certainty === 'not_started' || runner === undefined || !mayUseRunner(principal, runner.runner))
      return reportOf(record, this.#isBeyondReach(record) ? { ...known, code: 'call_forgotten' } : known);
    const told = await this.#ask(record, runner);
    if (told.kind === 'running') return reportOf(record, { ...known, code: 'call_running' });
    if (told.kind === 'unheard') return reportOf(record, known);
    const now = isOpen(record) ? told : known;
    return reportOf(record, now, now.certainty === 'completed' ? told.result : undefined);
  }

  /** Resolves when nothing is being settled. */
  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working);
  }

  /** Hears nothing any more, and waits for what is being settled. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#stopListening();
    for (const { timer } of this.#silent.values()) timer?.cancel();
    this.#options.journal.onUnknown(null);
    await this.idle();
  }

  #work(work: Promise<void>): void {
    const done = work.catch(() => this.#options.log?.('error', 'call.not_settled'));
    this.#working.add(done);
    void done.then(() => this.#working.delete(done));
  }

  #heardRegister(runner: VisibleRunner): void {
    // Whoever was told `running` on an earlier connection is told nothing more.
    for (const [call, by] of this.#running) if (by.runner === runner.runner) this.#running.delete(call);
    this.#silent.get(runner.instanceId)?.timer?.cancel();
    this.#silent.delete(runner.instanceId);
    this.#work(this.#settleAll(runner));
  }

  async #settleAll(runner: VisibleRunner): Promise<void> {
    let after = 0;
    for (;;) {
      const records = await this.#read(this.#options.journal.unsettled(runner, after, SETTLING_AT_ONCE), [
        runner,
      ]);
      const last = records.at(-1);
      if (last === undefined || this.#runnerOf(last) === undefined) return;
      await Promise.all(records.map((record) => this.#ask(record, runner)));
      // The rest is asked when it answers again.
      if (this.#silent.get(runner.instanceId)?.timer != null) return;
      after = last.seq;
    }
  }

  /** Whom a call belongs to is known once it was read: where that fails, these Runners are asked again, since nothing else would make them be. */
  async #read<T>(reading: Promise<T>, runners: readonly VisibleRunner[]): Promise<T> {
    try {
      return await reading;
    } catch (error) {
      for (const runner of runners) this.#askLater(runner);
      throw error;
    }
  }

  /** It is linked and has not answered: it stands still, or has more to do than time. Nothing else would make it be asked again. */
  #askLater(runner: VisibleRunner): void {
    const { instanceId } = runner;
    const before = this.#silent.get(instanceId);
    if (this.#isClosed || before?.timer != null) return;
    const pauseMs =
      before === undefined ? SETTLING_AGAIN.firstMs : Math.min(before.pauseMs * 2, SETTLING_AGAIN.lastMs);
    const silence: Silence = {
      pauseMs,
      timer: this.#clock.setTimer(pauseMs, () => this.#work(this.#askAgain(runner, silence)), {
        unref: true,
      }),
    };
    this.#silent.set(instanceId, silence);
  }

  async #askAgain(runner: VisibleRunner, silence: Silence): Promise<void> {
    const { instanceId } = runner;
    silence.timer = null;
    const isLinked = this.#options.runners.runners().some((found) => found.instanceId === instanceId);
    if (isLinked) await this.#settleAll(runner);
    if (this.#silent.get(instanceId) === silence) this.#silent.delete(instanceId);
  }

  async #settleOne(call: string): Promise<void> {
    const { journal, runners } = this.#options;
    const record = await this.#read(journal.find(call), runners.runners());
    if (record === undefined || !isOpen(record)) return;
    const runner = this.#runnerOf(record);
    if (runner !== undefined) await this.#ask(record, runner);
  }

  #heardEnd(runner: VisibleRunner, call: string): void {
    if (this.#asking.has(call)) this.#endedMeanwhile.add(call);
    else if (this.#running.get(call)?.instanceId === runner.instanceId) {
      this.#running.delete(call);
      this.#work(this.#settleOne(call));
    }
  }

  /** One question at a time about one call; whoever else asks gets the same answer. */
  #ask(record: CallRecord, runner: VisibleRunner): Promise<Told> {
    const { id } = record;
    let asked = this.#asking.get(id);
    if (asked === undefined) {
      asked = this.#settle(record, runner).finally(() => {
        this.#asking.delete(id);
        this.#endedMeanwhile.delete(id);
      });
      this.#asking.set(id, asked);
    }
    return asked;
  }

  async #settle(record: CallRecord, runner: VisibleRunner): Promise<Told> {
    const { log } = this.#options;
    let told = await this.#question(record, runner);
    if (told.kind === 'running' && this.#endedMeanwhile.has(record.id))
      told = await this.#question(record, runner);
    // Its end was heard while it was asked about, or comes yet and tells nothing more.
    if (told.kind === 'ended') this.#running.delete(record.id);
    else if (told.kind === 'running' && this.#running.size < SETTLING_WAITING_MAX)
      this.#running.set(record.id, runner);
    if (told.kind !== 'ended' || !isOpen(record)) return told;
    const { certainty } = told;
    try {
      if (await this.#write(record, told)) log?.('info', 'call.settled', { call: record.id, certainty });
    } catch {
      // It is known all the same, and asked for again.
      this.#askLater(runner);
      log?.('error', 'journal.settlement_not_written', { call: record.id, certainty });
    }
    return told;
  }

  /** False where it was written before. */
  async #write(
    { id, session }: CallRecord,
    { certainty, code, result }: Extract<Told, { readonly kind: 'ended' }>,
  ): Promise<boolean> {
    const { journal, sessions } = this.#options;
    if (session === null || sessions === undefined)
      return await journal.settleUnknown(id, { certainty, code });
    const settlement = {
      session,
      call: id,
      certainty,
      code,
      ...(result === undefined ? {} : { text: resultText(result).text }),
    };
    return await sessions.settled(settlement, journal.settlement(id, { certainty, code }));
  }

  async #question(record: CallRecord, runner: VisibleRunner): Promise<Told> {
    const answer = await this.#options.runners.request(
      runner.runner,
      runner.instanceId,
      { kind: 'outcome', call: record.id },
      { budgetMs: linkLimits.readBudgetMs },
    );
    if (isOpen(record) && isNoAnswer(answer)) this.#askLater(runner);
    return toldAbout(record, runner.runner, answer);
  }

  /** The connected process that an effect was addressed to. */
  #runnerOf({ runner, runnerInstance }: CallRecord): VisibleRunner | undefined {
    if (runnerInstance === null) return undefined;
    return this.#options.runners
      .runners()
      .find((found) => found.instanceId === runnerInstance && journalName(found.runner) === runner);
  }

  /** True where another process stands in the place of the one that knew. */
  #isBeyondReach(record: CallRecord): boolean {
    if (!isOpen(record)) return false;
    return this.#options.runners
      .runners()
      .some(
        (found) => journalName(found.runner) === record.runner && found.instanceId !== record.runnerInstance,
      );
  }
}

/** The question was not answered, or not even put: by the link, not by what a Runner says. */
function isNoAnswer(answer: Outcome<RunnerPayload>): boolean {
  return (
    'fault' in answer &&
    (answer.fault.code === 'plugin_gateway_timeout' || answer.fault.code === 'plugin_gateway_unavailable')
  );
}

/** True while it may still be settled. */
function isOpen({ end, settlement, runnerInstance }: CallRecord): boolean {
  return end?.certainty === 'outcome_unknown' && settlement === null && runnerInstance !== null;
}

function reportOf(record: CallRecord, known: JournalEnd, result?: JsonObject): CallReport {
  const { id: call, runner, plugin, tool } = record;
  return {
    call,
    ...(runner === null ? {} : { runner }),
    ...(plugin === null ? {} : { plugin }),
    ...(tool === null ? {} : { tool }),
    certainty: known.certainty,
    ...(known.code === null ? {} : { code: known.code }),
    ...(result === undefined ? {} : { result }),
  };
}
