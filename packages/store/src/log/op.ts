import { hash } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { canonicalText, ValueError } from './canonical-text.ts';
import {
  type DatabaseKind,
  type DocPath,
  databaseKind,
  encodePath,
  isDigest,
  isDocPath,
  isRowKey,
  isStoreName,
  SETTINGS_DOC,
} from './names.ts';

/** One operation of a commit, as it is hashed, stored and sent. An operation with another `op` is a newer version's. */
export type Op =
  | { readonly op: 'append'; readonly table: string; readonly value: Json }
  | { readonly op: 'put'; readonly table: string; readonly key: string; readonly value: Json }
  | { readonly op: 'set'; readonly doc: string; readonly path: DocPath; readonly value: Json }
  | { readonly op: 'clear'; readonly doc: string; readonly path: DocPath }
  | { readonly op: 'author'; readonly peer: string; readonly certificate: string }
  | { readonly op: 'genesis'; readonly kind: DatabaseKind; readonly peer: string; readonly nonce: string };

/** What a commit needs of its peer: 0 nothing, 1 `append`, 2 `write`, 3 `admin`. */
export type Level = 0 | 1 | 2 | 3;

/** An operation ready to be hashed into a commit and projected into rows. Offsets and sizes are UTF-8 bytes of `text`. */
export type PreparedOp = {
  readonly verb: Op['op'] | 'unknown';
  readonly text: string;
  readonly bytes: number;
  /** SHA-256 of `fairlead op v1`, LF and `text`. */
  readonly digest: string;
  readonly level: Level;
  /** The table or document; empty for an operation that projects nothing. */
  readonly store: string;
  /** A row's key, or a document's path encoded; null for `append` and for what projects nothing. */
  readonly key: string | null;
  /** Where in `text` the value stands; a `clear` has none. */
  readonly valueAt: number;
  readonly valueBytes: number;
  /** The value's own text; null without one. */
  readonly valueText: string | null;
  /** What a change of rights is read from: the operations on the settings document. */
  readonly settings: SettingsChange | null;
  readonly author: { readonly peer: string; readonly certificate: string } | null;
  readonly genesis: { readonly kind: DatabaseKind; readonly peer: string } | null;
};

/** One change of the settings document; `value` undefined = cleared. */
export type SettingsChange = { readonly path: DocPath; readonly value: Json | undefined };

/** A new record of a table. Throws `ValueError`. */
export function appendOp(table: string, value: Json): PreparedOp {
  const head = `{"op":"append","table":"${table}","value":`;
  return prepared('append', 1, head, canonicalText(value), table, null);
}

/** A record under a key, of which the newest shows. Throws `ValueError`. */
export function putOp(table: string, key: string, value: Json): PreparedOp {
  const head = `{"key":${JSON.stringify(key)},"op":"put","table":"${table}","value":`;
  return prepared('put', 1, head, canonicalText(value), table, key);
}

/** A new value at a path, in place of everything at and below it. Throws `ValueError`. */
export function setOp(doc: string, path: DocPath, value: Json): PreparedOp {
  const head = `{"doc":"${doc}","op":"set","path":${JSON.stringify(path)},"value":`;
  const settings = doc === SETTINGS_DOC ? { path, value } : null;
  const level = settings === null ? 2 : 3;
  return { ...prepared('set', level, head, canonicalText(value), doc, encodePath(path)), settings };
}

/** Nothing at a path any more, and nothing below it. */
export function clearOp(doc: string, path: DocPath): PreparedOp {
  const text = `{"doc":"${doc}","op":"clear","path":${JSON.stringify(path)}}`;
  const settings = doc === SETTINGS_DOC ? { path, value: undefined } : null;
  return { ...bare('clear', settings === null ? 2 : 3, text), store: doc, key: encodePath(path), settings };
}

/** The certificate of an author, first in its chain. */
export function authorOp(peer: string, certificate: string): PreparedOp {
  const text = `{"certificate":"${certificate}","op":"author","peer":"${peer}"}`;
  return { ...bare('author', 0, text), author: { peer, certificate } };
}

