import type { Json } from '@fairlead/base';
import { clockUpTo } from '../log/hybrid-clock.ts';
import type { StoredRecord } from '../log/log-engine.ts';
import { type RecordId, recordId } from '../log/record-ref.ts';

/** A record as it is read. `hlc` orders it and is not for people; what they see is a time inside `value`. */
export type Row<T extends Json = Json> = {
  readonly id: RecordId;
  readonly value: T;
  /** Set for a record that was put under a key. */
  readonly key?: string;
  readonly author: string;
  /** The peer that the author belongs to. */
  readonly peer: string;
  readonly seq: number;
  readonly hlc: number;
};

/** A point in the history of one database: everything up to a clock, or up to the end of a millisecond by the writers' clocks. */
export type AsOf = { readonly hlc: number } | { readonly atMs: number };

export function clockOf(asOf: AsOf): number {
  return 'hlc' in asOf ? asOf.hlc : clockUpTo(asOf.atMs);
}

export function rowOf<T extends Json>(record: StoredRecord, peer: string): Row<T> {
  const { author, seq, op, hlc, key, value } = record;
  const row = { id: recordId(author, seq, op), value: JSON.parse(value) as T, author, peer, seq, hlc };
  return key === null ? row : { ...row, key };
}
