import { join } from 'node:path';
import { type ManualClock, manualClock } from '@fairlead/testing';
import type { Migration } from '../src/index.ts';
import { openStore, type Store } from '../src/index.ts';

/** A small schema of the tests' own: notes, and pages that must name a note by the end of their transaction. */
export const notesMigration: Migration = {
  name: '0001-notes',
  statements: [
    'CREATE TABLE notes (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT',
    `CREATE TABLE pages (
      id TEXT PRIMARY KEY,
      note TEXT NOT NULL REFERENCES notes (id) DEFERRABLE INITIALLY DEFERRED
    ) STRICT`,
  ],
};

export type NotesStore = { readonly store: Store; readonly path: string; readonly clock: ManualClock };

export async function openNotes(
  folder: string,
  migrations: readonly Migration[] = [notesMigration],
): Promise<NotesStore> {
  const path = join(folder, 'notes.db');
  const clock = manualClock();
  return { store: await openStore({ path, clock, migrations }), path, clock };
}

export function addNote(id: string, body = 'text') {
  return { sql: 'INSERT INTO notes (id, body) VALUES (?, ?)', parameters: [id, body] };
}

export async function noteIds(store: Store): Promise<string[]> {
  const rows = await store.read<{ id: string }>('SELECT id FROM notes ORDER BY id');
  return rows.map((row) => row.id);
}
