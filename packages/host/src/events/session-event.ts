import type { ApprovalState } from '../approvals/approval-rows.ts';
import type { Entry, UnknownEntry } from '../entries/entry.ts';

/** A piece of a reply as it comes. `at`: where it stands in what its step said so far, in UTF-16 units. */
export interface DeltaEvent {
  readonly kind: 'delta';
  readonly turn: string;
  readonly step: number;
  readonly what: 'text' | 'reasoning' | 'arguments';
  readonly at: number;
  readonly text: string;
}

/** What a turn does now. `tool`: the one that runs, or that somebody is asked about. */
export interface StateEvent {
  readonly kind: 'state';
  readonly turn: string;
  readonly agent: string;
  readonly state: 'queued' | 'model' | 'tool' | 'approval';
  readonly tool?: string;
}

/** What happens in a session while it happens; nothing of it is stored. docs/reference/agents.md has the stream over HTTP. */
export type SessionEvent =
  | DeltaEvent
  /** The attempt broke: what its step said so far is void. */
  | { readonly kind: 'step_reset'; readonly turn: string; readonly step: number }
  | StateEvent
  | {
      readonly kind: 'progress';
      readonly call: string;
      readonly done: number;
      readonly total?: number;
      readonly text: string;
    }
  | { readonly kind: 'approval'; readonly approval: string; readonly state: ApprovalState };

/**
 * What a subscriber hears: besides, every entry as it arrives, and that it missed some. `cursor` is this peer's number behind which it goes
 * on when it comes back; of entries that were written together all but the last have the number before, so that none is missed.
 */
export type HeardEvent =
  | SessionEvent
  | { readonly kind: 'entry'; readonly cursor: number; readonly entry: Entry | UnknownEntry }
  /** Read the entries again: what came between is not sent. */
  | { readonly kind: 'reset' };

/** Takes an event; false where it is too far behind to take it (1 MiB of a stream): it will hear `reset` in its place. */
export type EventSink = (event: HeardEvent) => boolean;

/** One who listens. */
export interface Subscription {
  /** To be called when a sink that answered false can take events again. */
  drained(): void;
  /** Ends it; twice is once. */
  close(): void;
}
