import { MAX_PATH_ELEMENT_BYTES, MAX_PATH_ELEMENTS, MAX_ROW_KEY_BYTES } from '../limits.ts';

/** What a database is for; it stands in its first commit and never changes. */
export type DatabaseKind = 'session' | 'agent' | 'memory_bank' | 'skill_bank' | 'extension_bank' | 'peer';

const PREFIXES: Readonly<Record<DatabaseKind, string>> = {
  session: 'ses_',
  agent: 'agt_',
  memory_bank: 'mem_',
  skill_bank: 'skl_',
  extension_bank: 'ext_',
  peer: 'per_',
};

/** Reads a kind from outside; null where it is none. */
export function databaseKind(text: unknown): DatabaseKind | null {
  return typeof text === 'string' && Object.hasOwn(PREFIXES, text) ? (text as DatabaseKind) : null;
}

/** A database's root id: its kind's prefix and the hash of its first commit. */
export function rootId(kind: DatabaseKind, genesisHash: string): string {
  return PREFIXES[kind] + genesisHash;
}

/** The document that holds a database's rights. */
export const SETTINGS_DOC = '_settings';

const DIGEST = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;
const STORE_NAME = /^[a-z_][a-z0-9_]{0,63}$/;
const ROOT = /^(?:ses|agt|mem|skl|ext|per)_[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/;
const CONTROL = /[\u0000-\u001f]/;

/** 32 bytes as base64url in their one spelling: a hash, or a public key. */
export function isDigest(text: unknown): text is string {
  return typeof text === 'string' && DIGEST.test(text);
}

export function isRootId(text: unknown): text is string {
  return typeof text === 'string' && ROOT.test(text);
}

/** The name of a table or a document. */
export function isStoreName(text: unknown): text is string {
  return typeof text === 'string' && STORE_NAME.test(text);
}

/** A row's key: 1 to 1,024 bytes without control characters. */
export function isRowKey(text: unknown): text is string {
  return isLine(text, MAX_ROW_KEY_BYTES);
}

/** A path in a document: names from the root down. The empty path is the whole document. */
export type DocPath = readonly string[];

export function isDocPath(path: unknown): path is DocPath {
  return (
    Array.isArray(path) &&
    path.length <= MAX_PATH_ELEMENTS &&
    path.every((element) => isLine(element, MAX_PATH_ELEMENT_BYTES))
  );
}

function isLine(text: unknown, maxBytes: number): text is string {
  return (
    typeof text === 'string' &&
    text.length > 0 &&
    text.isWellFormed() &&
    !CONTROL.test(text) &&
    Buffer.byteLength(text) <= maxBytes
  );
}

const ELEMENT_END = '\u001f';
const AFTER_ELEMENT_END = '\u0020';

/** A path as one text that sorts behind its parent and before its parent's next sibling. */
export function encodePath(path: DocPath): string {
  return path.map((element) => element + ELEMENT_END).join('');
}

export function decodePath(encoded: string): DocPath {
  return encoded === '' ? [] : encoded.slice(0, -1).split(ELEMENT_END);
}

/** The half-open range of encoded texts that are the path itself or below it; `to` null = no upper end. */
export function pathRange(encoded: string): { readonly from: string; readonly to: string | null } {
  return { from: encoded, to: encoded === '' ? null : encoded.slice(0, -1) + AFTER_ELEMENT_END };
}

/** The encoded path itself and everything above it, the root first. */
export function pathAndAbove(path: DocPath): readonly string[] {
  return Array.from({ length: path.length + 1 }, (_, length) => encodePath(path.slice(0, length)));
}
