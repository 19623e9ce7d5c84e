import { type Clock, FairleadError, jsonEqual } from '@fairlead/base';
import type { Manifest } from '@fairlead/extension/runtime';
import { hubError, hubErrors } from '../errors.ts';
import type { Fault } from '../failures/fault.ts';
import { type Births, endCarrier } from './births.ts';
import { type Candidate, judge, type Refused } from './candidate.ts';
import type { ExtensionSource } from './extension-source.ts';
import type { GenerationInstances } from './generation-instances.ts';
import type { Roster } from './roster.ts';
import { unmetNeeds } from './unmet-needs.ts';

export interface AdmissionOptions {
  readonly births: Births;
  readonly roster: Roster;
  readonly instances: GenerationInstances;
  readonly clock: Clock;
}

/** What of a list is new, what is installed already, and what wants a name that is taken. */
export interface SortedSources {
  readonly fresh: readonly ExtensionSource[];
  readonly known: readonly string[];
  readonly duplicates: readonly ExtensionSource[];
}

/** Who may be installed: sources are started, read and held against each other; those that may not are ended again. */
export class Admission {
  readonly #births: Births;
  readonly #roster: Roster;
  readonly #instances: GenerationInstances;
  readonly #clock: Clock;
  /** Of what was refused for a cap that may still come. */
  readonly #waiting = new Map<string, ExtensionSource>();

  constructor({ births, roster, instances, clock }: AdmissionOptions) {
    this.#births = births;
    this.#roster = roster;
    this.#instances = instances;
    this.#clock = clock;
  }

  /** A name has one owner, and the same ref again is nothing to do. */
  sort(sources: readonly ExtensionSource[]): SortedSources {
    const fresh = new Map<string, ExtensionSource>();
    const known: string[] = [];
    const duplicates: ExtensionSource[] = [];
    for (const source of sources) {
      const { name } = source.ref;
      const taken = this.#roster.get(name)?.ref ?? fresh.get(name)?.ref;
      if (taken === undefined) fresh.set(name, source);
      else if (jsonEqual({ ...taken }, { ...source.ref })) known.push(name);
      else duplicates.push(source);
    }
    return { fresh: [...fresh.values()], known, duplicates };
  }

  /**
   * Starts all side by side and judges them together. Rejects with the code of its fault where a built-in is invalid, and with
   * `hub_closed`; then all are ended.
   *
   * @param placeOf Where a source stands in install order, unless its name is listed already.
   * @param strict Whether an invalid built-in ends it all.
   */
  async admit(
    sources: readonly ExtensionSource[],
    placeOf: (source: ExtensionSource) => number,
    strict: boolean,
  ): Promise<readonly Candidate[]> {
    const started = await Promise.all(
      sources.map((source) => this.#start(source, this.#roster.orderOf(source.ref.name) ?? placeOf(source))),
    );
    const broken = started.find((one) => strict && !one.ok && one.source.builtin) as Refused | undefined;
    if (this.#births.closed || broken !== undefined) {
      await this.#end(started);
      if (this.#births.closed || broken === undefined) throw hubError('hub_closed');
      throw new FairleadError(broken.code, broken.reason, { detail: { extension: broken.source.ref.name } });
    }
    return judge(started, this.#manifests(), this.#waitingManifests(sources));
  }

  /** Ends those that were started and may not be installed. */
  async turnAway(candidates: readonly Candidate[]): Promise<void> {
    await this.#end(candidates.filter(({ ok }) => !ok));
  }

  /** Whether a source could stand in the place of its namesake: its global instance is opened. Where not, it is ended again. */
  async tryOut(source: ExtensionSource, order: number): Promise<Candidate> {
    const started = await this.#start(source, order);
    const others = this.#manifests(source.ref.name);
    const [judged = started] = judge([started], others, this.#waitingManifests([source]));
    const fault = judged.ok ? await this.#instances.openAhead(judged.generation) : judged;
    const stopped = fault ?? judged.generation?.gone ?? (this.#births.closed ? CLOSING : undefined);
    if (stopped === undefined) return judged;
    const { code, reason } = stopped;
    if (judged.generation !== undefined) await this.#instances.take(judged.generation).close();
    await this.#end([judged]);
    return { ...judged, ok: false, code, reason };
  }

  /** Remembers what may be started when a cap comes. */
  wait({ source, code }: Refused): void {
    if (code === 'capability_missing') this.#waiting.set(source.ref.name, source);
    else this.#waiting.delete(source.ref.name);
  }

  /** A name runs, or is gone. */
  forget(name: string): void {
    this.#waiting.delete(name);
  }

  /** What was refused for a cap that is there now. */
  served(): readonly ExtensionSource[] {
    const waiting = this.#waitingManifests([]);
    const unmet = unmetNeeds(waiting, this.#manifests());
    return waiting.flatMap(({ name }) => (unmet.has(name) ? [] : (this.#waiting.get(name) ?? [])));
  }

  /** Of those among the sources that still wait: in the meantime they may have been unloaded or installed by somebody else. */
  stillWaiting(sources: readonly ExtensionSource[]): readonly ExtensionSource[] {
    return sources.filter((source) => this.#waiting.get(source.ref.name) === source);
  }

  async #start(source: ExtensionSource, order: number): Promise<Candidate> {
    return { source, order, ...(await this.#births.start(source, order)) };
  }

  async #end(candidates: readonly Candidate[]): Promise<void> {
    await Promise.all(candidates.map(({ generation }) => endCarrier(generation?.carrier, this.#clock)));
  }

  #manifests(without?: string): Manifest[] {
    return this.#roster.all().flatMap(({ name, manifest }) => (name === without ? [] : [manifest]));
  }

  /** Of those refused for a cap: they may come with what they wait for. */
  #waitingManifests(fresh: readonly ExtensionSource[]): Manifest[] {
    return this.#roster
      .failed()
      .flatMap(({ name, manifest }) =>
        manifest !== undefined && this.#waiting.has(name) && !fresh.some(({ ref }) => ref.name === name)
          ? [manifest]
          : [],
      );
  }
}

const CLOSING: Fault = { code: 'hub_closed', reason: hubErrors.hub_closed.message };
