import { isJsonObject, type Json, type JsonObject } from '../json/json.ts';
import type { Ask } from './ask.ts';
import { type GuestFrame, readFrame } from './frames.ts';

const CERTAINTIES: ReadonlySet<unknown> = new Set(['not_started', 'completed', 'outcome_unknown', undefined]);

/** A frame of an extension with every member checked; undefined for what is none. */
export function readGuestFrame(text: unknown): GuestFrame | undefined {
  const frame = readFrame<GuestFrame>(text);
  if (frame === undefined) return undefined;
  return hasForm(frame as unknown as JsonObject) ? frame : undefined;
}

function hasForm(frame: JsonObject): boolean {
  const { id, code, message } = frame;
  switch (frame['frame']) {
    case 'ready':
      return isJsonObject(frame['manifest']);
    case 'failed':
      return typeof code === 'string' && typeof message === 'string';
    case 'result':
      return typeof id === 'number' && frame['value'] !== undefined;
    case 'fault':
      return (
        typeof id === 'number' &&
        typeof code === 'string' &&
        typeof message === 'string' &&
        CERTAINTIES.has(frame['certainty']) &&
        (frame['detail'] === undefined || isJsonObject(frame['detail']))
      );
    case 'ask':
      return typeof id === 'number' && isAsk(frame['op']);
    case 'pong':
      return true;
    case 'changed':
      return typeof frame['instance'] === 'string';
    case 'log':
      return typeof message === 'string' && ['debug', 'info', 'warn'].includes(String(frame['level']));
    default:
      return false;
  }
}

/** Whether a value is one of the asks, with members of the right types. */
function isAsk(op: Json | undefined): op is Ask & JsonObject {
  if (!isJsonObject(op)) return false;
  const text = (name: string) => typeof op[name] === 'string';
  const call = typeof op['call'] === 'string' || typeof op['call'] === 'number';
  switch (op['op']) {
    case 'session.read':
      return text('session') && isCount(op['last']) && (op['before'] === undefined || text('before'));
    case 'session.append':
      return (
        text('session') &&
        text('text') &&
        (op['type'] === 'message' || op['type'] === 'directive') &&
        isSpeaker(op['from'])
      );
    case 'session.open':
      return text('id');
    case 'settings.save':
      return text('session') && isJsonObject(op['patch']);
    case 'cap.call':
      return call && text('alias') && text('method') && op['input'] !== undefined;
    case 'progress':
      return call && text('text');
    case 'agent_state.resolve':
      return text('agent');
    case 'agent_state.read':
    case 'agent_state.write':
      return text('agent') && isJsonObject(op['place']);
    default:
      return false;
  }
}

function isCount(value: Json | undefined): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 200;
}

function isSpeaker(from: Json | undefined): boolean {
  if (from === undefined) return true;
  if (!isJsonObject(from) || typeof from['id'] !== 'string') return false;
  return from['name'] === undefined || typeof from['name'] === 'string';
}
