import { encodeJson, isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { entryLimits } from '../limits.ts';
import type { EntryBody } from './entry.ts';

/** True for a value that a member may have; undefined = the member is absent. */
type Check = (value: Json | undefined) => boolean;

const text: Check = (value) =>
  typeof value === 'string' && value.isWellFormed() && Buffer.byteLength(value) <= entryLimits.textBytes;
const word: Check = (value) =>
  typeof value === 'string' &&
  value.isWellFormed() &&
  value !== '' &&
  Buffer.byteLength(value) <= entryLimits.wordBytes;
const whole: Check = (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
const flag: Check = (value) => typeof value === 'boolean';
const object: Check = (value) => isJsonObject(value);
const small: Check = (value) =>
  value !== undefined && Buffer.byteLength(encodeJson(value)) <= entryLimits.structuredBytes;
const words: Check = (value) =>
  Array.isArray(value) && value.length <= entryLimits.list && value.every((entry) => word(entry));
const oneOf =
  (...names: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && names.includes(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const usage: Check = (value) =>
  isJsonObject(value) &&
  ['input', 'output', 'cached', 'written', 'reasoning'].every((name) => whole(value[name]));

const certainty = oneOf('not_started', 'completed', 'outcome_unknown');
const call = { call: word, turn: optional(word) };

type Form<Body> = { readonly [Member in Exclude<keyof Body, 'type'>]-?: Check };
type FormOf = { readonly [Type in EntryBody['type']]: Form<Extract<EntryBody, { readonly type: Type }>> };

/** The members of each type. What stands in an entry beside them belongs to a newer version, and is passed over. */
const FORMS: FormOf = {
  message: { text, mentions: words, final: optional(flag), turn: optional(word), step: optional(whole) },
  directive: { text, agent: optional(word), parent: optional(word), slot: optional(word) },
  ack: { turn: word, for: words, agent: word, model: word, resumes: optional(word) },
  turn_end: {
    turn: word,
    status: oneOf('completed', 'silent', 'failed', 'cancelled', 'interrupted', 'ceiling'),
    code: optional(word),
    usage,
    nanousd: (value) => value === null || whole(value),
    steps: whole,
  },
  error: { code: word, text, turn: optional(word) },
  summary: { text, upto: word, turn: optional(word) },
  tool_call: {
    ...call,
    step: optional(whole),
    index: optional(whole),
    tool: word,
    extension: word,
    tier: oneOf('in_process', 'worker', 'sandbox', 'native', 'mcp'),
    target: word,
    arguments: object,
    digest: word,
    approval: optional(word),
  },
  tool_result: {
    ...call,
    certainty,
    code: optional(word),
    error: flag,
    text,
    structured: optional(small),
    ms: whole,
    bytes: whole,
    cut: optional(whole),
    redacted: words,
    hooks: words,
  },
  tool_settled: { call: word, certainty, code: optional(word), text: optional(text) },
  approval_request: {
    approval: word,
    call: word,
    tool: word,
    extension: word,
    risk: oneOf('low', 'medium', 'high'),
    arguments: object,
    digest: word,
    until: whole,
  },
  approval_decision: {
    approval: word,
    decision: oneOf('approved', 'denied', 'expired', 'cancelled'),
    rule: optional(word),
    by: word,
    via: word,
  },
};

/** What is wrong with an entry: the member that cannot stand in it, or `type` or `size`. */
export type EntryFault = string;

/** The members of an entry of a type that this version knows, or what is wrong with it. */
export function bodyOf(
  value: JsonObject,
): { readonly ok: true; readonly body: EntryBody } | { readonly ok: false; readonly fault: EntryFault } {
  const type = value['type'];
  if (typeof type !== 'string' || !Object.hasOwn(FORMS, type)) return { ok: false, fault: 'type' };
  const form: Readonly<Record<string, Check>> = FORMS[type as EntryBody['type']];
  const body: Record<string, Json> = { type };
  for (const [member, check] of Object.entries(form)) {
    const given = Object.hasOwn(value, member) ? value[member] : undefined;
    if (!check(given)) return { ok: false, fault: member };
    if (given !== undefined) body[member] = given;
  }
  return { ok: true, body: body as EntryBody };
}
