import { encodeJson, FairleadError, type JsonObject } from '@fairlead/base';
import type {
  Caller,
  InvocationError,
  Principal,
  RecordedCall,
  RecordedEnd,
  RecordedSettlement,
  RecordingSession,
  SessionRecorder,
} from '@fairlead/dispatch';
import { ENTRIES_TABLE, hubErrors, readActive } from '@fairlead/hub';
import type { Database, Statement } from '@fairlead/store';
import { NOBODY } from '../calls/call-words.ts';
import { refusal } from '../calls/refusal-now.ts';
import type { EntryBody, Speaker } from '../entries/entry.ts';
import { fitResult, fitText } from '../entries/fit-result.ts';
import { entryValue, HOST } from '../entries/write-entry.ts';
import { maskSensitive } from '../leaks/mask-sensitive.ts';
import { clientLimits } from '../limits.ts';
import { decideForClient } from '../policy/decide.ts';
import { lineageOf, strictestMode } from '../sessions/lineage.ts';
import type { HeldSession } from '../sessions/sessions.ts';
import { unwritable } from '../sessions/unwritable.ts';
import type { TurnFloor } from '../turn/turn-floor.ts';
import type { ClientFloor } from './client-floor.ts';
import { dispatchFault, errorOf, speakerOf } from './client-words.ts';
import { isWithinReach, openedSession } from './opened-session.ts';

/** Records invocations of clients in sessions: the entries, and the row of the journal with them. */
export class ClientRecorder implements SessionRecorder {
  readonly #host: ClientFloor;

  constructor(host: ClientFloor) {
    this.#host = host;
  }

