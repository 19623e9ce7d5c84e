import type { Clock, Timer } from '@fairlead/base';
import { limits } from '../limits.ts';

type Kept = { readonly text: string; readonly bytes: number; readonly untilMs: number };

/** The last answers of this process as the text that was sent, by call id: so many, so large, so long, oldest first to go. */
export class KeptAnswers {
  readonly #clock: Clock;
  readonly #answers = new Map<string, Kept>();
  #bytes = 0;
  #timer: Timer | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  has(call: string): boolean {
    return this.get(call) !== undefined;
  }

  /** The answer's text, undefined when it is not kept any more. */
  get(call: string): string | undefined {
    const kept = this.#answers.get(call);
    return kept === undefined || kept.untilMs <= this.#clock.monotonicMs() ? undefined : kept.text;
  }

  keep(call: string, text: string): void {
    const bytes = Buffer.byteLength(text);
    this.#answers.set(call, { text, bytes, untilMs: this.#clock.monotonicMs() + limits.keptAnswersMs });
    this.#bytes += bytes;
    while (this.#answers.size > limits.keptAnswersMax || this.#bytes > limits.keptAnswersMaxBytes)
      this.#dropOldest();
    this.#timer ??= this.#armed(limits.keptAnswersMs);
  }

  close(): void {
    this.#timer?.cancel();
    this.#timer = null;
  }

  /** One timer for all of them: they are as old as their order. */
  #armed(delayMs: number): Timer {
    return this.#clock.setTimer(delayMs, () => this.#expire(), { unref: true });
  }

  #expire(): void {
    this.#timer = null;
    const nowMs = this.#clock.monotonicMs();
    for (const { untilMs } of this.#answers.values()) {
      if (untilMs > nowMs) {
        this.#timer = this.#armed(untilMs - nowMs);
        return;
      }
      this.#dropOldest();
    }
  }

  #dropOldest(): void {
    for (const [call, { bytes }] of this.#answers) {
      this.#answers.delete(call);
      this.#bytes -= bytes;
      return;
    }
  }
}