/** The beginning of a database. */
export function genesisOp(kind: DatabaseKind, peer: string, nonce: string): PreparedOp {
  const text = `{"kind":"${kind}","nonce":"${nonce}","op":"genesis","peer":"${peer}"}`;
  return { ...bare('genesis', 3, text), genesis: { kind, peer } };
}

/** One literal, written out: this is made for every entry, and one shape keeps what reads it fast. */
function prepared(
  verb: PreparedOp['verb'],
  level: Level,
  head: string,
  valueText: string,
  store: string,
  key: string | null,
): PreparedOp {
  const text = `${head}${valueText}}`;
  // Only a key can have other than ASCII in a head: a name cannot.
  const valueAt = key === null ? head.length : Buffer.byteLength(head);
  const bytes = Buffer.byteLength(text);
  return {
    verb,
    text,
    bytes,
    digest: opDigest(text),
    level,
    store,
    key,
    valueAt,
    valueBytes: bytes - valueAt - 1,
    valueText,
    settings: null,
    author: null,
    genesis: null,
  };
}

/** An operation without a value. */
function bare(verb: PreparedOp['verb'], level: Level, text: string): PreparedOp {
  return {
    verb,
    text,
    bytes: Buffer.byteLength(text),
    digest: opDigest(text),
    level,
    store: '',
    key: null,
    valueAt: 0,
    valueBytes: 0,
    valueText: null,
    settings: null,
    author: null,
    genesis: null,
  };
}

function opDigest(text: string): string {
  return hash('sha256', `fairlead op v1\n${text}`, 'base64url');
}

/** Reads an operation of a foreign commit; null where it has no valid form. An unknown kind is kept as it is. */
export function readOp(value: Json): PreparedOp | null {
  if (!isJsonObject(value)) return null;
  try {
    return readKnown(value) ?? null;
  } catch (error) {
    if (error instanceof ValueError) return null;
    throw error;
  }
}

function readKnown(op: JsonObject): PreparedOp | null {
  switch (op['op']) {
    case 'append':
      return hasExactly(op, ['op', 'table', 'value']) && isStoreName(op['table'])
        ? appendOp(op['table'], op['value'] as Json)
        : null;
    case 'put':
      return hasExactly(op, ['op', 'table', 'key', 'value']) &&
        isStoreName(op['table']) &&
        isRowKey(op['key'])
        ? putOp(op['table'], op['key'], op['value'] as Json)
        : null;
    case 'set':
      return hasExactly(op, ['op', 'doc', 'path', 'value']) && isStoreName(op['doc']) && isDocPath(op['path'])
        ? setOp(op['doc'], op['path'], op['value'] as Json)
        : null;
    case 'clear':
      return hasExactly(op, ['op', 'doc', 'path']) && isStoreName(op['doc']) && isDocPath(op['path'])
        ? clearOp(op['doc'], op['path'])
        : null;
    case 'author':
      return hasExactly(op, ['op', 'peer', 'certificate']) &&
        isDigest(op['peer']) &&
        isSignature(op['certificate'])
        ? authorOp(op['peer'], op['certificate'])
        : null;
    case 'genesis':
      return readGenesis(op);
    default:
      return typeof op['op'] === 'string' ? unknownOp(op) : null;
  }
}

function readGenesis(op: JsonObject): PreparedOp | null {
  const kind = databaseKind(op['kind']);
  return hasExactly(op, ['op', 'kind', 'peer', 'nonce']) &&
    kind !== null &&
    isDigest(op['peer']) &&
    isDigest(op['nonce'])
    ? genesisOp(kind, op['peer'], op['nonce'])
    : null;
}

function unknownOp(op: JsonObject): PreparedOp {
  return bare('unknown', 1, canonicalText(op));
}

function hasExactly(value: JsonObject, names: readonly string[]): boolean {
  return Object.keys(value).length === names.length && names.every((name) => Object.hasOwn(value, name));
}

/** 64 bytes as base64url in their one spelling. */
export function isSignature(text: unknown): text is string {
  return typeof text === 'string' && /^[A-Za-z0-9_-]{85}[AQgw]$/.test(text);
}
