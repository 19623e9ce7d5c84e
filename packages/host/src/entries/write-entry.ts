import { type Clock, encodeJson, type JsonObject } from '@fairlead/base';
import { hubError } from '@fairlead/hub';
import { entryLimits } from '../limits.ts';
import type { EntryBody, Speaker } from './entry.ts';
import { bodyOf } from './entry-form.ts';

/** The host itself, where it writes what nobody said. */
export const HOST: Speaker = Object.freeze({ kind: 'host', id: 'host' });

/**
 * An entry as it is stored. Throws `entry_invalid` with the member that cannot stand there, or `size`: text of at most 64 KiB, an entry of
 * at most 256 KiB. Members that are undefined are left out.
 */
export function entryValue(body: EntryBody, from: Speaker, clock: Clock): JsonObject {
  const members = Object.entries(body).filter(([, member]) => member !== undefined);
  const reading = bodyOf(Object.fromEntries(members) as JsonObject);
  if (!reading.ok) throw hubError('entry_invalid', reading.fault);
  const { type, ...others } = reading.body;
  const at = Math.max(0, Math.floor(clock.wallMs()));
  const value = { type, at, from: { ...from }, ...others } as unknown as JsonObject;
  if (Buffer.byteLength(encodeJson(value)) > entryLimits.entryBytes) throw hubError('entry_invalid', 'size');
  return value;
}
