import { type FieldPlace, isConfigField } from '@fairlead/protocol';
import type { ConfigNote } from '../config/config-table.ts';
import { limits } from '../limits.ts';

/** The places of notes as they may cross the link: keys and lines, no words, no names of variables. */
export function fieldPlaces(notes: readonly ConfigNote[], max: number): FieldPlace[] {
  return notes.slice(0, max).map(({ key, line }) => {
    const field = fieldOf(key);
    return line === undefined ? { field } : { field, line };
  });
}

/** A key as a report may write it: a part that could be something else than the name of a key becomes `*`. */
function fieldOf(key: string): string {
  // Where the key is quoted, what follows may hold anything.
  const [plain = ''] = key.split('"', 1);
  const parts = (plain === key ? plain : `${plain}*`).split('.');
  const field = parts
    .map((part, index) => (isVariable(parts, index) || !isKeyPart(part) ? '*' : part))
    .join('.');
  return isConfigField(field) ? field : '*';
}

function isKeyPart(part: string): boolean {
  return isConfigField(part) && part.length <= limits.fieldPartMaxCharacters;
}

/** True below `shell.env` and `shell.profiles.NAME.env`. */
function isVariable(parts: readonly string[], index: number): boolean {
  const table = parts.slice(0, index);
  if (table[0] !== 'shell') return false;
  return table[1] === 'env' || (table[1] === 'profiles' && table[3] === 'env');
}
