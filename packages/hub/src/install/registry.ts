import type { Clock } from '@fairlead/base';
import type { ExtensionRef, HostSide } from '@fairlead/extension/runtime';
import { hubError, hubErrors } from '../errors.ts';
import type { FailureBook } from '../failures/failure-book.ts';
import type { Fault } from '../failures/fault.ts';
import type { Report } from '../report.ts';
import { Admission } from './admission.ts';
import { Births, endCarrier } from './births.ts';
import type { Refused } from './candidate.ts';
import { Drains, REPLACED, UNLOADED } from './drains.ts';
import type { ExtensionSource } from './extension-source.ts';
import type { Generation } from './generation.ts';
import type { GenerationInstances } from './generation-instances.ts';
import type {
  InstallNote,
  InstallReport,
  RefusedSource,
  ReplaceReport,
  UnloadReport,
} from './install-report.ts';
import type { Installed } from './installed.ts';
import { Lanes } from './lanes.ts';
import { nameNotes } from './name-notes.ts';
import { RESERVED_COMMANDS } from './reserved-names.ts';
import { Revivals } from './revivals.ts';
import type { FailedExtension, Roster } from './roster.ts';

export interface RegistryOptions {
  readonly roster: Roster;
  readonly instances: GenerationInstances;
  readonly failures: FailureBook;
  readonly clock: Clock;
  readonly report: Report;
  /** Hides what no reason may hold. Default: nothing. */
  readonly mask?: (text: string) => string;
  /** What the extension of a ref asks and logs. That an instance has changed, the registry takes itself. */
  hostFor(ref: ExtensionRef): Pick<HostSide, 'ask' | 'log'>;
  /** Commands that the host keeps for itself. Default: `RESERVED_COMMANDS`. */
  readonly reserved?: ReadonlySet<string>;
}

/**
 * Installs, reloads and unloads extensions, and starts dead ones again. What touches one name runs one after another; the rest side by
 * side. A failure is that extension's alone.
 */
