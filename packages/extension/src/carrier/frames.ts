import type { Certainty } from '../errors.ts';
import { deepFreeze } from '../json/deep-freeze.ts';
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import { utf8Length } from '../json/plain-json.ts';
import { FRAME_MAX_BYTES } from '../limits.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { Ask, LogLine, WireFault } from './ask.ts';
import type { CallRequest, OpenRequest } from './carrier.ts';

/** What the host says. */
export type HostFrame =
  | ({ readonly frame: 'open'; readonly id: number } & OpenRequest)
  | ({ readonly frame: 'call'; readonly id: number } & Omit<CallRequest, 'running'>)
  | { readonly frame: 'close'; readonly id: number; readonly instance: string }
  /** Aborts a call; a second one ends it. */
  | { readonly frame: 'abort'; readonly id: number }
  | { readonly frame: 'answer'; readonly id: number; readonly value: Json }
  | { readonly frame: 'answer'; readonly id: number; readonly fault: WireFault }
  | { readonly frame: 'ping' }
  /** Nothing runs by itself any more; calls go on. */
  | { readonly frame: 'quiet' }
  | { readonly frame: 'stop' };

/** What an extension says. */
export type GuestFrame =
  | { readonly frame: 'ready'; readonly manifest: Manifest }
  | { readonly frame: 'failed'; readonly code: string; readonly message: string }
  | { readonly frame: 'result'; readonly id: number; readonly value: Json }
  | ({
      readonly frame: 'fault';
      readonly id: number;
      readonly certainty?: Certainty;
      readonly detail?: JsonObject;
    } & WireFault)
  | { readonly frame: 'ask'; readonly id: number; readonly op: Ask }
  | { readonly frame: 'pong' }
  | { readonly frame: 'changed'; readonly instance: string }
  | ({ readonly frame: 'log' } & LogLine);

/** Where frames go, as texts in order. */
export interface FramePort {
  post(text: string): void;
}

/** The text of a frame, or undefined where it is 1 MiB or more. */
export function frameText(frame: HostFrame | GuestFrame): string | undefined {
  const text = JSON.stringify(frame);
  return text.length * 3 >= FRAME_MAX_BYTES && utf8Length(text) >= FRAME_MAX_BYTES ? undefined : text;
}

/** A frame that arrived, frozen; undefined for what is none. Its kind is checked here, its members by who reads it. */
export function readFrame<F extends HostFrame | GuestFrame>(text: unknown): F | undefined {
  if (typeof text !== 'string' || text.length >= FRAME_MAX_BYTES) return undefined;
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJsonObject(frame) || typeof frame['frame'] !== 'string') return undefined;
  return deepFreeze(frame) as unknown as F;
}
