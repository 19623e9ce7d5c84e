import type { NewEntry } from '../authoring/context.ts';
import { extensionError } from '../errors.ts';
import type { Json, JsonObject } from '../json/json.ts';
import type { CapabilityRequest, Manifest } from '../manifest/manifest.ts';
import type { CallId, CallRequest } from './carrier.ts';

/** A question of an extension to its host, as plain data. */
export type Ask =
  | {
      readonly op: 'session.read';
      readonly session: string;
      readonly last: number;
      readonly before?: string;
    }
  | ({ readonly op: 'session.append'; readonly session: string } & NewEntry)
  | { readonly op: 'session.open'; readonly id: string }
  | { readonly op: 'settings.save'; readonly session: string; readonly patch: JsonObject }
  | {
      readonly op: 'cap.call';
      readonly call: CallId;
      readonly alias: string;
      readonly method: string;
      readonly input: Json;
    }
  | { readonly op: 'progress'; readonly call: CallId; readonly text: string }
  | { readonly op: 'agent_state.resolve'; readonly agent: string }
  | { readonly op: 'agent_state.read'; readonly agent: string; readonly place: JsonObject }
  | { readonly op: 'agent_state.write'; readonly agent: string; readonly place: JsonObject };

/** One line for the operator. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn';
  readonly message: string;
  readonly data?: Json;
}

/** What an extension may reach: the host that the hub is, or the harness plays. */
export interface HostSide {
  /**
   * Answers an ask, or rejects with an error that has a code. `caller` is the request of the call that asks, as the host made
   * it (from a tier that is reached by frames, for a question about a session: of a call of that session); absent for what a
   * scope asks. The manifest has been consulted.
   */
  ask(ask: Ask, caller: CallRequest | undefined): Json | Promise<Json>;
  log(line: LogLine): void;
  /** The tools of an instance have changed: `open` it again to learn them. */
  changed(instance: string): void;
}

const NEEDS: Readonly<Record<Ask['op'], string | undefined>> = Object.freeze({
  'session.read': 'session_read',
  'session.append': 'session_write',
  'session.open': 'session_write',
  'settings.save': 'settings',
  'cap.call': undefined,
  progress: undefined,
  'agent_state.resolve': 'agent_state_admin',
  'agent_state.read': 'agent_state_admin',
  'agent_state.write': 'agent_state_admin',
});

/** Refuses an ask that the manifest does not allow: `capability_not_declared`. */
export function checkAsk(manifest: Manifest, op: Ask['op']): void {
  const kind = NEEDS[op];
  if (kind === undefined) return;
  const declared = (request: CapabilityRequest) => request.kind === kind;
  if (!manifest.requires.some(declared) && !manifest.requests.some(declared))
    throw extensionError('capability_not_declared', kind);
}

/** A fault as it crosses a border. */
export interface WireFault {
  readonly code: string;
  readonly message: string;
}
