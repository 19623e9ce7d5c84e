import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { storeError } from '../errors.ts';
import { MAX_COMMIT_BYTES, MAX_OPS_IN_COMMIT } from '../limits.ts';
import { ValueError } from '../log/canonical-text.ts';
import { type DocPath, isDocPath, isRowKey, isStoreName, SETTINGS_DOC } from '../log/names.ts';
import { appendOp, clearOp, type PreparedOp, putOp, setOp } from '../log/op.ts';
import { RecordRef } from '../log/record-ref.ts';

/** What a transaction writes to one database. Nothing is written until the transaction's work has returned. */
export interface DatabaseTx {
  /** A new record at the end of a table. */
  append(table: string, value: Json): RecordRef;
  /** A record under a key; the newest of a key shows in `latest`. */
  put(table: string, key: string, value: Json): RecordRef;
  /** A new value at a path of a document, in place of everything at and below it. The empty path is the whole document. */
  set(doc: string, path: DocPath, value: Json): void;
  /** One `set` for each leaf of `part`; lists are leaves. */
  patch(doc: string, part: JsonObject): void;
  /** Removes what stands at a path and below. */
  clear(doc: string, path: DocPath): void;
}

/** Collects the operations of one database. Throws `commit_malformed`, `commit_too_large` or `doc_path_invalid`. */
export class DatabaseDraft implements DatabaseTx {
  readonly ops: PreparedOp[] = [];
  readonly refs: (RecordRef | null)[] = [];
  #bytes = 0;

  append(table: string, value: Json): RecordRef {
    const name = storeName(table);
    return this.#record(prepared(() => appendOp(name, value)));
  }

  put(table: string, key: string, value: Json): RecordRef {
    const name = storeName(table);
    if (!isRowKey(key)) throw storeError('commit_malformed', undefined, { part: 'key' });
    return this.#record(prepared(() => putOp(name, key, value)));
  }

  set(doc: string, path: DocPath, value: Json): void {
    checkPath(doc, path);
    if (path.length === 0 && !isJsonObject(value)) throw storeError('doc_path_invalid');
    this.add(prepared(() => setOp(doc, path, value)));
  }

  patch(doc: string, part: JsonObject): void {
    for (const [path, value] of leavesOf(part)) this.set(doc, path, value);
  }

  clear(doc: string, path: DocPath): void {
    checkPath(doc, path);
    this.add(clearOp(doc, path));
  }

  /** Adds an operation that makes no record. */
  add(op: PreparedOp): void {
    this.#push(op, null);
  }

  #record(op: PreparedOp): RecordRef {
    const ref = new RecordRef();
    this.#push(op, ref);
    return ref;
  }

  #push(op: PreparedOp, ref: RecordRef | null): void {
    this.#bytes += op.bytes + 1;
    // One place stays free for the author's certificate, which the first commit of an author begins with.
    if (this.ops.length + 1 >= MAX_OPS_IN_COMMIT || this.#bytes > MAX_COMMIT_BYTES - AUTHOR_OP_BYTES)
      throw storeError('commit_too_large');
    this.ops.push(op);
    this.refs.push(ref);
  }
}

/** Room for the certificate and the genesis of a first commit. */
const AUTHOR_OP_BYTES = 1_024;

function storeName(name: string): string {
  if (!isStoreName(name)) throw storeError('commit_malformed', undefined, { part: 'name' });
  return name;
}

/** Who has which role is written by `access` alone, which knows the cuts that belong to a change. */
function checkPath(doc: string, path: DocPath): void {
  storeName(doc);
  if (!isDocPath(path)) throw storeError('doc_path_invalid');
  if (doc === SETTINGS_DOC && (path.length === 0 || path[0] === 'peers'))
    throw storeError('doc_path_invalid');
}

function prepared(make: () => PreparedOp): PreparedOp {
  try {
    return make();
  } catch (error) {
    if (error instanceof ValueError) throw storeError('commit_malformed', undefined, { part: error.fault });
    throw error;
  }
}

function leavesOf(part: JsonObject, above: DocPath = []): [DocPath, Json][] {
  return Object.entries(part).flatMap(([name, value]): [DocPath, Json][] => {
    const path = [...above, name];
    if (value === undefined) return [];
    return isJsonObject(value) ? leavesOf(value, path) : [[path, value]];
  });
}
