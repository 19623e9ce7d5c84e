import { encodeJson, type Json, type JsonObject, jsonEqual } from '@fairlead/base';
import {
  type CompiledSchema,
  extensionError,
  type MergedSettings,
  mergeSettings,
  patchOf,
  type SettingsLayer,
} from '@fairlead/extension/runtime';
import type { Database } from '@fairlead/store';
import { hubError } from '../errors.ts';
import { settingsLimits } from '../limits.ts';
import type { Report } from '../report.ts';
import { SecretMask } from './secret-mask.ts';
import type { ResolvedSettings } from './secrets.ts';
import { type LayerValues, ownValues, SETTINGS_DOC, SettingsLayers } from './settings-layer.ts';

/** Whose settings: the schema is the manifest's. */
export interface SettingsOwner {
  readonly name: string;
  readonly settings: CompiledSchema;
}

/** Where a call happens. Without either only the file and the defaults count. */
export interface SettingsPlace {
  readonly session?: Database;
  readonly agent?: Database;
}

interface Merge {
  readonly schema: CompiledSchema;
  readonly session: LayerValues | undefined;
  readonly agent: LayerValues | undefined;
  readonly settings: JsonObject;
}

/**
 * The settings of every extension, for one call: schema defaults, `fairlead.toml`, the agent's, the session's, key by key. What is
 * kept is compared with the change counters of the databases, so that what another peer wrote counts from the next call on.
 */
export class SettingsBook {
  readonly #file: ResolvedSettings;
  readonly #secrets: SecretMask;
  readonly #report: Report;
  readonly #layers = new SettingsLayers();
  /** By extension, session and agent, the one used longest ago first. */
  readonly #merges = new Map<string, Merge>();
  readonly #told = new Set<string>();

  /** Tells at once which variables of the file are missing. `secrets` are those of the file unless more is to be hidden. */
  constructor(file: ResolvedSettings, report: Report, secrets = new SecretMask(file.secrets)) {
    this.#file = file;
    this.#secrets = secrets;
    this.#report = report;
    for (const { extension, key, variable } of file.missing)
      report({ code: 'settings_variable_missing', extension, reason: `${key} names ${variable}` });
  }

  /**
   * The frozen merge. At once, and the same object, while neither document nor schema has changed; else a promise, which rejects
   * with a code of the store where a document cannot be read.
   */
  for(owner: SettingsOwner, place: SettingsPlace): JsonObject | Promise<JsonObject> {
    const session = place.session === undefined ? undefined : this.#layers.of(place.session);
    const agent = place.agent === undefined ? undefined : this.#layers.of(place.agent);
    if (session instanceof Promise || agent instanceof Promise)
      return Promise.all([session, agent]).then(([ofSession, ofAgent]) =>
        this.#merged(owner, place, ofSession, ofAgent),
      );
    return this.#merged(owner, place, session, agent);
  }

  /** The merge as people may see it: what came from the environment is masked. */
  async shown(owner: SettingsOwner, place: SettingsPlace): Promise<JsonObject> {
    return this.mask(await this.for(owner, place)) as JsonObject;
  }

  /** A value as people may see it. */
  mask(value: Json): Json {
    return this.#secrets.setting(value);
  }

  /**
   * Writes a patch into a session's own settings, in one commit; `null` takes a key away. Each key is checked against the schema
   * (`settings_invalid`); a value of the environment is refused (`settings_secret`), unless it is the very one that the file
   * gives this key, which then stays the file's. Without a session: `settings_need_session`. Rejects with a code of the store
   * where this peer may not write there.
   */
  async save(owner: SettingsOwner, session: Database | undefined, patch: unknown): Promise<void> {
    if (session === undefined) throw extensionError('settings_need_session');
    const checked = Object.entries(patchOf(owner.settings, patch)).filter(
      ([key, value]) => !this.#isGivenByFile(owner.name, key, value),
    );
    const encoded = encodeJson(Object.fromEntries(checked));
    if (Buffer.byteLength(encoded) > settingsLimits.maxPatchBytes)
      throw extensionError('settings_invalid', `a patch has ${settingsLimits.maxPatchBytes} bytes at most`);
    for (const [key, value] of checked) if (this.#secrets.isIn(value)) throw hubError('settings_secret', key);
    await this.#write(session, owner.name, checked);
  }

  /** Takes keys away from a session's own settings, declared or not. */
  async unset(owner: { readonly name: string }, session: Database, keys: readonly string[]): Promise<void> {
    await this.#write(
      session,
      owner.name,
      keys.map((key) => [key, null]),
    );
  }

