import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type Certainty,
  type Clock,
  completed,
  FairleadError,
  failed,
  type Json,
  nearestKey,
  type Outcome,
} from '@fairlead/base';
import type { ExtensionAdministration, Log } from '@fairlead/gateway';
import {
  type FolderManifests,
  type Hub,
  hubErrors,
  type InstallNote,
  loadPathSource,
  type PathSource,
  type StandIn,
} from '@fairlead/hub';
import { cliErrors } from '../errors.ts';

/** A folder that is shown by its path: what it holds did not load and never had a name, or the name is another folder's. */
interface BrokenFolder {
  readonly folder: string;
  readonly code: string;
  readonly reason: string;
}

/** A folder of `fairlead.toml` with what is installed for it. */
interface NamedFolder {
  readonly folder: string;
  readonly source: PathSource | StandIn;
}

/** What became of a folder of `fairlead.toml`; `standIn` is what it was when it was loaded last. */
type FolderLoad =
  | (NamedFolder & { readonly loads: true })
  | (BrokenFolder & { readonly loads: false; readonly standIn: StandIn | undefined });

export interface PathExtensionsOptions {
  readonly hub: Hub;
  readonly clock: Clock;
  /** What stands for folders of `fairlead.toml` that do not load. */
  readonly manifests: FolderManifests;
  readonly environmentOf: (name: string) => Readonly<Record<string, string>>;
  readonly log: Log;
}

/**
 * The extensions that come from folders of this machine: which folder a name came from, and the one door by which they are
 * loaded, reloaded and unloaded while the host runs. One change at a time; none waits for calls of what another took away.
 */
