import type { SessionEvent } from '../events/session-event.ts';
import type { StepEvent } from '../models/step/run-step.ts';

/** Shows what a step of a turn says while it says it, each piece with where it stands in the whole. */
export class StepShower {
  readonly #emit: (event: SessionEvent) => void;
  readonly #turn: string;
  readonly #step: number;
  #said = { text: 0, reasoning: 0 };

  constructor(turn: string, step: number, emit: (event: SessionEvent) => void) {
    this.#turn = turn;
    this.#step = step;
    this.#emit = emit;
  }

  show(event: StepEvent): void {
    const { type } = event;
    const place = { turn: this.#turn, step: this.#step };
    if (type === 'step_reset') {
      this.#said = { text: 0, reasoning: 0 };
      this.#emit({ kind: 'step_reset', ...place });
      return;
    }
    const { delta } = event;
    this.#emit({ kind: 'delta', ...place, what: type, at: this.#said[type], text: delta });
    this.#said[type] += delta.length;
  }
}
