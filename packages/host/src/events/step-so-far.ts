import type { DeltaEvent, SessionEvent } from './session-event.ts';

/** What the step that a model is at has said so far, for whoever comes late. */
export class StepSoFar {
  #turn = '';
  #step = -1;
  readonly #texts = new Map<DeltaEvent['what'], string>();

  /** Takes what happens in the session itself. */
  take(event: SessionEvent): void {
    if (event.kind === 'delta') this.#add(event);
    else if (event.kind === 'step_reset') this.#texts.clear();
    // A step that is over stands in its entries.
    else if (event.kind === 'state' && event.state !== 'model') this.#texts.clear();
  }

  /** Forgets a turn that is over. */
  over(turn: string): void {
    if (turn === this.#turn) this.#texts.clear();
  }

  get isEmpty(): boolean {
    return this.#texts.size === 0;
  }

  /** From the beginning of the step. */
  events(): readonly DeltaEvent[] {
    const at = { kind: 'delta', turn: this.#turn, step: this.#step } as const;
    return [...this.#texts].map(([what, text]) => ({ ...at, what, at: 0, text }));
  }

  #add({ turn, step, what, text }: DeltaEvent): void {
    if (turn !== this.#turn || step !== this.#step) {
      this.#texts.clear();
      this.#turn = turn;
      this.#step = step;
    }
    this.#texts.set(what, (this.#texts.get(what) ?? '') + text);
  }
}