  /** What a session or an agent sets for an extension by itself, masked. */
  async own(extension: string, database: Database): Promise<JsonObject> {
    return this.mask(ownValues(await this.#layers.of(database), extension) ?? {}) as JsonObject;
  }

  /** Forgets a session or an agent that is not used any more. */
  forget(root: string): void {
    this.#layers.forget(root);
    for (const key of this.#merges.keys()) if (key.includes(root)) this.#merges.delete(key);
  }

  #merged(
    owner: SettingsOwner,
    place: SettingsPlace,
    session: LayerValues | undefined,
    agent: LayerValues | undefined,
  ): JsonObject {
    const key = `${owner.name} ${place.session?.root ?? ''} ${place.agent?.root ?? ''}`;
    const known = this.#merges.get(key);
    if (known?.schema === owner.settings && known.session === session && known.agent === agent)
      return known.settings;
    const layers: SettingsLayer[] = [];
    const file = this.#file.values;
    if (Object.hasOwn(file, owner.name))
      layers.push({ name: 'fairlead.toml', values: file[owner.name] ?? {} });
    if (agent !== undefined) layers.push(this.#layer(owner.name, 'agent', agent, place.agent));
    if (session !== undefined) layers.push(this.#layer(owner.name, 'session', session, place.session));
    const merged = mergeSettings(owner.settings, layers);
    this.#tellFaults(owner.name, place, merged);
    this.#keep(key, { schema: owner.settings, session, agent, settings: merged.settings });
    return merged.settings;
  }

  #layer(
    extension: string,
    name: 'agent' | 'session',
    layer: LayerValues,
    database: Database | undefined,
  ): SettingsLayer {
    const values = ownValues(layer, extension);
    if (values === undefined)
      this.#tell({ extension, scope: name, key: database?.root ?? '', reason: 'they are no object' });
    return { name, values: values ?? {} };
  }

  #tellFaults(extension: string, place: SettingsPlace, { reports, missing }: MergedSettings): void {
    for (const { layer, key, message } of reports) {
      const database = layer === 'session' ? place.session : layer === 'agent' ? place.agent : undefined;
      const scope = layer === 'session' || layer === 'agent' ? layer : 'global';
      this.#tell({ extension, scope, key: database?.root ?? '', reason: `${key} of ${layer} ${message}` });
    }
    for (const key of missing)
      this.#tell({ extension, scope: 'global', key: '', reason: `${key} is needed and set nowhere` });
  }

  /** Once for each fault, not at each change beside it. */
  #tell(fault: {
    readonly extension: string;
    readonly scope: 'global' | 'agent' | 'session';
    readonly key: string;
    readonly reason: string;
  }): void {
    const text = JSON.stringify(fault);
    if (this.#told.has(text)) return;
    if (this.#told.size >= settingsLimits.maxTold) this.#told.clear();
    this.#told.add(text);
    const { key, ...rest } = fault;
    this.#report({ code: 'settings_invalid', ...rest, ...(key === '' ? {} : { key }) });
  }

  #keep(key: string, merge: Merge): void {
    this.#merges.delete(key);
    this.#merges.set(key, merge);
    if (this.#merges.size <= settingsLimits.maxCached) return;
    const [oldest] = this.#merges.keys();
    if (oldest !== undefined) this.#merges.delete(oldest);
  }

  #isGivenByFile(extension: string, key: string, value: Json): boolean {
    const file = Object.hasOwn(this.#file.values, extension) ? this.#file.values[extension] : undefined;
    if (file === undefined || !Object.hasOwn(file, key)) return false;
    const given = file[key];
    return given !== undefined && this.#secrets.isIn(given) && jsonEqual(given, value);
  }

  async #write(
    session: Database,
    extension: string,
    entries: readonly (readonly [string, Json])[],
  ): Promise<void> {
    if (entries.length === 0) return;
    await session.commit((tx) => {
      for (const [key, value] of entries)
        if (value === null) tx.clear(SETTINGS_DOC, [extension, key]);
        else tx.set(SETTINGS_DOC, [extension, key], value);
    });
  }
}