export class PathExtensions implements ExtensionAdministration {
  readonly #options: PathExtensionsOptions;
  readonly #sources = new Map<string, PathSource | StandIn>();
  readonly #broken = new Map<string, BrokenFolder>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: PathExtensionsOptions) {
    this.#options = options;
  }

  /**
   * Loads the folders of `fairlead.toml`, all at once; one that fails is shown and stops nothing, and where it was loaded before it is
   * installed as what it was then, so that its gate denies; unless another one that loads has its name now. Never rejects.
   */
  start(folders: readonly string[]): Promise<void> {
    return this.#alone(async () => {
      const named = this.#named(await Promise.all(folders.map((folder) => this.#loaded(folder))));
      const sources = named.map(({ source }) => source);
      await using unused = new AsyncDisposableStack();
      // What each had ready and nobody took, also where the host ends meanwhile; a started worker is the hub's.
      for (const source of sources) unused.use(source);
      const report = await this.#options.hub.install(sources);
      for (const { folder, source } of named) {
        const refused = report.refused.find(({ ref }) => ref === source.ref);
        if (refused?.code === 'extension_duplicate')
          this.#breaks(source.folder, refused.code, refused.reason);
        else {
          this.#sources.set(source.ref.name, source);
          await this.#kept(this.#options.manifests.keep(folder, source));
        }
      }
    });
  }

  list(): Json {
    const { hub } = this.#options;
    const broken = [...this.#broken.values()].map(({ folder, code, reason }) => ({
      name: folder,
      tier: 'worker',
      state: 'down',
      reason: { code, reason },
      failures: [],
    }));
    return { extensions: [...hub.extensions(), ...broken], failures: hub.failures() } as unknown as Json;
  }

  /** For the lines that `up` prints: what was named by the operator, and whether it runs. */
  summary(): readonly { readonly name: string; readonly code: string | null }[] {
    const rows = this.#options.hub
      .extensions()
      .filter(({ builtin }) => !builtin)
      .map(({ name, reason, failures }) => ({ name, code: reason?.code ?? failures[0]?.code ?? null }));
    return [...rows, ...[...this.#broken.values()].map(({ folder, code }) => ({ name: folder, code }))];
  }

  output(name: string): Outcome<Json> {
    const source = this.#find(name);
    return source === undefined
      ? this.#unknown(name)
      : completed({ name: source.ref.name, output: source.output() });
  }

  load(folder: string): Promise<Outcome<Json>> {
    return this.#alone(async (begins) => {
      await using source = await loadPathSource({ ...this.#options, folder });
      begins();
      return await this.#installed(folder, source);
    });
  }

  reload(name: string): Promise<Outcome<Json>> {
    const old = this.#find(name);
    if (old === undefined) {
      const broken = this.#broken.get(resolve(name));
      return broken === undefined ? Promise.resolve(this.#unknown(name)) : this.load(broken.folder);
    }
    return this.#alone(async (begins) => {
      await using source = await loadPathSource({ ...this.#options, folder: old.folder });
      begins();
      // Nothing of the old name runs: the folder is loaded as what it is now.
      if (isStandIn(old) && source.ref.name !== old.ref.name)
        return await this.#installed(old.standsFor, source);
      const report = await this.#options.hub.replace(old.ref.name, source);
      if (!report.ok)
        return failed(certaintyOf(report.code), report.code, report.reason, { name: old.ref.name });
      this.#sources.set(old.ref.name, source);
      await this.#kept(this.#options.manifests.renew(source));
      const { manifest } = report.installed;
      return completed({
        name: manifest.name,
        digest: source.ref.digest,
        version: manifest.version,
        notes: notesOn(manifest.name, report.notes),
      });
    });
  }

  async unload(name: string): Promise<Outcome<Json>> {
    let drained = Promise.resolve();
    const outcome = await this.#alone<Json>(async (begins) => {
      const source = this.#find(name);
      if (source === undefined) {
        const known = this.#broken.delete(resolve(name));
        return known ? completed({ name }) : this.#unknown(name);
      }
      begins();
      ({ drained } = await this.#options.hub.unload(source.ref.name));
      this.#sources.delete(source.ref.name);
      return completed({ name: source.ref.name });
    });
    // A call of it may last an hour: whoever asked waits for that, and no other change does.
    await drained;
    return outcome;
  }

  async #installed(folder: string, source: PathSource): Promise<Outcome<Json>> {
    const { hub, manifests } = this.#options;
    const { refused, failures, known, notes } = await hub.install([source]);
    const { name, digest } = source.ref;
    const fault = refused.find((one) => one.name === name);
    if (fault?.code === 'extension_duplicate')
      return failed('not_started', fault.code, fault.reason, { name });
    this.#broken.delete(source.folder);
    const stood = this.#standInOf(source.folder);
    // A start asks by the name that the folder has in the file.
    await this.#kept(manifests.keep(stood?.standsFor ?? folder, source));
    // What runs already is read from where it was started.
    if (!known.includes(name)) this.#sources.set(name, source);
    if (stood !== undefined && stood.ref.name !== name) {
      this.#sources.delete(stood.ref.name);
      await hub.unload(stood.ref.name);
    }
    if (fault !== undefined) return failed(certaintyOf(fault.code), fault.code, fault.reason, { name });
    const closed = failures.find((one) => one.name === name);
    if (closed !== undefined)
      return failed('completed', closed.code, `It is installed and not open: ${closed.reason}`, { name });
    const row = hub.extensions().find((one) => one.name === name);
    if (row?.reason !== null && row?.reason !== undefined)
      return failed('completed', row.reason.code, `It is installed and does not run: ${row.reason.reason}`, {
        name,
      });
    const version = row?.manifest?.version ?? '';
    return completed({ name, digest, version, notes: notesOn(name, notes) });
  }

  #standInOf(folder: string): StandIn | undefined {
    return [...this.#sources.values()].filter(isStandIn).find((one) => one.folder === folder);
  }

  async #loaded(folder: string): Promise<FolderLoad> {
    try {
      return { loads: true, folder, source: await loadPathSource({ ...this.#options, folder }) };
    } catch (thrown) {
      const { code, message: reason } = codedFault(thrown);
      const known = await this.#options.manifests.standIn(folder, { code, reason }).catch(() => undefined);
      const standIn = known === undefined ? undefined : { ...known, folder: placeOf(folder) };
      return { loads: false, folder, code, reason, standIn };
    }
  }

  /**
   * A folder that does not load keeps the name that it had, but from none that loads, nor from one that had it later: it may have been
   * moved there.
   */
  #named(loads: readonly FolderLoad[]): readonly NamedFolder[] {
    const taken = new Set(loads.flatMap((one) => (one.loads ? one.source.ref.name : [])));
    const newest = newestOf(loads.flatMap((one) => (one.loads ? [] : (one.standIn ?? []))));
    return loads.flatMap((one) => {
      if (one.loads) return one;
      const { folder, code, reason, standIn } = one;
      if (standIn === undefined || taken.has(standIn.ref.name) || !newest.has(standIn)) {
        this.#breaks(folder, code, reason);
        return [];
      }
      this.#options.log('warn', 'extension.not_loaded', { folder, code, reason });
      return { folder, source: standIn };
    });
  }

  #breaks(folder: string, code: string, reason: string): void {
    this.#broken.set(folder, { folder, code, reason });
    this.#options.log('warn', 'extension.not_loaded', { folder, code, reason });
  }

  /** What the disk does not take is no reason to refuse what runs. */
  async #kept(keeping: Promise<void>): Promise<void> {
    try {
      await keeping;
    } catch (thrown) {
      const { code, message: reason } = codedFault(thrown);
      this.#options.log('warn', 'extension.manifest_not_kept', { code, reason });
    }
  }

  /** By its name, or by the folder that it came from. */
  #find(name: string): PathSource | undefined {
    const place = placeOf(name);
    return this.#sources.get(name) ?? [...this.#sources.values()].find(({ folder }) => folder === place);
  }

  #unknown(name: string): Outcome<never> {
    const here = this.#options.hub.extensions().some((row) => row.name === name);
    if (here)
      return failed('not_started', 'extension_has_no_folder', cliErrors.extension_has_no_folder.message, {
        name,
      });
    const { message } = hubErrors.extension_unknown;
    const near = nearestKey(name, this.#sources.keys());
    const hint = near === undefined ? '' : ` Did you mean ${near}?`;
    return failed('not_started', 'extension_unknown', `${message}${hint}`, { name });
  }

  /**
   * After what was asked before has ended. What throws before it says that it begins has changed nothing; what throws behind that
   * may have.
   */
  #alone<T>(work: (begins: () => void) => Promise<Outcome<T>>): Promise<Outcome<T>>;
  #alone(work: (begins: () => void) => Promise<void>): Promise<void>;
  #alone(work: (begins: () => void) => Promise<unknown>): Promise<unknown> {
    let certainty: Certainty = 'not_started';
    const begins = () => {
      certainty = 'outcome_unknown';
    };
    const done = this.#last
      .then(() => work(begins))
      .catch((thrown: unknown) => {
        const { code, message } = codedFault(thrown);
        // At the start of the host nobody reads the answer.
        this.#options.log('warn', 'extension.change_failed', { code, reason: message });
        return failed(certainty, code, message);
      });
    this.#last = done;
    return done;
  }
}

