import type { JsonObject } from '@fairlead/base';
import { chatLimits } from '../../limits.ts';
import { word } from './block.ts';

/** What a turn does now. */
export type TurnState = {
  readonly state: string;
  readonly tool: string;
  readonly sinceMs: number;
};

/** A call that runs. */
export type RunningCall = {
  readonly tool: string;
  readonly extension: string;
  readonly arguments: string;
  readonly sinceMs: number;
  readonly progress: { readonly done: number; readonly total: number | null; readonly text: string } | null;
};

type StepText = {
  readonly turn: string;
  readonly step: number;
  readonly text: string;
  readonly reasoning: string;
};

/** What goes on and stands in no entry yet: states, words as they come, calls that run. */
export class LiveTurns {
  readonly #turns = new Map<string, TurnState>();
  readonly #calls = new Map<string, RunningCall>();
  /** Turns that are over: what is told of them late counts for nothing. */
  readonly #over = new Set<string>();
  #step: StepText | null = null;

  get states(): readonly TurnState[] {
    return [...this.#turns.values()];
  }

  get calls(): readonly RunningCall[] {
    return [...this.#calls.values()];
  }

  /** What the running step said so far. */
  get words(): { readonly text: string; readonly reasoning: string } {
    return this.#step ?? { text: '', reasoning: '' };
  }

  get isRunning(): boolean {
    return this.#turns.size > 0;
  }

  /** An event of the stream that is no entry. */
  hear(event: string, data: JsonObject, nowMs: number): void {
    const turn = word(data['turn']);
    const { step } = data;
    if (event === 'state') this.#state(turn, data, nowMs);
    else if (event === 'delta' && typeof step === 'number' && !this.#over.has(turn))
      this.#delta(turn, step, data);
    else if (event === 'step_reset' && this.#step?.turn === turn && this.#step.step === step)
      this.#step = null;
    else if (event === 'progress') this.#progress(data);
  }

  #state(turn: string, data: JsonObject, nowMs: number): void {
    if (turn === '' || this.#over.has(turn)) return;
    const before = this.#turns.get(turn);
    const state = word(data['state']);
    const tool = word(data['tool']);
    const isSame = before?.state === state && before.tool === tool;
    this.#turns.set(turn, { state, tool, sinceMs: isSame ? before.sinceMs : nowMs });
  }

  #delta(turn: string, step: number, data: JsonObject): void {
    const { at, kind, text } = data;
    if (typeof at !== 'number' || typeof text !== 'string') return;
    const same = this.#step?.turn === turn && this.#step.step === step ? this.#step : null;
    const base = same ?? { turn, step, text: '', reasoning: '' };
    const put = (before: string) => `${before.slice(0, at)}${text}`.slice(0, chatLimits.wordsCharacters);
    if (kind === 'text') this.#step = { ...base, text: put(base.text) };
    else if (kind === 'reasoning') this.#step = { ...base, reasoning: put(base.reasoning) };
  }

  #progress(data: JsonObject): void {
    const call = this.#calls.get(word(data['call']));
    const { done, total, text } = data;
    if (call === undefined || typeof done !== 'number') return;
    const progress = { done, total: typeof total === 'number' ? total : null, text: word(text) };
    this.#calls.set(word(data['call']), { ...call, progress });
  }

  /** A call has begun. */
  begin(id: string, call: RunningCall): void {
    this.#calls.set(id, call);
  }

  /** A call has ended: what is known of its beginning. */
  end(id: string): RunningCall | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    return call;
  }

  /** What the step said is an entry now. */
  told(turn: string): void {
    if (this.#step?.turn === turn) this.#step = null;
  }

  /** A turn is over. */
  over(turn: string): void {
    this.#over.add(turn);
    for (const oldest of this.#over) {
      if (this.#over.size <= chatLimits.turnsOver) break;
      this.#over.delete(oldest);
    }
    this.nothing();
  }

  /** Nothing runs. */
  nothing(): void {
    this.#turns.clear();
    this.#calls.clear();
    this.#step = null;
  }

  /** The host says what runs, as `running` of a session does. */
  running(turn: string, data: JsonObject, nowMs: number): void {
    this.#state(turn, data, nowMs);
  }
}
