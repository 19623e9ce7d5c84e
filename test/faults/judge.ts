import type { Certainty } from '@fairlead/base';
import type { CallRow } from './journal-view.ts';
import type { Execution } from './ledger.ts';
import type { CallPlan } from './plan.ts';
import { certaintyOf, type Told } from './told.ts';

/** All that is known of one call after its round. */
export type CallFacts = {
  /** Its number in the round. */
  readonly call: number;
  readonly told: Told;
  /** What the ledger has of it. */
  readonly executions: readonly Execution[];
  /** Its rows in the journal. */
  readonly rows: readonly CallRow[];
  /** What `outcome` answered afterwards; null where the call has no id. */
  readonly asked: {
    readonly certainty: Certainty;
    readonly code: string | null;
    readonly text: string | null;
  } | null;
  /** Its records may be lost: the log was cut behind what was durable when the last answer left, and this one had none. */
  readonly mayBeLost: boolean;
  /** Its path tells the id of a call that was answered. */
  readonly tellsId: boolean;
  /** What its caller waits for may take as long as an attack does. */
  readonly mayBeLate: boolean;
};

/** The kinds of lies that are looked for. */
export type FaultKind =
  | 'false not_started'
  | 'false completed'
  | 'double execution'
  | 'lost record'
  | 'contradiction'
  | 'no answer'
  | 'left behind';

export type Fault = { readonly kind: FaultKind; readonly call: number | null; readonly text: string };

/** Holds what was told, recorded and settled of one call against what the plugin did. */
export function judgeCall(facts: CallFacts): Fault[] {
  const { call, told, executions, rows, asked, mayBeLost, mayBeLate, tellsId } = facts;
  const faults: Fault[] = [];
  const fault = (kind: FaultKind, text: string) => faults.push({ kind, call, text });
  const happened = executions.length;
  const [execution] = executions;
  /** One claim about what happened, whoever makes it. */
  const claim = (who: string, certainty: Certainty, text: string | null) => {
    if (certainty === 'not_started' && happened > 0) fault('false not_started', `${who}, and it ran`);
    if (certainty === 'completed' && happened === 0) fault('false completed', `${who}, and it never ran`);
    if (certainty === 'completed' && text !== null && execution !== undefined && text !== execution.answer)
      fault('false completed', `${who} with another answer than the plugin’s`);
  };

  if (happened > 1) fault('double execution', `it ran ${happened} times`);
  if (told.kind === 'late' && !mayBeLate) fault('no answer', `${told.reason}, above every budget`);
  if (told.kind === 'unreadable') fault('contradiction', `the answer is none: ${told.reason}`);
  claim(`told ${certaintyOf(told)}`, certaintyOf(told), told.kind === 'answered' ? told.text : null);
  if (told.kind === 'answered' && told.certainty === 'completed' && told.text === null && mustHaveText(told))
    fault('false completed', 'told completed without the answer');

  const [row] = rows;
  if (rows.length > 1) fault('contradiction', `it stands in the journal ${rows.length} times`);
  if (row === undefined) {
    const hasId = told.kind === 'answered' && told.call !== null;
    if (hasId && !mayBeLost)
      fault('lost record', 'it was answered with an id that the journal does not have');
    else if (happened > 0 && !mayBeLost) fault('lost record', 'it ran, and no intent is in the journal');
    return faults;
  }
  if (told.kind === 'answered' && told.call !== null && !rows.some(({ id }) => id === told.call))
    fault('lost record', 'it was answered with an id that is not its own');
  // Of what was refused no row may have come about, or one that nobody could be sure of.
  if (tellsId && told.kind === 'answered' && told.call === null && told.certainty !== 'not_started')
    fault('contradiction', 'it was answered without the id that the journal has for it');
  if (row.certainty === null) fault('lost record', 'its intent never got an end');
  else {
    claim(`recorded as ${row.certainty}`, row.certainty, null);
    if (told.kind === 'answered' && !told.unsettled && told.certainty !== row.certainty)
      fault('lost record', `told ${told.certainty}, recorded as ${row.certainty}`);
    if (told.kind === 'answered' && !told.unsettled && told.code !== row.code)
      fault('contradiction', `told the code ${told.code}, recorded ${row.code}`);
  }
  if (row.settled_certainty !== null) {
    claim(`settled as ${row.settled_certainty}`, row.settled_certainty, null);
    if (row.certainty !== 'outcome_unknown') fault('contradiction', 'settled although it was known');
  }
  if (asked !== null) {
    claim(`asked and answered ${asked.certainty}`, asked.certainty, asked.text);
    const known = row.settled_certainty ?? row.certainty;
    if (known !== null && asked.certainty !== known)
      fault('contradiction', `asked and answered ${asked.certainty}, recorded as ${known}`);
  }
  return faults;
}

/** Holds what nobody attacked against what must come of it: it ran once, and its caller has its answer. */
export function judgeQuiet(
  { call, told, executions }: Pick<CallFacts, 'call' | 'told' | 'executions'>,
  { fails, way }: Pick<CallPlan, 'fails' | 'way'>,
): Fault[] {
  const code = told.kind === 'answered' ? told.code : null;
  const never = told.kind === 'answered' && told.certainty === 'not_started' && executions.length === 0;
  if (way === 'pin' && never && UNSEEN_PIN_CODES.has(code ?? '')) return [];
  const isAnswer = told.kind === 'answered' && told.certainty === 'completed';
  const isTold = isAnswer && (fails === true ? FAILING_CODES.has(code ?? '') : code === null);
  const faults: string[] = [];
  if (!isTold) faults.push(`nobody attacked, and it was told ${wordsOf(told)}`);
  if (executions.length === 0) faults.push('nobody attacked, and it never ran');
  return faults.map((text) => ({ kind: 'contradiction', call, text }));
}

/**
 * A pin is looked at behind the registration of its Runner and the start of its plugin, which the rounds before may have brought about: until
 * then a call of it is refused (docs/reference/plugins-for-agents.md). That some are carried out is looked at over all rounds.
 */
const UNSEEN_PIN_CODES: ReadonlySet<string> = new Set(['tool_not_found', 'plugin_replaced']);

/** What a result that says `isError` is called on the way to a client, and in a turn. */
const FAILING_CODES: ReadonlySet<string> = new Set(['plugin_tool_error', 'tool_error']);

function wordsOf(told: Told): string {
  return told.kind === 'answered'
    ? `${told.certainty}, ${told.code ?? 'no code'}`
    : `${told.kind}, ${told.reason}`;
}

/** Completed, on a path that has room for the plugin's answer, by a host that does not say that it lacks it. */
function mustHaveText({ isBare, unsettled }: Extract<Told, { readonly kind: 'answered' }>): boolean {
  return isBare !== true && !unsettled;
}
