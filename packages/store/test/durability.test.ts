import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { startProgram } from './child-program.ts';
import { noteIds, openNotes } from './notes-store.ts';

for (const acknowledged of [1, 40, 400])
  test(`a process killed after ${acknowledged} acknowledged full writes has lost none of them`, async (t) => {
    hygiene(t);
    const folder = temporaryFolder(t);
    const writer = startProgram('write-notes.ts', [join(folder, 'notes.db')]);
    const ids: string[] = [];
    while (ids.length < acknowledged) ids.push(await writer.line());
    await writer.kill();
    const { store } = await openNotes(folder);
    const kept = new Set(await noteIds(store));
    assert.deepEqual(
      ids.filter((id) => !kept.has(id)),
      [],
    );
    assert.deepEqual(await store.read('PRAGMA integrity_check'), [
      Object.assign(Object.create(null), { integrity_check: 'ok' }),
    ]);
    await store.close();
  });
