// Writes notes of the given size, four at a time, and prints each id once it is acknowledged; a refusal ends it, by its code.
import { systemClock } from '@fairlead/base';
import { openStore } from '../../src/index.ts';
import { addNote, notesMigration } from '../notes-store.ts';

const [path = '', bytes = '100'] = process.argv.slice(2);
try {
  const store = await openStore({ path, clock: systemClock(), migrations: [notesMigration] });
  for (let round = 0; round < 100_000; round += 1) {
    const ids = ['a', 'b', 'c', 'd'].map((lane) => `${lane}-${round}`);
    await Promise.all(
      ids.map(async (id) => {
        await store.write([addNote(id, 'x'.repeat(Number(bytes)))], 'full');
        console.log(id);
      }),
    );
  }
} catch (error) {
  console.log(error instanceof Error && 'code' in error ? String(error.code) : 'no code');
}
