import { type Certainty, isJsonObject, type Json, type JsonObject } from '@fairlead/base';

/** What a caller was told about one call. */
export type Told =
  | {
      readonly kind: 'answered';
      readonly certainty: Certainty;
      /** Absent = nothing went wrong. */
      readonly code: string | null;
      readonly call: string | null;
      /** The text of the plugin's answer, where there is one. */
      readonly text: string | null;
      /** The answer says that the journal lacks the end. */
      readonly unsettled: boolean;
      /** The answer has no room for the plugin's text. */
      readonly isBare?: boolean;
    }
  /** The answer did not come: nobody said what happened. */
  | { readonly kind: 'lost'; readonly reason: string }
  /** Nobody broke the connection off, and no answer came within every budget: a fault, whatever happened. */
  | { readonly kind: 'late'; readonly reason: string }
  /** Nothing was sent. */
  | { readonly kind: 'unsent'; readonly reason: string }
  /** An answer that says nothing, or contradicts itself: a fault, whatever happened. */
  | { readonly kind: 'unreadable'; readonly reason: string };

/** The certainty that a caller may act upon. */
export function certaintyOf(told: Told): Certainty {
  if (told.kind === 'answered') return told.certainty;
  return told.kind === 'unsent' ? 'not_started' : 'outcome_unknown';
}

/** Reads the envelope of the HTTP API. */
export function toldByEnvelope(envelope: JsonObject): Told {
  const { output, error, failure_kind: failure, call, dispatch_certainty: certainty } = envelope;
  return answered(certainty, {
    error,
    failureCode: typeof failure === 'string' ? failure : null,
    call,
    text: textOf(output),
  });
}

/** Reads the result of an MCP call: the provider's own with `_meta`, or a failure of the gateway. */
export function toldByMcp(result: JsonObject): Told {
  const { structuredContent: failure, _meta: meta } = result;
  if (isJsonObject(meta) && meta['dispatchState'] !== undefined) {
    const { dispatchState, call, error } = meta;
    const failureCode = result['isError'] === true ? 'plugin_tool_error' : null;
    return answered(dispatchState, { error, failureCode, call, text: textOf(result) });
  }
  if (!isJsonObject(failure)) return { kind: 'unreadable', reason: 'an answer without a certainty' };
  return answered(failure['dispatchState'], { error: failure['error'], call: failure['call'] });
}

function answered(
  certainty: Json | undefined,
  parts: {
    readonly error?: Json | undefined;
    readonly failureCode?: string | null;
    readonly call?: Json | undefined;
    readonly text?: string | null;
  },
): Told {
  if (!isCertainty(certainty)) return { kind: 'unreadable', reason: 'an answer without a certainty' };
  const { error, failureCode = null, call, text = null } = parts;
  const code = isJsonObject(error) ? String(error['code']) : failureCode;
  // What the client in between says when it got none.
  if (code === 'answer_lost' && certainty === 'outcome_unknown') return { kind: 'lost', reason: code };
  const detail = isJsonObject(error) ? error['detail'] : null;
  const unsettled =
    code === 'journal_unsettled' || (isJsonObject(detail) && detail['journal'] === 'unsettled');
  return { kind: 'answered', certainty, code, call: typeof call === 'string' ? call : null, text, unsettled };
}

export function isCertainty(value: Json | undefined): value is Certainty {
  return value === 'not_started' || value === 'completed' || value === 'outcome_unknown';
}

/** The first text of a plugin's result. */
export function textOf(result: Json | undefined): string | null {
  if (!isJsonObject(result) || !Array.isArray(result['content'])) return null;
  const [first] = result['content'] as readonly Json[];
  return isJsonObject(first) && typeof first['text'] === 'string' ? first['text'] : null;
}
