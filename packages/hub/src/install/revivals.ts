import type { Clock, Timer } from '@fairlead/base';
import { sameManifest } from '@fairlead/extension/runtime';
import { hubErrors } from '../errors.ts';
import { pauseMs } from '../failures/backoff.ts';
import type { FailureBook } from '../failures/failure-book.ts';
import type { Fault } from '../failures/fault.ts';
import { hubLimits } from '../limits.ts';
import type { Report } from '../report.ts';
import { type Births, endCarrier } from './births.ts';
import type { Generation } from './generation.ts';
import type { GenerationInstances } from './generation-instances.ts';
import type { Gone } from './installed.ts';
import type { Lanes } from './lanes.ts';
import type { Roster } from './roster.ts';

export interface RevivalsOptions {
  readonly roster: Roster;
  readonly instances: GenerationInstances;
  readonly failures: FailureBook;
  readonly clock: Clock;
  readonly report: Report;
  readonly lanes: Lanes;
  readonly births: Births;
  /** Puts a generation in force. */
  enter(generation: Generation): void;
}

interface Pause {
  readonly tries: number;
  readonly timer: Timer | undefined;
}

/** Of a carrier that does not say why. */
const CRASHED: Gone = Object.freeze({
  code: 'extension_crashed',
  reason: 'nothing behind it answers any more',
});

/**
 * Deaths of extensions, and their next lives: started again after 1 s, doubled with each death in a row, 5 minutes at most; one that
 * lived for 5 minutes begins anew.
 */
export class Revivals {
  readonly #options: RevivalsOptions;
  readonly #pauses = new Map<string, Pause>();
  readonly #mourned = new WeakSet<Generation>();
  #closed = false;

  constructor(options: RevivalsOptions) {
    this.#options = options;
  }

  /** Nothing behind a carrier can be called any more: its instances are gone at once, and a next life is planned where it was in force. */
  died(generation: Generation): void {
    const { roster, instances, clock } = this.#options;
    const gone = generation.carrier.dead ?? CRASHED;
    generation.leave(gone);
    if (this.#closed || roster.get(generation.name) !== generation || this.#mourned.has(generation)) return;
    this.#mourned.add(generation);
    void instances.take(generation).close();
    roster.moved();
    const livedMs = clock.monotonicMs() - generation.startedMs;
    if (livedMs >= hubLimits.settledMs) this.forget(generation.name);
    this.#plan(generation, gone);
  }

  /** It was unloaded, or other code came: its past counts no more. */
  forget(name: string): void {
    this.#pauses.get(name)?.timer?.cancel();
    this.#pauses.delete(name);
  }

  close(): void {
    this.#closed = true;
    for (const name of [...this.#pauses.keys()]) this.forget(name);
  }

  #plan(dead: Generation, { code, reason }: Fault): void {
    const { clock, lanes, failures, report } = this.#options;
    const { name } = dead;
    const tries = (this.#pauses.get(name)?.tries ?? 0) + 1;
    const fire = (): void => {
      this.#pauses.set(name, { tries, timer: undefined });
      void lanes.run([name], () => this.#restart(dead));
    };
    this.#pauses.set(name, { tries, timer: clock.setTimer(pauseMs(tries), fire, { unref: true }) });
    failures.record({ name, scope: 'install', key: '', code, reason, tries });
    report({ code, extension: name, reason });
  }

  async #restart(dead: Generation): Promise<void> {
    const { roster, births, clock, report, enter, instances } = this.#options;
    const { name, source, order, manifest } = dead;
    if (this.#closed || roster.get(name) !== dead) return;
    const birth = await births.start(source, order);
    const same = birth.ok && sameManifest(birth.generation.manifest, manifest);
    if (birth.ok && (!same || this.#closed)) await endCarrier(birth.generation.carrier, clock);
    if (this.#closed) return;
    if (!birth.ok) this.#plan(dead, birth);
    else if (!same) this.#plan(dead, MISMATCH);
    else {
      report({ code: 'extension_restarted', extension: name, reason: hubErrors.extension_restarted.message });
      enter(birth.generation);
      await instances.ensure('global', new Set([name]));
    }
  }
}

/** Other code is not started behind anybody's back. */
const MISMATCH: Fault = Object.freeze({
  code: 'manifest_mismatch',
  reason: hubErrors.manifest_mismatch.message,
});
