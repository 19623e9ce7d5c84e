import { encodeJson, isJsonObject, type Json, type JsonObject, parseJson } from '@fairlead/base';
import { z } from 'zod';
import { linkBounds, linkLimits } from './limits.ts';
import { isCode, isLinkName, isOpaqueId, isText } from './names.ts';
import { type RunnerRequest, readRunnerRequest } from './runner-request.ts';
import { type RunnerResponse, readRunnerResponse } from './runner-response.ts';

/** The first frame of a Runner: who it is. No path, command or provider of it is told. */
export type RegisterFrame = {
  readonly type: 'register';
  readonly runner_id: string;
  /** One per Runner process. */
  readonly instance_id: string;
  /** Counts the connections of that process from 1, so that an old one cannot speak after a new one. */
  readonly connection_epoch: number;
  readonly name?: string;
  readonly capabilities: readonly string[];
  readonly projects: readonly { readonly id: string; readonly name: string; readonly kind: string }[];
};

/** What has changed of a `register` since: the whole of it, `name` absent where the Runner has none. */
export type InventoryFrame = {
  readonly type: 'inventory';
  readonly name?: string;
  readonly projects: RegisterFrame['projects'];
};

/** A request to a Runner. `id` is unique on its connection; `deadline_ms` is what is left of the budget. */
export type RequestFrame = {
  readonly type: 'request';
  readonly id: number;
  /** The journal's id of the invocation, where there is one. */
  readonly call?: string;
  readonly deadline_ms: number;
  readonly request: RunnerRequest;
};

/** A Runner's answer to the request of the same id. */
export type ResultFrame = {
  readonly type: 'result';
  readonly id: number;
  readonly response: RunnerResponse;
};

/** A call that was answered `running` on this connection has ended: its outcome can be asked for again. */
type EndedFrame = { readonly type: 'ended'; readonly call: string };

/** One text frame of the Runner link (docs/reference/native-plugin-protocol.md §15). */
export type LinkFrame =
  | RegisterFrame
  | InventoryFrame
  | { readonly type: 'registered' }
  | RequestFrame
  | ResultFrame
  | EndedFrame
  | { readonly type: 'ping' | 'pong'; readonly ts: number }
  | { readonly type: 'goodbye' }
  | { readonly type: 'error'; readonly code: string; readonly message: string };

/** Which end of the link wrote a frame; each may write only its own kinds. */
export type LinkSender = 'runner' | 'gateway';

/**
 * Why a frame is refused. `link_frame_*`: the link itself is broken. `invalid_plugin_request`, `invalid_plugin_response`:
 * the frame is good and what it carries is not; `id` says which request that is.
 */
export type LinkFrameFault =
  | {
      readonly ok: false;
      readonly code: 'link_frame_too_large' | 'link_frame_malformed' | 'link_frame_invalid';
    }
  | {
      readonly ok: false;
      readonly code: 'invalid_plugin_request' | 'invalid_plugin_response';
      readonly id: number;
    };

/** A frame, or why it is refused. */
export type LinkFrameParse = { readonly ok: true; readonly frame: LinkFrame } | LinkFrameFault;

/** Reads one frame that `sender` wrote. Unknown types and members are refused. */
export function parseLinkFrame(bytes: Uint8Array, sender: LinkSender): LinkFrameParse {
  const parsed = parseJson(bytes, linkBounds);
  if (!parsed.ok) {
    return { ok: false, code: parsed.fault === 'bytes' ? 'link_frame_too_large' : 'link_frame_malformed' };
  }
  const frame = parsed.value;
  if (!isJsonObject(frame)) return INVALID;
  // These two carry every call and are read by hand; the others come a few times per connection.
  if (frame['type'] === 'request') return sender === 'gateway' ? readRequestFrame(frame) : INVALID;
  if (frame['type'] === 'result') return sender === 'runner' ? readResultFrame(frame) : INVALID;
  const known = (sender === 'runner' ? runnerFrame : gatewayFrame).safeParse(frame).success;
  return known ? { ok: true, frame: frame as unknown as LinkFrame } : INVALID;
}

/** Writes one frame. Throws on what is not JSON; its size is its sender's to bound. */
export function encodeLinkFrame(frame: LinkFrame): string {
  return encodeJson(frame);
}

/** Writes a result frame around a response that is JSON text already, so that what is kept is encoded once. */
export function encodeResultFrame(id: number, responseText: string): string {
  return `{"type":"result","id":${id},"response":${responseText}}`;
}

const INVALID: LinkFrameFault = Object.freeze({ ok: false, code: 'link_frame_invalid' });

function readRequestFrame(frame: JsonObject): LinkFrameParse {
  const { id, call, deadline_ms: deadlineMs } = frame;
  if (!isRequestId(id) || Object.keys(frame).length !== (call === undefined ? 4 : 5)) return INVALID;
  if (call !== undefined && !isOpaqueId(call)) return INVALID;
  if (typeof deadlineMs !== 'number' || deadlineMs < 0 || deadlineMs > linkLimits.deadlineMaxMs)
    return INVALID;
  const request = readRunnerRequest(frame['request']);
  if (request === null) return { ok: false, code: 'invalid_plugin_request', id };
  return { ok: true, frame: frame as unknown as RequestFrame };
}

function readResultFrame(frame: JsonObject): LinkFrameParse {
  const { id } = frame;
  if (!isRequestId(id) || Object.keys(frame).length !== 3) return INVALID;
  const response = readRunnerResponse(frame['response']);
  if (response === null) return { ok: false, code: 'invalid_plugin_response', id };
  return { ok: true, frame: frame as unknown as ResultFrame };
}

function isRequestId(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
}

const linkName = z.custom<string>(isLinkName);
const inventory = {
  name: linkName.optional(),
  projects: z
    .array(z.strictObject({ id: linkName, name: linkName, kind: linkName }))
    .max(linkLimits.maxProjects),
};

const sharedFrames = [
  z.strictObject({ type: z.enum(['ping', 'pong']), ts: z.number() }),
  z.strictObject({ type: z.literal('goodbye') }),
  z.strictObject({
    type: z.literal('error'),
    code: z.custom<string>(isCode),
    message: z.custom<string>((value) => isText(value, 1, linkLimits.messageMaxBytes)),
  }),
] as const;

const runnerFrame = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('register'),
    runner_id: linkName,
    instance_id: z.custom<string>(isOpaqueId),
    connection_epoch: z.int().min(1),
    capabilities: z.array(z.custom<string>(isCode)).max(linkLimits.maxCapabilities),
    ...inventory,
  }),
  z.strictObject({ type: z.literal('inventory'), ...inventory }),
  z.strictObject({ type: z.literal('ended'), call: z.custom<string>(isOpaqueId) }),
  ...sharedFrames,
]);

const gatewayFrame = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('registered') }),
  ...sharedFrames,
]);
