import { FairleadError } from '@fairlead/base';
import type { EntryBody, TurnStatus } from '../entries/entry.ts';
import { fitText } from '../entries/fit-result.ts';
import { hostError } from '../errors.ts';
import type { LeakDetector } from '../leaks/leak-detector.ts';
import type { Ceiling } from '../models/step/attempt-ledger.ts';
import { ceilingError } from '../usage/ceiling-words.ts';
import { abortOf } from './turn-signal.ts';

/** How the steps of a turn came to their end. */
export interface TurnEnding {
  readonly status: TurnStatus;
  readonly code?: string;
  /** For who asked: the last words, or what went wrong. */
  readonly text: string;
  /** What is written before the `turn_end`. */
  readonly entries: readonly EntryBody[];
  readonly ceiling?: Ceiling;
}

/** Ended at once; what was said and done stands in the session. */
export function cancelledEnding(signal: AbortSignal): TurnEnding {
  const { code, message } = abortOf(signal);
  return { status: 'cancelled', code, text: message, entries: [] };
}

/** No further model call. */
export function ceilingEnding(turn: string, ceiling: Ceiling): TurnEnding {
  const { code, message } = ceilingError(ceiling);
  return {
    status: 'ceiling',
    code,
    text: message,
    entries: [{ type: 'error', code, text: message, turn }],
    ceiling,
  };
}

/** What went wrong is said in the session. Words of what has no code are nobody's to read. */
export function failedEnding(turn: string, thrown: unknown, leaks: LeakDetector): TurnEnding {
  const error = thrown instanceof FairleadError ? thrown : hostError('turn_failed');
  const { code } = error;
  const text = fitText(leaks.text(error.message).value);
  return { status: 'failed', code, text, entries: [{ type: 'error', code, text, turn }] };
}
