import { isJsonObject, type Json, type JsonObject, nearestKey } from '@fairlead/base';
import { isExtensionName, plainJson } from '@fairlead/extension/runtime';

/** A path into the file, such as `['extensions', 'path', 0, 'path']`. */
type ConfigurationPath = readonly (string | number)[];

/** What an operator says about extensions in `fairlead.toml`. */
export interface ExtensionTables {
  /** `[[extensions.path]]`, in the order of the file, as written. */
  readonly paths: readonly { readonly path: string; readonly at: ConfigurationPath }[];
  /** `[extensions.NAME.settings]`, `${VARIABLES}` not read yet. */
  readonly settings: { readonly [extension: string]: JsonObject };
  /** `[extensions.NAME] env`: all that the worker of a `path` extension finds in its environment. */
  readonly environments: { readonly [extension: string]: Readonly<Record<string, string>> };
  /** `[policy] agent_state`: which agents an extension may administer; without an entry all, an empty list none. */
  readonly agentState: { readonly [extension: string]: readonly string[] };
}

/** Something in the file that is kept and has no effect. */
export interface ConfigurationNotice {
  readonly at: ConfigurationPath;
  readonly message: string;
}

export type ExtensionTablesReading =
  | { readonly ok: true; readonly tables: ExtensionTables; readonly notices: readonly ConfigurationNotice[] }
  | { readonly ok: false; readonly at: ConfigurationPath; readonly problem: string };

/** What stands in an extension's own table. `trusted` belongs to loaders that come later. */
const KNOWN = ['env', 'settings', 'trusted'];

/**
 * Reads the tables of a parsed `fairlead.toml` that are about extensions: `extensions` whole, and `policy.agent_state`. One value
 * that cannot be used refuses the file, with the place and without the value: it may be a secret.
 */
export function readExtensionTables(document: Readonly<Record<string, unknown>>): ExtensionTablesReading {
  try {
    return { ok: true, ...read(document) };
  } catch (thrown) {
    if (thrown instanceof Refused) return { ok: false, at: thrown.at, problem: thrown.message };
    throw thrown;
  }
}

class Refused extends Error {
  readonly at: ConfigurationPath;

  constructor(at: ConfigurationPath, problem: string) {
    super(problem);
    this.at = at;
  }
}

function read(document: Readonly<Record<string, unknown>>): {
  readonly tables: ExtensionTables;
  readonly notices: readonly ConfigurationNotice[];
} {
  const notices: ConfigurationNotice[] = [];
  const settings: Record<string, JsonObject> = {};
  const environments: Record<string, Readonly<Record<string, string>>> = {};
  const { path: listed, ...named } = tableAt(document['extensions'] ?? {}, ['extensions']);
  for (const [name, entry] of Object.entries(named)) {
    const at = ['extensions', name];
    if (!isExtensionName(name)) throw new Refused(at, 'must be the name of an extension');
    const { env, settings: own, ...others } = tableAt(entry, at);
    if (env !== undefined) environments[name] = textsAt(env, [...at, 'env']);
    if (own !== undefined) settings[name] = settingsAt(own, [...at, 'settings']);
    for (const key of Object.keys(others))
      if (key !== 'trusted') notices.push(unknownKey([...at, key], key, KNOWN));
  }
  const paths = pathsAt(listed ?? [], notices);
  const policy = tableAt(document['policy'] ?? {}, ['policy']);
  const agentState = agentStateAt(policy['agent_state'] ?? {});
  return { tables: { paths, settings, environments, agentState }, notices };
}

function pathsAt(value: unknown, notices: ConfigurationNotice[]): ExtensionTables['paths'] {
  if (!Array.isArray(value))
    throw new Refused(['extensions', 'path'], 'must be written as [[extensions.path]], once for each folder');
  return value.map((entry: unknown, index) => {
    const at = ['extensions', 'path', index];
    const { path, ...others } = tableAt(entry, at);
    if (typeof path !== 'string' || path === '' || path.includes('\0'))
      throw new Refused([...at, 'path'], 'must name the folder of an extension');
    for (const key of Object.keys(others)) notices.push(unknownKey([...at, key], key, ['path']));
    return { path, at };
  });
}

function agentStateAt(value: unknown): ExtensionTables['agentState'] {
  const at = ['policy', 'agent_state'];
  const lists = Object.entries(tableAt(value, at)).map(([extension, agents]) => {
    if (!Array.isArray(agents) || !agents.every((agent) => typeof agent === 'string'))
      throw new Refused(
        [...at, extension],
        'must be a list of names of agents; an empty one is none of them',
      );
    return [extension, Object.freeze([...agents])] as const;
  });
  return Object.fromEntries(lists);
}

function textsAt(value: unknown, at: ConfigurationPath): Readonly<Record<string, string>> {
  const entries = Object.entries(tableAt(value, at));
  for (const [name, text] of entries)
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || typeof text !== 'string' || text.includes('\0'))
      throw new Refused([...at, name], 'must be a variable and its text');
  return Object.freeze(Object.fromEntries(entries as [string, string][]));
}

function settingsAt(value: unknown, at: ConfigurationPath): JsonObject {
  const table = tableAt(value, at);
  for (const [key, setting] of Object.entries(table)) {
    const plain = plainJson(setting);
    if (!plain.ok)
      throw new Refused([...at, key], 'must be text, a number, true or false, a list or a table');
  }
  const plain = plainJson(table);
  if (!plain.ok || !isJsonObject(plain.value as Json)) throw new Refused(at, 'holds too much');
  return plain.value as JsonObject;
}

function tableAt(value: unknown, at: ConfigurationPath): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Date)
    throw new Refused(at, 'must be a table');
  return value as Readonly<Record<string, unknown>>;
}

function unknownKey(at: ConfigurationPath, key: string, known: readonly string[]): ConfigurationNotice {
  const nearest = nearestKey(key, known);
  const fact = 'is not known to this version; it is kept and has no effect';
  return { at, message: nearest === undefined ? fact : `${fact} (did you mean ${nearest}?)` };
}
