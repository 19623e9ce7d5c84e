import type { JournalEntry, SessionCall } from '@fairlead/dispatch';
import { ENTRIES_TABLE } from '@fairlead/hub';
import type { Statement } from '@fairlead/store';
import type { EntryBody } from '../entries/entry.ts';
import { type FittedResult, fitResult } from '../entries/fit-result.ts';
import { entryValue } from '../entries/write-entry.ts';
import { unwritable } from '../sessions/unwritable.ts';
import type { CallRequest } from './call-end.ts';
import type { CallAddress, CallFloor } from './call-floor.ts';
import type { CallPlace } from './call-place.ts';
import type { CallWords } from './call-words.ts';
import type { Said } from './screen-outcome.ts';

/** The end of a call as its entry has it. */
export interface RecordedEnd {
  readonly said: Said;
  readonly fitted: FittedResult;
  readonly ms: number;
}

/** What the journal and the session have of one call. Each step is one transaction, whole or not at all, and on disk when it resolves. */
export class CallRecord {
  readonly #floor: CallFloor;
  readonly #place: CallPlace;
  readonly #request: CallRequest;
  #sinceMs: number;
  #ended: RecordedEnd | undefined;
  #step: 'nothing' | 'begun' | 'settled' | 'whole' = 'nothing';

  constructor(floor: CallFloor, place: CallPlace, request: CallRequest) {
    this.#floor = floor;
    this.#place = place;
    this.#request = request;
    this.#sinceMs = floor.clock.monotonicMs();
  }

  /** How far it is: a call that has begun may have had its effect. */
  get step(): 'nothing' | 'begun' | 'settled' | 'whole' {
    return this.#step;
  }

