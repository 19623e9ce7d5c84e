import { canonicalJson } from '@fairlead/base';
import { turnLimits } from '../limits.ts';
import type { CallPart } from '../models/model.ts';

/** Notices a model that asks for the same calls again and again. */
export class LoopDetector {
  #last = '';
  #times = 0;

  /** Takes the calls of one reply. True where it is the third in a row to ask for the same set of names and arguments, in whatever order. */
  repeats(calls: readonly CallPart[]): boolean {
    const asked = [...new Set(calls.map(keyOf))].sort().join('\n');
    this.#times = asked === this.#last ? this.#times + 1 : 1;
    this.#last = asked;
    return this.#times >= turnLimits.sameCalls;
  }
}

function keyOf(call: CallPart): string {
  const given = 'arguments' in call ? canonicalJson(call.arguments) : JSON.stringify(call.unparsable);
  return `${JSON.stringify(call.name)} ${given}`;
}
