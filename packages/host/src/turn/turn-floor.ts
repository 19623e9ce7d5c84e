import type { CallFloor } from '../calls/call-floor.ts';
import type { AddedText } from '../context/beyond-share.ts';
import type { SessionEvents } from '../events/session-events.ts';
import type { Models } from '../models/models.ts';
import type { ModelCallGate } from '../models/step/model-call-gate.ts';
import type { Offers } from './offers.ts';
import type { RunningTurns } from './running-turns.ts';

/** What of an extension did not reach the model in a turn. */
export interface LeftOut {
  readonly text: AddedText;
  readonly session: string;
  readonly turn: string;
}

/** What a turn works with; the caller's to close. */
export interface TurnFloor extends CallFloor {
  readonly models: Models;
  readonly gate: ModelCallGate;
  readonly events: SessionEvents;
  readonly turns: RunningTurns;
  readonly offers: Offers;
  /** Told once in a turn of each extension and kind. It must not throw. */
  readonly leftOut: (left: LeftOut) => void;
  /** The folder of a session on this machine, absolute; made where it had none. */
  workspace(session: string): Promise<string>;
}
