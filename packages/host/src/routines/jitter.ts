import { hash } from 'node:crypto';
import { type SlotKey, slotName } from './slot-rows.ts';

/** The delay of a slot in milliseconds: the same for the same slot at every start, anything up to `maxSecs` for different ones. */
export function jitterMs(slot: SlotKey, maxSecs: number): number {
  if (maxSecs === 0) return 0;
  const drawn = hash('sha256', slotName(slot), 'buffer').readUInt32BE(0) / 2 ** 32;
  return Math.floor(drawn * maxSecs * 1000);
}
