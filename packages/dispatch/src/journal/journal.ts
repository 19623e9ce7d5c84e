import type { Clock } from '@fairlead/base';
import type { Statement, Store } from '@fairlead/store';
import type { DispatchLog } from '../dispatch-log.ts';
import { JOURNAL_ROWS_PER_LOOK } from '../limits.ts';
import {
  type CallRecord,
  callRecord,
  SELECT_CALL,
  SELECT_UNSETTLED,
  type StoredCall,
} from './call-record.ts';
import { type JournalPage, type JournalQuery, readJournalPage } from './journal-page.ts';
import { JournalPruner } from './journal-pruner.ts';
import {
  addressRow,
  insertRow,
  type JournalEnd,
  type JournalEntry,
  journalName,
  settleInterrupted,
  settleRow,
  settleUnknownRow,
} from './journal-row.ts';
import { OwedEnds } from './owed-ends.ts';
import { ReadRows } from './read-rows.ts';
import { type RecentCall, recentCall, type SameCall } from './recent-call.ts';
import {
  type OwedResult,
  owedResult,
  resultStands,
  SELECT_OPEN_CALLS,
  SELECT_OWED_RESULTS,
  type SessionCall,
  type StoredResult,
  sessionEnd,
  sessionIntent,
} from './session-call.ts';

/**
 * What was done in whose name: one row per invocation, in the peer-local table `journal`. Effects and denials are durable before
 * anybody is told; reads are written afterwards. Close it before its store.
 */
export class Journal implements AsyncDisposable {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #boot: string;
  readonly #log: DispatchLog | undefined;
  readonly #pruner: JournalPruner;
  readonly #reads: ReadRows;
  readonly #owed: OwedEnds;
  /** Ends of calls of sessions that whoever writes them there owes. */
  readonly #owedThere = new Map<string, JournalEnd>();
  #onUnknown: ((id: string) => void) | null = null;

  /** `boot` names this start of the host: an intent of another one has no end to wait for. */
  constructor(options: {
    readonly store: Store;
    readonly clock: Clock;
    readonly boot: string;
    readonly log?: DispatchLog;
  }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#boot = options.boot;
    this.#log = options.log;
    this.#pruner = new JournalPruner(options);
    this.#reads = new ReadRows({ ...options, wrote: () => this.#pruner.wrote() });
    this.#owed = new OwedEnds({ ...options, told: (id, end) => this.#tellUnknown(id, end) });
  }

