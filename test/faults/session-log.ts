import type { JsonObject } from '@fairlead/base';
import type { CallRow } from './journal-view.ts';
import type { Fault, FaultKind } from './judge.ts';
import type { Execution } from './ledger.ts';

/** A slot of a schedule, as the host keeps it. */
export type SlotView = {
  readonly state: string;
  readonly outcome: string | null;
  readonly code: string | null;
  readonly session: string | null;
};

/** What is known of a call that stands in a session, after its round. */
export type SessionFacts = {
  readonly call: number;
  /** Every entry of the session in order; null where the session could not be read, empty where none was made. */
  readonly entries: readonly JsonObject[] | null;
  /** Rows of the journal that name the session. */
  readonly rows: readonly CallRow[];
  readonly executions: readonly Execution[];
  /** The call and its certainty as somebody was told of them; null where nobody was. */
  readonly told: { readonly call: string; readonly certainty: string } | null;
  /** Of a schedule: its slots, and whether it was acknowledged. */
  readonly routine: { readonly slots: readonly SlotView[]; readonly isAcknowledged: boolean } | null;
};

/** True for the entry of a call that is for the plugin. */
export function isPluginCall(entry: JsonObject): boolean {
  return entry['type'] === 'tool_call' && String(entry['target']).startsWith('plugin:');
}

/** Holds what a session says against the journal, the ledger, the slots of its schedule, and what somebody was told. */
export function judgeSession(facts: SessionFacts): Fault[] {
  const { call, entries, rows, told, routine } = facts;
  const faults: Fault[] = [];
  const fault = (kind: FaultKind, text: string) => faults.push({ kind, call, text });
  if (entries === null) {
    fault('lost record', 'its session cannot be read');
    return faults;
  }
  const log = new SessionLog(entries);
  for (const each of log.calls) judgeEntry(facts, log, each, fault);
  for (const { id } of rows)
    if (!log.calls.some((entry) => entry['call'] === id))
      fault('lost record', `the journal has ${id} in a session that does not`);
  if (told !== null) {
    const said = log.resultsOf(told.call)[0]?.['certainty'];
    if (said === undefined) fault('lost record', 'told of a call whose end the session does not have');
    else if (said !== told.certainty)
      fault('lost record', `told ${told.certainty}, the session says ${String(said)}`);
  }
  for (const ack of log.of('ack'))
    if (log.of('turn_end').filter(({ turn }) => turn === ack['turn']).length !== 1)
      fault('lost record', 'a turn that began has not one end in its session');
  for (const turn of log.resultsBehindTheirTurn())
    fault('contradiction', `the turn ${turn} ended before a call of it had its end`);
  if (log.of('tool_call').filter(isPluginCall).length > 1)
    fault('double execution', 'the session has its call more than once');
  if (routine !== null) judgeRoutine(routine, log, facts.executions, fault);
  return faults;
}

type Note = (kind: FaultKind, text: string) => void;

/** A call as the session has it, its end and its settlement. */
function judgeEntry(
  { rows, executions }: SessionFacts,
  log: SessionLog,
  entry: JsonObject,
  fault: Note,
): void {
  const id = String(entry['call']);
  const row = rows.find((each) => each.id === id);
  const [result, ...more] = log.resultsOf(id);
  const [settled, ...again] = log.settledOf(id);
  const who = `in the session ${String(entry['tool'])}`;
  if (row === undefined) fault('lost record', `${who}, and not in the journal`);
  if (result === undefined) fault('lost record', `${who} never got an end there`);
  if (more.length > 0 || again.length > 0) fault('contradiction', `${who} has several ends`);
  if (result !== undefined && row !== undefined && result['code'] !== 'call_not_settled') {
    if (result['certainty'] !== row.certainty)
      fault('contradiction', `${who} ended ${result['certainty']}, in the journal ${row.certainty}`);
    if ((result['code'] ?? null) !== row.code)
      fault('contradiction', `${who} ended ${result['code']}, in the journal ${row.code}`);
  }
  if (row !== undefined && (settled?.['certainty'] ?? null) !== row.settled_certainty)
    fault(
      'contradiction',
      `${who} settled ${settled?.['certainty']}, in the journal ${row.settled_certainty}`,
    );
  if (!isPluginCall(entry)) return;
  for (const end of [result, settled]) {
    if (end === undefined) continue;
    const { certainty, type, text, code = null } = end;
    const claim = `${type} says ${certainty}`;
    if (certainty === 'not_started' && executions.length > 0)
      fault('false not_started', `${claim}, and it ran`);
    if (certainty !== 'completed') continue;
    if (executions.length === 0) fault('false completed', `${claim}, and it never ran`);
    // A settlement need not have the text; one that it has is the plugin’s.
    else if (isAnswer(code) && (end === result || typeof text === 'string') && text !== executions[0]?.answer)
      fault('false completed', `${claim} with another answer than the plugin’s`);
  }
}

/** It fired once, or it is shown as what nobody knows; it fired not at all only where it is shown as that. */
function judgeRoutine(
  { slots, isAcknowledged }: NonNullable<SessionFacts['routine']>,
  log: SessionLog,
  executions: readonly Execution[],
  fault: Note,
): void {
  const [slot] = slots;
  if (slots.length > 1) fault('double execution', `its moment has ${slots.length} slots`);
  const directives = log.of('directive').length;
  if (directives > 1) fault('double execution', `its agent was told ${directives} times`);
  if (slot === undefined) {
    if (isAcknowledged) fault('lost record', 'it was planned, and neither fired nor stands planned');
    if (executions.length > 0) fault('lost record', 'it ran, and it has no slot');
    return;
  }
  const { state, outcome } = slot;
  if (state === 'claimed' || state === 'running') fault('lost record', `its slot is ${state} for ever`);
  if ((state === 'missed' || state === 'skipped') && executions.length > 0)
    fault('false not_started', `its slot was ${state}, and it ran`);
  if (state !== 'fired') return;
  const ends = log.of('turn_end').map(({ status }) => String(status));
  if (outcome === 'completed' && !ends.some((status) => status === 'completed' || status === 'silent'))
    fault('false completed', `its slot fired and completed, its turn ended ${ends.join(', ') || 'never'}`);
  if (ends.includes('interrupted'))
    fault('false completed', 'its slot is told as fired, and its turn was cut short');
}

/** True for the code of a call that its tool has answered, so that there is a text: by turns, and as clients record it. */
function isAnswer(code: unknown): boolean {
  return code === null || code === 'tool_error' || code === 'plugin_tool_error';
}

/** The entries of one session, by what they are. */
class SessionLog {
  readonly #entries: readonly JsonObject[];

  constructor(entries: readonly JsonObject[]) {
    this.#entries = entries;
  }

  get calls(): readonly JsonObject[] {
    return this.of('tool_call');
  }

  of(type: string): readonly JsonObject[] {
    return this.#entries.filter((entry) => entry['type'] === type);
  }

  /** The turns of results that stand behind the end of their turn. */
  resultsBehindTheirTurn(): readonly string[] {
    const ended = new Set<string>();
    const late: string[] = [];
    for (const { type, turn } of this.#entries) {
      if (typeof turn !== 'string') continue;
      if (type === 'turn_end') ended.add(turn);
      if (type === 'tool_result' && ended.has(turn)) late.push(turn);
    }
    return late;
  }

  resultsOf(call: string): readonly JsonObject[] {
    return this.of('tool_result').filter((entry) => entry['call'] === call);
  }

  settledOf(call: string): readonly JsonObject[] {
    return this.of('tool_settled').filter((entry) => entry['call'] === call);
  }
}
