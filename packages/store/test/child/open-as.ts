// Opens the database (or takes the folder's lock, with `lock`) and prints `opened` or the code it was refused with.
import { systemClock } from '@fairlead/base';
import { lockFolder, openStore } from '../../src/index.ts';
import { notesMigration } from '../notes-store.ts';

const [what = '', path = ''] = process.argv.slice(2);
try {
  if (what === 'lock') await lockFolder(path);
  else await openStore({ path, clock: systemClock(), migrations: [notesMigration] });
  console.log('opened');
} catch (error) {
  console.log(error instanceof Error && 'code' in error ? String(error.code) : String(error));
}