  /**
   * Writes the intent of an effect, and `also` with it. False where one of these did not change exactly one row: then nothing may be begun, and the
   * intent is to be settled. Rejects with a code of the store; then nothing may be begun either.
   */
  async start(entry: JournalEntry, also: readonly Statement[] = []): Promise<boolean> {
    this.#reads.flush();
    const owed = this.#owed.rows();
    const intent = insertRow(entry, this.#clock.wallMs(), this.#boot, null);
    const { changes } = await this.#store.write([intent, ...also, ...owed.statements], 'full');
    this.#owed.written(owed);
    this.#pruner.wrote();
    return also.every((_statement, index) => changes[index + 1] === 1);
  }

  /** For `start`: by what the row is found when the same call is asked about again. */
  sameCall(id: string, { target, argumentsDigest }: Omit<SameCall, 'principal'>): Statement {
    return {
      sql: 'UPDATE journal SET target = ?, arguments_digest = ? WHERE id = ?',
      parameters: [target, argumentsDigest, id],
    };
  }

  /** Writes into the open row of a call of a session which Runner it is for, before it is asked. Rejects with a code of the store. */
  async address(entry: JournalEntry): Promise<void> {
    await this.#store.write([addressRow(entry)], 'full');
  }

  /**
   * Writes how an intent ended; a second end changes nothing. Rejects with a code of the store: then the end is known here all the
   * same, and is written as soon as that can be done.
   */
  async settle(id: string, end: JournalEnd): Promise<void> {
    const atMs = this.#clock.wallMs();
    try {
      await this.#store.write([settleRow(id, atMs, end)], 'full');
    } catch (error) {
      this.#owed.add(id, end, atMs);
      throw error;
    }
    this.#tellUnknown(id, end);
  }

  /**
   * The intent of a call that belongs to a session, for the transaction that also writes its entry; from then on a result is owed
   * there. Nothing is written here.
   */
  sessionIntent(entry: JournalEntry, call: SessionCall): readonly Statement[] {
    this.#pruner.wrote();
    return sessionIntent(entry, call, { atMs: this.#clock.wallMs(), boot: this.#boot });
  }

  /** The end of such a call and the text that its entry is to have, for a transaction of the caller. The first end stands. */
  sessionEnd(id: string, end: JournalEnd & { readonly text: string }): Statement {
    return sessionEnd(id, this.#clock.wallMs(), end);
  }

  /** For the transaction that writes the entry of its result: nothing is owed any more. */
  resultStands(id: string): Statement {
    return resultStands(id);
  }

  /** Such a transaction was not taken by the disk and will be tried again: the end is known here all the same, until `sessionEnded`. */
  sessionOwed(id: string, end: JournalEnd): void {
    this.#owedThere.set(id, end);
  }

  /** A transaction of the caller with the end of such a call stands: whoever settles unknown ones hears of it. */
  sessionEnded(id: string, end: JournalEnd): void {
    this.#owedThere.delete(id);
    this.#tellUnknown(id, end);
  }

  /** The last time that the same call of a session ran, if that was after `sinceMs`. Rejects with a code of the store. */
  async recent(call: SameCall, sinceMs: number): Promise<RecentCall | undefined> {
    return await recentCall(this.#store, (id) => this.#owedEnd(id), { ...call, sinceMs });
  }

  /** Calls that have ended and whose session does not say so, oldest first. Rejects with a code of the store. */
  async owedResults(afterSeq: number, limit: number): Promise<OwedResult[]> {
    const rows = await this.#store.read<StoredResult>(SELECT_OWED_RESULTS, [afterSeq, limit]);
    return rows.map(owedResult);
  }

  /** Calls of a session, by id, whose result is still to come there. Rejects with a code of the store. */
  async openCalls(session: string): Promise<readonly string[]> {
    const rows = await this.#store.read<{ id: string }>(SELECT_OPEN_CALLS, [session, JOURNAL_ROWS_PER_LOOK]);
    return rows.map(({ id }) => id);
  }

  /** Tells `listener` of each intent that ended `outcome_unknown`, once that is on disk. There is one listener; null: none. */
  onUnknown(listener: ((id: string) => void) | null): void {
    this.#onUnknown = listener;
  }

  /** One invocation, undefined where there is none of that id. Rejects with a code of the store. */
  async find(id: string): Promise<CallRecord | undefined> {
    this.#reads.flush();
    const [row] = await this.#store.read<StoredCall>(SELECT_CALL, [id]);
    if (row === undefined) return undefined;
    const record = callRecord(row);
    return record.end === null ? { ...record, end: this.#owedEnd(id) ?? null } : record;
  }

  /**
   * The next `limit` invocations after `afterSeq` that were addressed to one Runner process, ended `outcome_unknown` and were not
   * settled since, oldest first; those whose session lacks its end come when it stands. Rejects with a code of the store.
   */
  async unsettled(
    runner: { readonly runner: string; readonly instanceId: string },
    afterSeq: number,
    limit: number,
  ): Promise<CallRecord[]> {
    const parameters = [runner.instanceId, journalName(runner.runner), afterSeq, limit];
    const rows = await this.#store.read<StoredCall>(SELECT_UNSETTLED, parameters);
    return rows.map(callRecord);
  }

  /**
   * Writes what was learnt of an invocation that had ended `outcome_unknown`, beside that end. False where there is nothing to settle: it
   * ended otherwise, was settled before, or its session lacks that end yet. Rejects with a code of the store.
   */
  async settleUnknown(id: string, settlement: JournalEnd): Promise<boolean> {
    const { changes } = await this.#store.write([this.settlement(id, settlement)], 'full');
    return changes[0] === 1;
  }

  /** The same, for the transaction that also writes it into the session of the call. */
  settlement(id: string, settlement: JournalEnd): Statement {
    return settleUnknownRow(id, this.#clock.wallMs(), settlement);
  }

  /** Some invocations, newest first; null where there is none of the id `before`. Rejects with a code of the store. */
  async page(query: JournalQuery): Promise<JournalPage | null> {
    await this.#reads.flushed();
    return await readJournalPage(this.#store, (id) => this.#owedEnd(id), query);
  }

  /** Writes an invocation that was refused before anything was begun. Rejects with a code of the store. */
  async deny(entry: JournalEntry, code: string): Promise<void> {
    this.#reads.flush();
    const end: JournalEnd = { certainty: 'not_started', code };
    await this.#store.write([insertRow(entry, this.#clock.wallMs(), this.#boot, end)], 'full');
    this.#pruner.wrote();
  }

  /** Writes a read that has ended, a moment behind its answer. Nobody waits for it; `close` does. */
  observe(entry: JournalEntry, end: JournalEnd): void {
    const row = insertRow({ ...entry, isRead: true }, this.#clock.wallMs(), this.#boot, end);
    this.#reads.add(entry, row);
  }

  /**
   * To be awaited at start, before the first invocation: every intent that an earlier start left open becomes
   * `outcome_unknown`, `invocation_interrupted`. It is never run again. Answers how many there were.
   */
  async recoverAtStart(): Promise<number> {
    const interrupted = settleInterrupted(this.#clock.wallMs(), this.#boot, 'invocation_interrupted');
    const { changes } = await this.#store.write([interrupted], 'full');
    const count = changes[0] ?? 0;
    if (count > 0) this.#log?.('warn', 'journal.recovered', { interrupted: count });
    this.#pruner.start();
    return count;
  }

  /** Removes a share of the rows that are too old or too many; answers how many. The journal also does so by itself. */
  prune(): Promise<number> {
    return this.#pruner.prune();
  }

  /** Waits for the rows of reads, for ends that are still owed and for a pruning under way, and starts no other. */
  async close(): Promise<void> {
    await this.#reads.settled();
    await this.#owed.close();
    await this.#pruner.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #owedEnd(id: string): JournalEnd | undefined {
    return this.#owed.of(id) ?? this.#owedThere.get(id);
  }

  #tellUnknown(id: string, { certainty }: JournalEnd): void {
    if (certainty === 'outcome_unknown') this.#onUnknown?.(id);
  }
}