  async open(
    session: string,
    { principal, caller }: { readonly principal: Principal; readonly caller: Caller | undefined },
  ): ReturnType<SessionRecorder['open']> {
    const opened = await openedSession(this.#host.floor, session, principal);
    if (!opened.ok) return opened;
    const from = speakerOf(principal, caller?.name);
    return {
      ok: true,
      session: new Recording(this.#host, { session, from, principal }),
    };
  }

  async settled(settlement: RecordedSettlement, row: Statement): Promise<boolean> {
    const { sessions, leaks } = this.#host.floor;
    const { session, call, certainty, code, text } = settlement;
    const database = await sessions.open(session).catch(unwritable);
    const body: EntryBody = {
      type: 'tool_settled',
      call,
      certainty,
      ...(code === null ? {} : { code }),
      ...(text === undefined ? {} : { text: fitText(leaks.text(text).value) }),
    };
    try {
      await write(this.#host.floor, { database, from: HOST }, [body], [row]);
      return true;
    } catch (error) {
      if (error instanceof FairleadError && error.code === 'transaction_refused') return false;
      throw error;
    }
  }
}

type Place = {
  readonly session: string;
  readonly from: Speaker;
  readonly principal: Principal;
};

class Recording implements RecordingSession {
  readonly #host: ClientFloor;
  readonly #place: Place;
  readonly #sinceMs: number;
  /** From the intent of a call to its end. */
  #held: HeldSession | undefined;

  constructor(host: ClientFloor, place: Place) {
    this.#host = host;
    this.#place = place;
    this.#sinceMs = host.floor.clock.monotonicMs();
  }

  async guard({
    extension,
    hasEffect,
  }: {
    readonly extension?: string;
    readonly hasEffect: boolean;
  }): Promise<InvocationError | undefined> {
    const { floor } = this.#host;
    const { session, principal } = this.#place;
    if (hasEffect && floor.state.pausedAtMs !== null) return errorOf(refusal('host_paused'));
    const lineage = await lineageOf(floor.sessions, session);
    // Agents may have joined, or been given more, while a person was asked.
    if (!(await isWithinReach(floor, principal, lineage.metas[0].agents)))
      return errorOf(dispatchFault('token_limited'));
    if (lineage.metas[0].closed) return errorOf(refusal('session_closed'));
    const verdict = hasEffect ? decideForClient(floor.authority, strictestMode(lineage)) : 'run';
    if (verdict !== 'run' && verdict !== 'ask' && verdict.refuse === 'session_guard_denied')
      return errorOf(refusal('session_guard_denied'));
    if (extension === undefined) return undefined;
    // What is installed here stands in its log only once it was opened.
    await this.#host.openSession(session);
    // A person may have been asked for longer than a handle is good for.
    using held = await floor.sessions.hold(session);
    if ((await readActive(held.database)).has(extension)) return undefined;
    const { message } = hubErrors.tool_inactive;
    return errorOf({ code: 'tool_inactive', message: `${message} (${extension})`, detail: { extension } });
  }

  async begin(call: RecordedCall): Promise<boolean> {
    const { approvals, owed, sessions } = this.#host.floor;
    const { approval, entry } = call;
    const { session } = this.#place;
    await owed.behind(session);
    const use = approval === undefined ? [] : [approvals.use(approval, entry.id)];
    const held = await sessions.hold(session);
    try {
      await this.#write([this.#callEntry(call)], [...this.#intent(call), ...use]);
      this.#held = held;
      return true;
    } catch (error) {
      held[Symbol.dispose]();
      const isUsedUp = error instanceof FairleadError && error.code === 'transaction_refused';
      if (isUsedUp && approval !== undefined) return false;
      throw error;
    }
  }

  async settle(call: RecordedCall, end: RecordedEnd): Promise<void> {
    using _held = this.#held;
    const { entry, rows } = this.#end(call, end);
    const { certainty, code } = end;
    const { journal, owed } = this.#host.floor;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const write = async () => {
      await this.#writeOrRows([entry], rows);
      journal.sessionEnded(call.entry.id, { certainty, code });
    };
    const known = (fault: unknown) => {
      journal.sessionOwed(call.entry.id, { certainty, code });
      reject(fault);
    };
    owed.written(this.#place.session, write, known).then(resolve, known);
    await promise;
  }

  async whole(call: RecordedCall, end: RecordedEnd): Promise<void> {
    const { entry, rows } = this.#end(call, end);
    await this.#writeOrRows([this.#callEntry(call), entry], [...this.#intent(call), ...rows]);
  }

  #intent(call: RecordedCall): readonly Statement[] {
    const { extension = NOBODY, tier, target, entry } = call;
    const { session } = this.#place;
    return this.#host.floor.journal.sessionIntent(entry, { session, extension, tier, target });
  }

  #callEntry(call: RecordedCall): EntryBody {
    const { entry, tool, extension = NOBODY, tier, target, digest, approval } = call;
    return {
      ...{ type: 'tool_call', call: entry.id, tool, extension, tier, target, digest },
      arguments: visibleArguments(this.#host.floor, call),
      ...(approval === undefined ? {} : { approval }),
    };
  }

  #end(
    { entry: { id: call } }: RecordedCall,
    { certainty, code, text, structured, isError }: RecordedEnd,
  ): { readonly entry: EntryBody; readonly rows: readonly Statement[] } {
    const { leaks, journal, clock } = this.#host.floor;
    const said = leaks.text(text);
    const data = structured === undefined ? undefined : leaks.json(structured);
    const output = data === undefined ? { text: said.value } : { text: said.value, structured: data.value };
    const fitted = fitResult(output);
    const entry: EntryBody = {
      ...{ type: 'tool_result', call, certainty, error: isError || code !== null },
      ...(code === null ? {} : { code }),
      ...fitted,
      ms: Math.max(0, Math.round(clock.monotonicMs() - this.#sinceMs)),
      redacted: [...new Set([...said.categories, ...(data?.categories ?? [])])].sort(),
      hooks: [],
    };
    const rows = [
      journal.sessionEnd(call, { certainty, code, text: fitted.text }),
      journal.resultStands(call),
    ];
    return { entry, rows };
  }

  /** Each with the handle of the moment: minutes may lie between two of them. */
  async #write(entries: readonly EntryBody[], rows: readonly Statement[]): Promise<void> {
    const { floor } = this.#host;
    const { session, from } = this.#place;
    using held = await floor.sessions.hold(session);
    await write(floor, { database: held.database, from }, entries, rows);
  }

  /** What is known of a call is written also where its session cannot be written to any more. */
  async #writeOrRows(entries: readonly EntryBody[], rows: readonly Statement[]): Promise<void> {
    try {
      await this.#write(entries, rows);
    } catch (error) {
      unwritable(error);
      await this.#host.floor.store.write(rows);
    }
  }
}

async function write(
  { peer, clock }: TurnFloor,
  { database, from }: { readonly database: Database | undefined; readonly from: Speaker },
  entries: readonly EntryBody[],
  rows: readonly Statement[],
): Promise<void> {
  const values = entries.map((entry) => entryValue(entry, from, clock));
  await peer.transaction((tx) => {
    if (database !== undefined) for (const value of values) tx.on(database).append(ENTRIES_TABLE, value);
    for (const { sql, parameters = [] } of rows) tx.write(sql, parameters, 1);
  });
}

/** Arguments as they may stand in a session and be shown to a person: sensitive ones masked, secrets left out. */
export function visibleArguments(
  { leaks, policy }: Pick<TurnFloor, 'leaks' | 'policy'>,
  { tool, arguments: given }: Pick<RecordedCall, 'tool' | 'arguments'>,
): JsonObject {
  const bytes = Buffer.byteLength(encodeJson(given));
  // No tool takes so much; what was refused for it need not be kept.
  if (bytes > clientLimits.argumentBytes) return { $left_out: bytes };
  const sensitive = policy.tools.get(tool)?.sensitive ?? [];
  return leaks.json(maskSensitive(given, sensitive)).value;
}
