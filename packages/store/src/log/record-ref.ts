import { storeError } from '../errors.ts';

/** A record's id: `<author>:<seq>:<op>`, the same on every peer. */
export type RecordId = string;

/** A record that a transaction will have written: its id is known once the transaction is committed. */
export class RecordRef {
  #id: RecordId | undefined;

  /** Throws `transaction_open` before the commit. As a parameter of a peer-local statement the reference itself may stand. */
  get id(): RecordId {
    if (this.#id === undefined) throw storeError('transaction_open');
    return this.#id;
  }

  /** The writer's alone: a transaction that is tried again places its records anew. */
  place(id: RecordId): void {
    this.#id = id;
  }
}

export function recordId(author: string, seq: number, op: number): RecordId {
  return `${author}:${seq}:${op}`;
}

export type RecordPlace = { readonly author: string; readonly seq: number; readonly op: number };

const RECORD_ID = /^([A-Za-z0-9_-]{43}):([1-9][0-9]{0,15}):(0|[1-9][0-9]{0,2})$/;

/** Reads a record's id; null where it is none. */
export function readRecordId(id: string): RecordPlace | null {
  const match = RECORD_ID.exec(id);
  if (match === null) return null;
  const [, author = '', seq, op] = match;
  return { author, seq: Number(seq), op: Number(op) };
}
