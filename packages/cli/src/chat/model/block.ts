import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { shortDuration } from './durations.ts';

/** Something of a conversation that is told, whole, in the order in which it happened. */
export type Block =
  | { readonly kind: 'said'; readonly by: 'me' | 'other'; readonly who: string; readonly text: string }
  | { readonly kind: 'answer'; readonly who: string; readonly text: string; readonly isInterim: boolean }
  | { readonly kind: 'call'; readonly call: CallTold }
  | { readonly kind: 'question'; readonly question: Question }
  | {
      readonly kind: 'fault';
      readonly text: string;
      readonly code: string | null;
      readonly next: string | null;
    }
  | { readonly kind: 'note'; readonly text: string }
  | { readonly kind: 'output'; readonly line: string; readonly text: string }
  | { readonly kind: 'opened'; readonly text: string; readonly more: string };

/** A call that ended. */
export type CallTold = {
  readonly tool: string;
  readonly extension: string;
  /** As JSON on one line. */
  readonly arguments: string;
  readonly certainty: string;
  readonly code: string | null;
  readonly tookMs: number | null;
  readonly text: string;
};

/** A call that a person is asked about. */
export type Question = {
  readonly id: string;
  readonly tool: string;
  readonly extension: string;
  readonly risk: string;
  /** Lines about it, such as the folder it works in. */
  readonly facts: readonly (readonly [label: string, text: string])[];
  /** All of them, as indented JSON. */
  readonly arguments: string;
  /** What the authority offers, of `approve`, `deny`, `approve_turn`. */
  readonly decisions: readonly string[];
  /** Milliseconds since 1970. */
  readonly untilMs: number;
};

/** A text of an entry, or nothing. */
export function word(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/** One line of JSON for people. */
export function jsonWords(value: Json | undefined): string {
  if (value === undefined) return '';
  if (isJsonObject(value) && Object.keys(value).length === 0) return '';
  return JSON.stringify(value);
}

/** What an entry tells beside calls, whose two entries belong together; null where it tells people nothing. */
export function entryBlock(entry: JsonObject, mine: (entry: JsonObject) => boolean): Block | null {
  const { type, code } = entry;
  const text = word(entry['text']);
  switch (type) {
    case 'message':
      if (isAgent(entry))
        return { kind: 'answer', who: speakerOf(entry), text, isInterim: entry['final'] === false };
      return { kind: 'said', by: mine(entry) ? 'me' : 'other', who: speakerOf(entry), text };
    case 'directive':
      return { kind: 'said', by: 'other', who: `${speakerOf(entry)} (task)`, text };
    case 'summary':
      return { kind: 'note', text: `What stands above was summed up for the model:\n${text}` };
    case 'error':
      return { kind: 'fault', text, code: word(code) === '' ? null : word(code), next: null };
    case 'turn_end':
      return turnEnd(entry);
    case 'tool_settled':
      return { kind: 'note', text: `Learnt of an earlier call: ${word(entry['certainty'])}${coded(entry)}` };
    case 'approval_decision':
      return { kind: 'note', text: decisionText(entry) };
    default:
      return null;
  }
}

function isAgent({ from }: JsonObject): boolean {
  return isJsonObject(from ?? null) && (from as JsonObject)['kind'] === 'agent';
}

/** Who said it: a name, else what it is. */
function speakerOf({ from }: JsonObject): string {
  if (!isJsonObject(from ?? null)) return 'somebody';
  const { kind, id, name } = from as JsonObject;
  return word(name) === '' ? `${word(kind)} ${word(id)}`.trim() : word(name);
}

function coded({ code }: JsonObject): string {
  return word(code) === '' ? '' : ` (${word(code)})`;
}

/** A turn that ended well has said so by its answer. */
function turnEnd(entry: JsonObject): Block | null {
  const status = word(entry['status']);
  if (status === 'completed' && word(entry['code']) === '') return null;
  if (status === 'silent') return { kind: 'note', text: `The turn ended without words${coded(entry)}.` };
  const goesOn = status === 'interrupted' ? ' /continue goes on with it.' : '';
  return { kind: 'note', text: `The turn ended: ${status}${coded(entry)}.${goesOn}` };
}

function decisionText(entry: JsonObject): string {
  const decision = word(entry['decision']);
  const via = word(entry['via']);
  const rule = word(entry['rule']) === '' ? '' : ', for the rest of the turn';
  return `${decision}${rule}${via === '' ? '' : ` (${via})`}`;
}

/** `completed in 1.2 s`, with the code where there is one. */
export function certaintyText({
  certainty,
  code,
  tookMs,
}: Pick<CallTold, 'certainty' | 'code' | 'tookMs'>): string {
  const took = tookMs === null ? '' : ` · ${shortDuration(tookMs)}`;
  return `${certainty}${code === null ? '' : ` · ${code}`}${took}`;
}