/** A refusal is a whole answer; where the extension's own `open` had run before it, something may have happened all the same. */
function certaintyOf(code: string): Certainty {
  return code.startsWith('instantiate_') ? 'completed' : 'not_started';
}

function isStandIn(source: PathSource | StandIn): source is StandIn {
  return 'standsFor' in source;
}

/** Of each name the one that was kept last. */
function newestOf(standIns: readonly StandIn[]): ReadonlySet<StandIn> {
  const byAge = [...standIns].sort((one, other) => one.keptMs - other.keptMs);
  return new Set(new Map(byAge.map((one) => [one.ref.name, one])).values());
}

/** A folder as a source knows it: without links, where it is there. */
function placeOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

/** One sentence each; what is about another extension begins with its name. */
function notesOn(name: string, notes: readonly InstallNote[]): string[] {
  return notes.map((note) => (note.name === name ? note.reason : `${note.name}: ${note.reason}`));
}

function codedFault(thrown: unknown): { readonly code: string; readonly message: string } {
  if (thrown instanceof FairleadError) return thrown;
  if (
    thrown instanceof Error &&
    'code' in thrown &&
    typeof thrown.code === 'string' &&
    thrown.name === 'ExtensionError'
  )
    return { code: thrown.code, message: thrown.message };
  return { code: 'internal_error', message: cliErrors.internal_error.message };
}
