import type { Certainty, Json, JsonObject } from '@fairlead/base';
import type { Effect } from '../policy/tool-policy.ts';

/** A call as a model or a client asks for it. */
export type CallRequest = {
  /** `call_` and 22 characters, minted by whoever received it. */
  readonly call: string;
  /** Which one of its step. */
  readonly index?: number;
  /** The name as it was asked for. */
  readonly tool: string;
} & (
  | { readonly arguments: JsonObject }
  /** What came in their place is no JSON object: the call is refused. */
  | { readonly unparsable: string }
);

/** How a call ended, as its entry says it. */
export interface CallEnd {
  readonly call: string;
  readonly tool: string;
  readonly certainty: Certainty;
  readonly code?: string;
  /** At most 64 KiB; not wrapped. */
  readonly text: string;
  /** Bytes that were left out in the middle of the text. */
  readonly cut?: number;
  readonly structured?: Json;
  readonly isError: boolean;
  /** What the code of a refusal or fault adds. */
  readonly detail?: Json;
  /** From its intent to its end; of a refused one from the call on. */
  readonly ms: number;
  /** What the tool touches, as its policy says. */
  readonly effect: Effect;
}
