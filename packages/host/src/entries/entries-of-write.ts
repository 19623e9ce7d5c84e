import type { Json } from '@fairlead/base';
import { ENTRIES_TABLE } from '@fairlead/hub';
import type { RecordId, Write } from '@fairlead/store';
import type { Entry, UnknownEntry } from './entry.ts';
import { readEntry } from './read-entry.ts';

/** The entries in a write to a session, in their order; what is none is passed over. */
export function entriesOfWrite({ author, seq, ops }: Write): readonly (Entry | UnknownEntry)[] {
  return ops.flatMap((op, index) => {
    if (op.op !== 'append' || !('table' in op) || op.table !== ENTRIES_TABLE || !('value' in op)) return [];
    const id: RecordId = `${author}:${seq}:${index}`;
    const entry = readEntry(id, op.value as Json);
    return entry === undefined ? [] : [entry];
  });
}
