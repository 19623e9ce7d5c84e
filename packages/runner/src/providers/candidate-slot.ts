import type { Outcome } from '@fairlead/base';
import type { RunnerPayload } from '@fairlead/protocol';
import { type Answer, refusal } from '../provider/answer.ts';

/** What candidates are prepared for: only one of them at a time, whoever comes second is refused. */
export type CandidateOperation = 'check' | 'reload';

/** The one slot in which candidates are prepared (docs/reference/native-plugin-protocol.md §10). */
export class CandidateSlot {
  #isTaken = false;
  #isLaunching = false;
  #settled: Promise<unknown> = Promise.resolve();

  /** Resolves when what is in the slot has ended. */
  get settled(): Promise<unknown> {
    return this.#settled;
  }

  /** Programs are being started from now on: until the operation ends, what they did is not known otherwise. */
  launching(): void {
    this.#isLaunching = true;
  }

  /** Holds the slot for the start of the Runner. */
  async hold(work: Promise<unknown>): Promise<void> {
    this.#isTaken = true;
    this.#settled = work;
    try {
      await work;
    } finally {
      this.#isTaken = false;
    }
  }

  /** Carries out an operation with the slot in hand, or refuses it at once. */
  run(operation: CandidateOperation, answer: Answer, work: () => Promise<Outcome<RunnerPayload>>): void {
    if (this.#isTaken) {
      answer(refusal(`plugin_${operation}_busy`, 'not_started'));
      return;
    }
    this.#isTaken = true;
    this.#isLaunching = false;
    const finished = (outcome: Outcome<RunnerPayload>) => {
      this.#isTaken = false;
      answer(outcome);
    };
    const broken = () => finished(lostTrack(`plugin_${operation}_state_failed`, this.#isLaunching));
    this.#settled = work().then(finished, broken);
  }
}

/** A fault of Fairlead's own: once programs are being started, what they did until then is not known. */
function lostTrack(code: string, launching: boolean): Outcome<never> {
  if (!launching) return refusal(code, 'not_started');
  return refusal(
    code,
    'outcome_unknown',
    'The Runner lost track of its candidates; programs may have been started.',
  );
}
