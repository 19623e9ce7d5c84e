import type { ClauseId } from '../clauses/clauses.ts';
import type { Plays } from './plays.ts';
import type { Scenario } from './scenario.ts';

// The shapes that most scenarios have: what a Runner answers to a fault of this kind.

type Row = Pick<Scenario, 'timeoutMs' | 'callArguments'> & {
  readonly name: string;
  readonly does: string;
  readonly code: string;
  readonly clause: ClauseId | null;
  readonly plays: Plays;
};

/** How long a call may take that is never answered: long enough for one that is, on a busy machine. */
export const UNANSWERED_MS = 300;
/** The same for a start, which a Runner gives a second at least. */
export const UNSTARTED_MS = 1_000;

/** It breaks before its tools are admitted. */
export function atStart(phase: 'initialize' | 'tools_list', { code, ...rest }: Row): Scenario {
  return { ...rest, runner: { at: 'start', phase, code } };
}

/** A call whose effect nobody can know, and the end of the instance. */
export function unknown({ code, ...rest }: Row): Scenario {
  return { ...rest, runner: { at: 'call', certainty: 'outcome_unknown', code, state: code } };
}

/** An answer that came and is none that may be handed on: the call has run, and the instance is ended. */
export function badResult({ code, ...rest }: Row): Scenario {
  return { ...rest, runner: { at: 'call', certainty: 'completed', code, state: code } };
}

/** It breaks while nothing is asked. */
export function idle({ code, ...rest }: Row): Scenario {
  return { ...rest, runner: { at: 'idle', code } };
}

/** A plugin that a Runner can use, whatever else is odd about it. */
export function usable(name: string, does: string, plays: Plays, clause: ClauseId | null = null): Scenario {
  return {
    name,
    does,
    plays,
    clause,
    runner: { at: 'call', certainty: 'completed', code: null, state: 'ready' },
  };
}
