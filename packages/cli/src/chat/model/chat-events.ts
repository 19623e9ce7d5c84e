import type { JsonObject } from '@fairlead/base';
import type { Key } from '../terminal/key-decoder.ts';
import type { Question } from './block.ts';
import type { Names } from './completion.ts';

/** A session as a chat shows it. */
export type SessionShown = {
  readonly id: string;
  readonly name: string;
  /** Names of those that take part, the one that answers first. */
  readonly agents: readonly string[];
  readonly model: string;
  readonly mode: string;
  readonly isClosed: boolean;
  readonly running: JsonObject | null;
};

/** What a chat hears: of a person, of the host, of the time. */
export type ChatEvent =
  | { readonly kind: 'key'; readonly key: Key }
  | { readonly kind: 'resized'; readonly columns: number; readonly rows: number }
  | { readonly kind: 'tick' }
  /** A session is there, with its newest entries, oldest first; `isNew`: it was not the one before. */
  | {
      readonly kind: 'opened';
      readonly session: SessionShown;
      readonly entries: readonly JsonObject[];
      readonly before: string | null;
      readonly isNew: boolean;
    }
  | { readonly kind: 'session'; readonly session: SessionShown }
  | { readonly kind: 'link'; readonly isLive: boolean }
  | { readonly kind: 'stream'; readonly event: string; readonly data: JsonObject }
  | { readonly kind: 'older'; readonly entries: readonly JsonObject[]; readonly before: string | null }
  | { readonly kind: 'questions'; readonly questions: readonly Question[] }
  | { readonly kind: 'names'; readonly names: Names }
  /** The host has a message: `entry` is its id there; `isHeard`: an agent answers it. */
  | { readonly kind: 'posted'; readonly message: number; readonly entry: string; readonly isHeard: boolean }
  | { readonly kind: 'unposted'; readonly message: number; readonly fault: Fault }
  /** What runs was to be cancelled; false where nothing ran, or the host did not hear of it. */
  | { readonly kind: 'cancelled'; readonly wasRunning: boolean }
  /** Whether the host is paused; what it says of that, where it is. */
  | { readonly kind: 'paused'; readonly fault: Fault | null }
  | { readonly kind: 'answered'; readonly line: string; readonly text: string }
  | { readonly kind: 'failed'; readonly line: string | null; readonly fault: Fault };

/** What a request was refused with. */
export type Fault = { readonly code: string; readonly message: string; readonly next: string | null };

/** What a chat wants done. */
export type ChatWish =
  | { readonly do: 'post'; readonly message: number; readonly text: string }
  | { readonly do: 'command'; readonly line: string }
  | { readonly do: 'cancel' }
  | { readonly do: 'decide'; readonly approval: string; readonly decision: string }
  | { readonly do: 'paused' }
  | { readonly do: 'questions' }
  | { readonly do: 'session' }
  | { readonly do: 'names' }
  | { readonly do: 'older'; readonly before: string }
  | { readonly do: 'clear' }
  | { readonly do: 'leave' };
