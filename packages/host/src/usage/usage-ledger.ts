import type { Clock } from '@fairlead/base';
import type { Store } from '@fairlead/store';
import type { Price } from '../models/configuration/backend.ts';
import type { ModelUsage } from '../models/model.ts';
import type { AttemptLedger, Ceiling, OpenAttempt } from '../models/step/attempt-ledger.ts';
import { CalendarDays } from './calendar-day.ts';
import { type Amount, type Ceilings, reachedBy, type UsageSettings } from './ceilings.ts';
import { nanousdOf } from './price.ts';
import { type RunningSum, RunningSums } from './running-sums.ts';
import { type SessionCost, type SumKey, UsageRows, type UsageSubject } from './usage-rows.ts';

/** What the disk does not take now, as a host keeps it. */
interface OwedCorrections {
  /** Writes, where the disk does not take it once it does; `waits` hears then at once. */
  written(of: string, write: () => Promise<void>, waits: () => void): Promise<void>;
  /** Rejects with the fault of the disk while something is owed. */
  behind(of: string): Promise<void>;
}

export interface UsageLedgerOptions {
  readonly store: Store;
  readonly owed: OwedCorrections;
  readonly clock: Clock;
  readonly settings: Pick<UsageSettings, 'ceilings' | 'zone'>;
}

/** A model as far as its cost is concerned. */
export interface PricedModel {
  /** `backend/model`. */
  readonly ref: string;
  readonly price?: Price;
}

/** Whose corrections are owed. They are no session's: no end there waits for them. */
const OF = 'usage';

const NOTHING_USED = Object.freeze({ output: 0, cached: 0, written: 0, reasoning: 0 });

/**
 * What calls of models cost, and when it is enough. An attempt is reserved, written down with its estimate, made, and corrected. What is
 * used, what is reserved and what is asked for stay below every ceiling together, however many ask at once.
 */
export class UsageLedger {
  readonly #rows: UsageRows;
  readonly #owed: OwedCorrections;
  readonly #sums: RunningSums;
  readonly #clock: Clock;
  readonly #ceilings: Ceilings;
  readonly #days: CalendarDays;
  #seq: number;

  private constructor({ owed, clock, settings }: UsageLedgerOptions, rows: UsageRows, last: number) {
    this.#rows = rows;
    this.#owed = owed;
    this.#sums = new RunningSums((key) => rows.sum(key));
    this.#clock = clock;
    this.#ceilings = settings.ceilings;
    this.#days = new CalendarDays(settings.zone);
    this.#seq = last;
  }

  /** Opens the ledger over a store of which this process is the only writer. */
  static async open(options: UsageLedgerOptions): Promise<UsageLedger> {
    const rows = new UsageRows(options.store);
    return new UsageLedger(options, rows, await rows.last());
  }

  /** The ledger of one step, as `runStep` takes it. */
  attempts(subject: UsageSubject, model: PricedModel): AttemptLedger {
    return { open: ({ input }) => this.#open(subject, model, input) };
  }

  /** The ceiling that is reached already, or null: asked before a call of a tool starts. */
  reached(subject: Omit<UsageSubject, 'turn'>): Promise<Ceiling | null> {
    const keys = this.#keys(subject, this.#clock.wallMs());
    return this.#sums.with(keys, (sums) => this.#firstReached(keys, sums, { tokens: 0, nanousd: 0 }));
  }

  /** What is used and reserved, by scope. */
  async totals(subject: Omit<UsageSubject, 'turn'>): Promise<Readonly<Record<Ceiling['scope'], Amount>>> {
    const keys = this.#keys(subject, this.#clock.wallMs());
    const [turn, session, agentDay, day] = await this.#sums.with(keys, (sums) =>
      sums.map(({ total }) => total),
    );
    const none = { tokens: 0, nanousd: 0 };
    return { turn: turn ?? none, session: session ?? none, agent_day: agentDay ?? none, day: day ?? none };
  }

