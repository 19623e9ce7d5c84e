import type { Certainty, Json, JsonObject } from '@fairlead/base';
import type { RecordId } from '@fairlead/store';
import type { Risk } from '../policy/tool-policy.ts';

/** Who an entry is from. `id` says which one of its kind; a messenger's client is `ext:<extension>/<id it gave>`. */
export interface Speaker {
  readonly kind: 'person' | 'agent' | 'client' | 'extension' | 'schedule' | 'host';
  readonly id: string;
  readonly name?: string;
}

/** How a turn ended. `interrupted`: the host did, in its middle. */
export type TurnStatus = 'completed' | 'silent' | 'failed' | 'cancelled' | 'interrupted' | 'ceiling';

/** Where a tool runs, as entries name it. */
export type EntryTier = 'in_process' | 'worker' | 'sandbox' | 'native' | 'mcp';

/** Tokens of a turn. */
export type EntryUsage = {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  readonly written: number;
  readonly reasoning: number;
};

/** What is said. `mentions`: ids of agents, in the order of the text. An agent's words before its calls are not `final`. */
export type MessageBody = {
  readonly type: 'message';
  readonly text: string;
  readonly mentions: readonly string[];
  readonly final?: boolean;
  readonly turn?: string;
  readonly step?: number;
};

/** A task. `agent`: whose it is, where that is not the session's host; `parent`: the turn that gave it; `slot`: the firing. */
export type DirectiveBody = {
  readonly type: 'directive';
  readonly text: string;
  readonly agent?: string;
  readonly parent?: string;
  readonly slot?: string;
};

/** A turn begins: it answers the entries of `for`, or goes on where another one was cut short. */
export type AckBody = {
  readonly type: 'ack';
  readonly turn: string;
  readonly for: readonly RecordId[];
  readonly agent: string;
  readonly model: string;
  readonly resumes?: string;
};

export type TurnEndBody = {
  readonly type: 'turn_end';
  readonly turn: string;
  readonly status: TurnStatus;
  readonly code?: string;
  readonly usage: EntryUsage;
  /** Whole nano-dollars; null where a model had no price. */
  readonly nanousd: number | null;
  readonly steps: number;
};

export type ErrorBody = {
  readonly type: 'error';
  readonly code: string;
  readonly text: string;
  readonly turn?: string;
};

/** Stands in the place of everything up to and including the entry `upto`. */
export type SummaryBody = {
  readonly type: 'summary';
  readonly text: string;
  readonly upto: RecordId;
  readonly turn?: string;
};

/** The intent of a call. `arguments` are the final ones, masked; `digest` is over the real ones. */
export type ToolCallBody = {
  readonly type: 'tool_call';
  readonly call: string;
  readonly turn?: string;
  readonly step?: number;
  readonly index?: number;
  readonly tool: string;
  readonly extension: string;
  readonly tier: EntryTier;
  readonly target: string;
  readonly arguments: JsonObject;
  readonly digest: string;
  readonly approval?: string;
};

/** What the model saw of a call's end. `bytes`: of the whole text; `cut`: how many of them are left out. */
export type ToolResultBody = {
  readonly type: 'tool_result';
  readonly call: string;
  readonly certainty: Certainty;
  readonly code?: string;
  readonly error: boolean;
  readonly text: string;
  readonly structured?: Json;
  readonly ms: number;
  readonly bytes: number;
  readonly cut?: number;
  /** Kinds of secrets that were taken out. */
  readonly redacted: readonly string[];
  /** Extensions whose hooks changed the text. */
  readonly hooks: readonly string[];
  readonly turn?: string;
};

/** What was learnt later of a call that had ended unknown. */
export type ToolSettledBody = {
  readonly type: 'tool_settled';
  readonly call: string;
  readonly certainty: Certainty;
  readonly code?: string;
  readonly text?: string;
};

export type ApprovalRequestBody = {
  readonly type: 'approval_request';
  readonly approval: string;
  readonly call: string;
  readonly tool: string;
  readonly extension: string;
  readonly risk: Risk;
  readonly arguments: JsonObject;
  readonly digest: string;
  /** Milliseconds since 1970. */
  readonly until: number;
};

export type ApprovalDecisionBody = {
  readonly type: 'approval_decision';
  readonly approval: string;
  readonly decision: 'approved' | 'denied' | 'expired' | 'cancelled';
  /** The first approval, where a rule decided. */
  readonly rule?: string;
  readonly by: string;
  readonly via: string;
};

/** What an entry says, without who said it and when. */
export type EntryBody =
  | MessageBody
  | DirectiveBody
  | AckBody
  | TurnEndBody
  | ErrorBody
  | SummaryBody
  | ToolCallBody
  | ToolResultBody
  | ToolSettledBody
  | ApprovalRequestBody
  | ApprovalDecisionBody;

interface Written {
  readonly id: RecordId;
  /** For people; the order is the record's. */
  readonly at: number;
  readonly from: Speaker;
}

/** An entry that this version understands. docs/reference/sessions.md has the members. */
export type Entry = Written & EntryBody;

/** One that it does not: another type, or a known one without its form. It is shown and never counted. */
export interface UnknownEntry {
  readonly type: 'unknown';
  readonly id: RecordId;
  readonly at: number;
  readonly from: Speaker | null;
  /** The type that stands in it. */
  readonly of: string;
  /** As it was written; null where that is larger than an entry may be. */
  readonly value: JsonObject | null;
}
