import { type Certainty, isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import type { Invocation, InvocationError } from '@fairlead/dispatch';
import { mcpLimits } from '../limits.ts';
import { CONTEXT_META_KEY } from './mcp-call.ts';

/** The media type under which the HTTP API answers a call with its MCP result and not the envelope; `fairlead mcp` asks for it. */
export const MCP_RESULT_TYPE = 'application/vnd.fairlead.mcp-result+json';

/** A failure as MCP clients get it, whoever found it. */
export type McpFailure = InvocationError & { readonly certainty: Certainty; readonly call?: string };

/**
 * The MCP result of an invocation (docs/reference/mcp.md, "Results"), with its certainty as it is.
 * A provider's own result is handed on as it is, with what the gateway knows about it in `_meta`.
 */
export function mcpResult(invocation: Invocation): JsonObject {
  const { output, error, certainty, call } = invocation;
  if (output === undefined) return mcpFailure({ ...(error ?? NO_ANSWER), ...about(certainty, call) });
  const meta = metaOf(invocation);
  // The call is done and must not be repeated because the journal could not be told: no `isError`.
  if (error !== undefined) meta['error'] = errorOf(error);
  if (invocation.isProviderResult === true) return { ...output, _meta: meta };
  if (invocation.isSessionTool === true) return sessionToolResult(output, meta, invocation.failureKind);
  const texts = [invocation.summary ?? '', JSON.stringify(output)];
  return { content: texts.map(textItem), structuredContent: output, _meta: meta };
}

/** What a tool of a session said, as any other server's tool would say it. */
function sessionToolResult(
  output: JsonObject,
  meta: { [key: string]: Json },
  failureKind: Invocation['failureKind'],
): JsonObject {
  const { text = '', structured, cut } = output;
  if (cut !== undefined) meta['cut'] = cut;
  return {
    content: [{ type: 'text', text }],
    ...(isJsonObject(structured ?? null) ? { structuredContent: structured as JsonObject } : {}),
    ...(failureKind === undefined ? {} : { isError: true }),
    _meta: meta,
  };
}

/** `isError`, with the code and everything else that a program or a model needs to go on. */
export function mcpFailure(failure: McpFailure): JsonObject {
  const { certainty, call, recovery } = failure;
  return {
    content: [textItem(failureText(failure))],
    structuredContent: {
      error: errorOf(failure),
      dispatchState: certainty,
      ...(recovery === undefined ? {} : { recovery }),
      ...(call === undefined ? {} : { call }),
    },
    isError: true,
  };
}

const NO_ANSWER: InvocationError = { code: 'internal_error', message: 'The gateway has no answer.' };

function about(certainty: Certainty, call: string | undefined): Pick<McpFailure, 'certainty' | 'call'> {
  return call === undefined ? { certainty } : { certainty, call };
}

function metaOf({ certainty, call, context }: Invocation): { [key: string]: Json } {
  return {
    dispatchState: certainty,
    ...(call === undefined ? {} : { call }),
    ...(context === undefined ? {} : { [CONTEXT_META_KEY]: context }),
  };
}

function errorOf({ code, message, detail }: InvocationError): JsonObject {
  return detail === undefined ? { code, message } : { code, message, detail };
}

function textItem(text: string): JsonObject {
  return { type: 'text', text };
}

/** For clients that read nothing but text. */
function failureText({ code, message, recovery, detail, certainty, call }: McpFailure): string {
  const lines = [
    `${message} (${code})`,
    `Certainty: ${certainty}.`,
    ...(recovery === undefined ? [] : [`Next: ${recovery}`]),
    ...(call === undefined ? [] : [`Call: ${call}`]),
    ...(detail === undefined ? [] : [`Detail: ${JSON.stringify(detail)}`]),
  ];
  return cut(lines.join('\n'), mcpLimits.failureTextBytes);
}

/** A text of at most so many bytes of UTF-8, never cut inside a character. */
function cut(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  return Buffer.from(text)
    .subarray(0, maxBytes)
    .toString('utf8')
    .replace(/\uFFFD+$/, '');
}
