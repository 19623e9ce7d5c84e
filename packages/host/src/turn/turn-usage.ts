import type { EntryUsage } from '../entries/entry.ts';
import type { AttemptLedger } from '../models/step/attempt-ledger.ts';

const NOTHING: EntryUsage = { input: 0, output: 0, cached: 0, written: 0, reasoning: 0 };

/** What the attempts of one turn came to: the broken ones too, with what is known of them. */
export class TurnUsage {
  #usage = NOTHING;
  #nanousd: number | null = 0;

  get usage(): EntryUsage {
    return this.#usage;
  }

  /** Whole nano-dollars; null once an attempt had no price. */
  get nanousd(): number | null {
    return this.#nanousd;
  }

  /** The same ledger, counted here. `begun`: an attempt is let through and about to be made. */
  counted(ledger: AttemptLedger, begun: () => void): AttemptLedger {
    return {
      open: async (estimate) => {
        const opened = await ledger.open(estimate);
        if (!opened.ok) return opened;
        begun();
        return {
          ok: true,
          attempt: {
            settle: async (cost) => {
              const { input } = estimate;
              // First: what was used was used, whatever the store says of it.
              this.#add(cost.known ? cost.usage : { ...NOTHING, input, output: cost.output });
              const settled = await opened.attempt.settle(cost);
              const { nanousd } = settled;
              this.#nanousd = nanousd === null || this.#nanousd === null ? null : this.#nanousd + nanousd;
              return settled;
            },
          },
        };
      },
    };
  }

  #add(more: EntryUsage): void {
    const { input, output, cached, written, reasoning } = this.#usage;
    this.#usage = {
      input: input + more.input,
      output: output + more.output,
      cached: cached + more.cached,
      written: written + more.written,
      reasoning: reasoning + more.reasoning,
    };
  }
}