  /** What a session spent, by model. */
  costs(session: string): Promise<readonly SessionCost[]> {
    return this.#rows.costs(session);
  }

  /** When the day that counts now ends, by the wall clock: until then what a day's ceiling paused stays paused. */
  dayEndsAtMs(): number {
    return this.#days.endMs(this.#clock.wallMs());
  }

  async #open(
    subject: UsageSubject,
    { ref, price }: PricedModel,
    input: number,
  ): Promise<
    { readonly ok: true; readonly attempt: OpenAttempt } | { readonly ok: false; readonly ceiling: Ceiling }
  > {
    // So that no more is owed than was under way together.
    await this.#owed.behind(OF);
    const at = this.#clock.wallMs();
    const usage = { ...NOTHING_USED, input };
    const nanousd = nanousdOf(usage, price);
    const keys = this.#keys(subject, at);
    const reserved = { tokens: input, nanousd: nanousd ?? 0 };
    const taken = await this.#sums.with(keys, (sums) => {
      const ceiling = this.#firstReached(keys, sums, { tokens: input, nanousd });
      if (ceiling !== null) return { ok: false as const, ceiling };
      for (const sum of sums) sum.reserve(reserved);
      return { ok: true as const, sums };
    });
    if (!taken.ok) return taken;
    const { sums } = taken;
    this.#seq += 1;
    const seq = this.#seq;
    const { turn, root, session, agent } = subject;
    const row = { seq, at, day: this.#days.dayOf(at), turn, root, session, agent, model: ref };
    try {
      await this.#rows.insert({ ...row, ...usage, nanousd, estimated: true });
    } catch (thrown) {
      close(sums, reserved, { tokens: 0, nanousd: 0 });
      throw thrown;
    }
    let settled = false;
    const settle: OpenAttempt['settle'] = async (cost) => {
      if (settled) throw new Error('an attempt is settled once');
      settled = true;
      const final: ModelUsage = cost.known ? cost.usage : { ...usage, output: cost.output };
      const spent = nanousdOf(final, price);
      const used = { tokens: final.input + final.output, nanousd: spent ?? 0 };
      // In memory at once, so that nobody is let through by what the disk does not know yet.
      for (const sum of sums) sum.settle(reserved, used);
      await this.#correct(
        () => this.#rows.correct(seq, final, spent, !cost.known),
        () => {
          for (const sum of sums) sum.release();
        },
      );
      return { nanousd: spent };
    };
    return { ok: true, attempt: { settle } };
  }

  /**
   * A reply has been paid for whether the disk can count it or not: nobody waits for the disk. A host that stops before there is room leaves the
   * estimate, as one that is killed does.
   */
  async #correct(write: () => Promise<void>, over: () => void): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#owed
      .written(OF, write, () => resolve())
      .finally(over)
      .then(() => resolve(), reject);
    await promise;
  }

  #keys({ root, session, agent }: Omit<UsageSubject, 'turn'>, atMs: number): readonly SumKey[] {
    const day = this.#days.dayOf(atMs);
    return [
      { scope: 'turn', root },
      { scope: 'session', session },
      { scope: 'agent_day', agent, day },
      { scope: 'day', day },
    ];
  }

  #firstReached(
    keys: readonly SumKey[],
    sums: readonly RunningSum[],
    more: { readonly tokens: number; readonly nanousd: number | null },
  ): Ceiling | null {
    const { turn, session, agentDay, day } = this.#ceilings;
    const limits = { turn, session, agent_day: agentDay, day };
    for (const [index, { scope }] of keys.entries()) {
      const used = sums[index]?.total;
      const ceiling = used === undefined ? null : reachedBy(scope, limits[scope], used, more);
      if (ceiling !== null) return ceiling;
    }
    return null;
  }
}

function close(sums: readonly RunningSum[], reserved: Amount, used: Amount): void {
  for (const sum of sums) {
    sum.settle(reserved, used);
    sum.release();
  }
}
