import type { ClauseId } from '../clauses/clauses.ts';
import type { Plays } from './plays.ts';

/** What a Runner must do about a scenario. */
export type RunnerAnswer =
  /** It is not admitted: a check says the phase, the code and where there is one the diagnostic. */
  | {
      readonly at: 'start';
      readonly phase: 'initialize' | 'tools_list' | 'validation';
      readonly code: string;
      readonly diagnostic?: { readonly code: string; readonly tool?: string; readonly field?: string };
    }
  /** It is admitted, and a call of `echo` ends so. Where the code is null the result is handed on. */
  | {
      readonly at: 'call';
      readonly certainty: 'completed' | 'outcome_unknown';
      readonly code: string | null;
      /** What the instance is afterwards: `ready`, or the code that it was ended with. */
      readonly state: string;
    }
  /** It is admitted, and has no tool to call. */
  | { readonly at: 'ready' }
  /** It is admitted, and ended while nothing is asked; the first call afterwards answers that code, `not_started`. */
  | { readonly at: 'idle'; readonly code: string };

/** One way in which a plugin can break the wire, or use a freedom of it. */
export type Scenario = {
  readonly name: string;
  /** What the plugin does, in a few words. */
  readonly does: string;
  readonly runner: RunnerAnswer;
  /** The clause that the kit finds broken, and no other; null where there is nothing to find. */
  readonly clause: ClauseId | null;
  /** The time that a Runner should give a call of it, where it answers none; milliseconds. */
  readonly timeoutMs?: number;
  /** What the call of `echo` must carry for that; any object where it is absent. */
  readonly callArguments?: Readonly<Record<string, string>>;
  readonly plays: Plays;
};