  /**
   * The intent: `tool_call`, the row, and the approval that is used for it. Rejects with `transaction_refused` where that one cannot be used
   * (any more), or a code of the store, also while the disk owes another end of the session: then nothing may run.
   */
  async begin(words: CallWords, approval: string | undefined, address?: CallAddress): Promise<void> {
    const { journal, approvals, owed } = this.#floor;
    await owed.behind(this.#place.session);
    const statements = journal.sessionIntent(this.#journalEntry(words, address), this.#sessionCall(words));
    const use = approval === undefined ? [] : [approvals.use(approval, this.#request.call)];
    await this.#write([this.#callEntry(words, approval)], [...statements, ...use]);
    this.#sinceMs = this.#floor.clock.monotonicMs();
    this.#step = 'begun';
  }

  /** How it ended, before any hook hears of it. With `entry` its `tool_result` stands with it, and nothing is owed any more. */
  async settle(said: Said, entry: boolean): Promise<void> {
    const end = this.#end(said);
    const settled = this.#settled(end);
    if (entry) await this.#writeOrRows([this.#resultEntry(end, [])], [...settled, this.#stands()]);
    else await this.#floor.store.write(settled);
    this.#step = entry ? 'whole' : 'settled';
    if (entry) this.#tell(said);
  }

  /** Its `tool_result`, once hooks have changed what they change; of one whose end could not be written, that as well. */
  async result(said: Said, changedBy: readonly string[]): Promise<void> {
    const end = this.#end(said);
    const settled = this.#step === 'settled' ? [] : this.#settled(end);
    await this.#writeOrRows([this.#resultEntry(end, changedBy)], [...settled, this.#stands()]);
    this.#step = 'whole';
    this.#tell(said);
  }

  /**
   * The same, also where the disk does not take it now, or still owes another end of the session: then the journal knows the end all the
   * same, and it is written as soon as that can be done. Resolves at once then.
   */
  async resultOrOwed(said: Said, changedBy: readonly string[]): Promise<void> {
    const { owed, journal } = this.#floor;
    const { certainty, code = null } = said;
    const { promise, resolve } = Promise.withResolvers<void>();
    const known = () => {
      journal.sessionOwed(this.#request.call, { certainty, code });
      resolve();
    };
    const write = () => this.result(said, changedBy);
    // What the host stops with is written by its next start.
    owed.written(this.#place.session, write, known).then(resolve, known);
    await promise;
  }

  /** A call that never began: both entries and a row, in one. Like the intent it stands behind what the session owes. */
  async refuse(words: CallWords, said: Said, changedBy: readonly string[]): Promise<void> {
    const end = this.#end(said);
    await this.#floor.owed.behind(this.#place.session);
    await this.#writeOrRows(
      [this.#callEntry(words, undefined), this.#resultEntry(end, changedBy)],
      [
        ...this.#floor.journal.sessionIntent(this.#journalEntry(words), this.#sessionCall(words)),
        ...this.#settled(end),
        this.#stands(),
      ],
    );
    this.#step = 'whole';
  }

  /** As it is written. */
  recorded(said: Said): RecordedEnd {
    return this.#end(said);
  }

  /** It took as long as it took when it was settled, whatever hooks made of its words since. */
  #end(said: Said): RecordedEnd {
    if (this.#ended?.said === said) return this.#ended;
    const ms = this.#ended?.ms ?? Math.max(0, Math.round(this.#floor.clock.monotonicMs() - this.#sinceMs));
    this.#ended = { said, fitted: fitResult(said), ms };
    return this.#ended;
  }

  /** Whoever can learn later what an unknown call came to hears of it, once the session says that it is unknown. */
  #tell({ certainty, code }: Said): void {
    this.#floor.journal.sessionEnded(this.#request.call, { certainty, code: code ?? null });
  }

  #settled({ said, fitted }: RecordedEnd): readonly Statement[] {
    const { certainty, code = null } = said;
    return [this.#floor.journal.sessionEnd(this.#request.call, { certainty, code, text: fitted.text })];
  }

  #stands(): Statement {
    return this.#floor.journal.resultStands(this.#request.call);
  }

  #callEntry(words: CallWords, approval: string | undefined): EntryBody {
    const { call, index } = this.#request;
    const { turn } = this.#place;
    return {
      type: 'tool_call',
      call,
      ...(turn === undefined ? {} : { turn: turn.turn, step: turn.step() }),
      ...(index === undefined ? {} : { index }),
      ...words,
      ...(approval === undefined ? {} : { approval }),
    };
  }

  #resultEntry({ said, fitted, ms }: RecordedEnd, hooks: readonly string[]): EntryBody {
    const { certainty, code, isError, redacted } = said;
    const { turn } = this.#place;
    return {
      type: 'tool_result',
      call: this.#request.call,
      certainty,
      ...(code === undefined ? {} : { code }),
      error: isError,
      ...fitted,
      ms,
      redacted,
      hooks,
      ...(turn === undefined ? {} : { turn: turn.turn }),
    };
  }

  #journalEntry({ tool, digest }: CallWords, address?: CallAddress): JournalEntry {
    const { principal } = this.#place;
    const { call: id } = this.#request;
    const entry = { id, principal, argumentsDigest: digest };
    return address === undefined
      ? { ...entry, action: tool, bindingPresent: false }
      : { ...entry, action: 'call', bindingPresent: true, ...address };
  }

  #sessionCall({ extension, tier, target }: CallWords): SessionCall {
    const { session, turn } = this.#place;
    const call = { session, extension, tier, target };
    return turn === undefined ? call : { ...call, turn: turn.turn };
  }

  async #write(entries: readonly EntryBody[], rows: readonly Statement[]): Promise<void> {
    const { peer, clock } = this.#floor;
    const { database, from } = this.#place;
    const values = entries.map((entry) => entryValue(entry, from, clock));
    await peer.transaction((tx) => {
      for (const value of values) tx.on(database).append(ENTRIES_TABLE, value);
      for (const { sql, parameters = [] } of rows) tx.write(sql, parameters, 1);
    });
  }

  /** What is known of a call is written also where its session cannot be written to any more. */
  async #writeOrRows(entries: readonly EntryBody[], rows: readonly Statement[]): Promise<void> {
    try {
      await this.#write(entries, rows);
    } catch (error) {
      unwritable(error);
      await this.#floor.store.write(rows);
    }
  }
}