export class Registry {
  readonly #options: RegistryOptions;
  readonly #roster: Roster;
  readonly #births: Births;
  readonly #admission: Admission;
  readonly #revivals: Revivals;
  readonly #drains: Drains;
  readonly #lanes = new Lanes();
  #lastPlace = 0;
  #strangersForgotten = false;
  #closed: Promise<void> | undefined;

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#roster = options.roster;
    const { clock, instances } = options;
    this.#births = new Births({
      clock,
      mask: options.mask,
      hostFor: (ref) => options.hostFor(ref),
      changed: (instance) => instances.changed(instance),
      died: (generation) => this.#revivals.died(generation),
    });
    this.#admission = new Admission({ ...options, births: this.#births });
    this.#revivals = new Revivals({
      ...options,
      lanes: this.#lanes,
      births: this.#births,
      enter: (generation) => this.#enter(generation),
    });
    this.#drains = new Drains(instances, clock, this.#births.closing);
  }

  /** Moves with each install, replace, unload, death, restart, and with contributions that change. */
  get generation(): number {
    return this.#roster.generation;
  }

  /** What is in force, in install order; a dead one too, its `gone` says why. */
  all(): readonly Installed[] {
    return this.#roster.all();
  }

  get(name: string): Installed | undefined {
    return this.#roster.get(name);
  }

  /** What is installed and does not run, in install order. */
  failed(): readonly FailedExtension[] {
    return this.#roster.failed();
  }

  /**
   * Starts all sources side by side, judges all manifests, then opens the global instances side by side; resolves when each has opened
   * or failed. An invalid built-in rejects with the code of its fault, and nothing is installed; any other is refused alone. Earlier
   * ones that were refused for a cap that has come now are started too. Rejects with `hub_closed` once closing began.
   */
  async install(sources: readonly ExtensionSource[]): Promise<InstallReport> {
    this.#checkOpen();
    const names = sources.map(({ ref }) => ref.name);
    // Install order is the order of the calls, whatever is started first.
    const firstPlace = this.#lastPlace + 1;
    this.#lastPlace += sources.length;
    const report = await this.#lanes.run(names, () => this.#install(sources, firstPlace, true));
    this.#forgetStrangers();
    const started = report.installed.length === 0 ? [] : await this.#startWaiting();
    return { ...report, installed: inOrder([...report.installed, ...started]) };
  }

  /**
   * Puts another generation, perhaps of other code, in the place of one: it is started, judged, and its global instance opened first; a
   * fault leaves the old one in force. Resolves when the new one is in force. Rejects with `hub_closed` once closing began.
   */
  async replace(name: string, source: ExtensionSource): Promise<ReplaceReport> {
    this.#checkOpen();
    const report = await this.#lanes.run([name], () => this.#replace(name, source));
    return report.ok ? { ...report, started: await this.#startWaiting() } : report;
  }

  /**
   * Takes an extension away: nothing of it is called any more. Resolves when it is off every list; its calls in flight may still end.
   * Rejects with `hub_closed` once closing began.
   */
  async unload(name: string): Promise<UnloadReport> {
    this.#checkOpen();
    return await this.#lanes.run([name], async () => this.#unload(name));
  }

  /** Ends every instance, the last one opened first, then every extension. Calls in flight are not waited for. Never rejects. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** Once, after the host's own are installed: what an earlier start left of others is of no use. */
  #forgetStrangers(): void {
    if (this.#strangersForgotten) return;
    this.#strangersForgotten = true;
    this.#options.failures.retain(new Set([...this.all(), ...this.failed()].map(({ name }) => name)));
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw hubError('hub_closed');
  }

  /**
   * @param firstPlace In install order, of the first source; the others follow. One that is listed already keeps its own.
   * @param strict Whether an invalid built-in ends it all.
   */
  async #install(
    sources: readonly ExtensionSource[],
    firstPlace: number,
    strict: boolean,
  ): Promise<InstallReport> {
    const { instances } = this.#options;
    const { fresh, known, duplicates } = this.#admission.sort(sources);
    const placeOf = (source: ExtensionSource) => firstPlace + sources.indexOf(source);
    const judged = await this.#admission.admit(fresh, placeOf, strict);
    const taken = judged.flatMap((one) => (one.ok ? [one.generation] : []));
    const refused = [
      ...duplicates.map((source) => this.#refusal(source, DUPLICATE)),
      ...judged.flatMap((one) => (one.ok ? [] : [this.#refuse(one)])),
    ];
    for (const generation of taken) this.#enter(generation);
    const names = new Set(taken.map(({ name }) => name));
    const notes = this.#notes(names);
    await Promise.all([instances.ensure('global', names), this.#admission.turnAway(judged)]);
    const failures = [...names].flatMap((name) => instances.failureOf(name, 'global') ?? []);
    return { installed: inOrder(taken), known, refused, failures, notes };
  }

  /** Starts what was refused for a cap that is there now. */
  async #startWaiting(): Promise<readonly Installed[]> {
    const installed: Installed[] = [];
    // A round starts some that others may wait for, or is the last one.
    for (let rounds = this.failed().length; rounds > 0 && !this.#births.closed; rounds -= 1) {
      const served = this.#admission.served();
      if (served.length === 0) break;
      const report = await this.#lanes.run(
        served.map(({ ref }) => ref.name),
        () => this.#install(this.#admission.stillWaiting(served), 0, false),
      );
      installed.push(...report.installed);
    }
    return installed;
  }

  /** From here on the generation is in force. */
  #enter(generation: Generation): void {
    const { name } = generation;
    this.#admission.forget(name);
    this.#options.failures.clear(name, 'install', '');
    this.#roster.put(generation);
    // It died before it was in force.
    if (generation.gone !== undefined) this.#revivals.died(generation);
  }

  #refuse(refused: Refused): RefusedSource {
    const { source, order, code, reason, generation } = refused;
    const { ref } = source;
    const { name } = ref;
    this.#admission.wait(refused);
    this.#options.failures.record({ name, scope: 'install', key: '', code, reason, retried: false });
    const manifest = generation?.manifest ?? source.manifest;
    this.#roster.putFailed(
      { name, ref, code, reason, ...(manifest === undefined ? {} : { manifest }) },
      order,
    );
    return this.#refusal(source, { code, reason });
  }

  #refusal({ ref }: ExtensionSource, { code, reason }: Fault): RefusedSource {
    this.#options.report({ code, extension: ref.name, reason });
    return { name: ref.name, ref, code, reason };
  }

  #notes(fresh: ReadonlySet<string>): readonly InstallNote[] {
    const { reserved = RESERVED_COMMANDS, report } = this.#options;
    const manifests = this.all().map(({ manifest }) => manifest);
    const notes = nameNotes(manifests, fresh, reserved);
    for (const { name, code, reason } of notes) report({ code, extension: name, reason });
    return notes;
  }

  async #replace(name: string, source: ExtensionSource): Promise<ReplaceReport> {
    const { instances, failures } = this.#options;
    const order = this.#roster.orderOf(name);
    if (order === undefined) return { ok: false, ...UNLOADED };
    if (source.ref.name !== name)
      return {
        ok: false,
        code: 'manifest_mismatch',
        reason: `it is ${source.ref.name}, and was to take the place of ${name}`,
      };
    const old = this.#roster.generationOf(name);
    const candidate = await this.#admission.tryOut(source, order);
    if (!candidate.ok) {
      const { code, reason } = candidate;
      // Where nothing of the name runs, the newest reason is the one to show.
      if (old === undefined) this.#refuse(candidate);
      else this.#refusal(source, candidate);
      return { ok: false, code, reason };
    }
    const { generation } = candidate;
    this.#revivals.forget(name);
    failures.clearAll(name);
    const drained = old === undefined ? Promise.resolve() : this.#drains.drain(old, REPLACED);
    this.#enter(generation);
    instances.adopt(generation);
    return { ok: true, installed: generation, notes: this.#notes(new Set([name])), started: [], drained };
  }

  #unload(name: string): UnloadReport {
    this.#checkOpen();
    const found = this.#roster.has(name);
    const old = this.#roster.generationOf(name);
    this.#revivals.forget(name);
    this.#admission.forget(name);
    this.#roster.remove(name);
    this.#options.failures.clearAll(name);
    return { found, drained: old === undefined ? Promise.resolve() : this.#drains.drain(old, UNLOADED) };
  }

  async #close(): Promise<void> {
    const { instances, failures, clock } = this.#options;
    this.#revivals.close();
    this.#births.close();
    await instances.takeAll().close();
    await this.#lanes.idle();
    await this.#drains.idle();
    await Promise.all([...this.all()].reverse().map(({ carrier }) => endCarrier(carrier, clock)));
    await failures.flush();
  }
}

const DUPLICATE: Fault = {
  code: 'extension_duplicate',
  reason: hubErrors.extension_duplicate.message,
};

function inOrder(generations: readonly Installed[]): readonly Installed[] {
  return [...generations].sort((one, other) => one.order - other.order);
}
