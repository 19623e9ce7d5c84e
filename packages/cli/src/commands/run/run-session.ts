import { hostRefusal } from '../../client/host-refusal.ts';
import { knownSession, newSession, type SessionDoor } from '../../client/session-door.ts';
import type { RunWish } from './run-wish.ts';

/**
 * The session of a run: found, else made. A host that is paused would not answer in it, and it would stay empty: rejects with `host_paused` before
 * one is made.
 */
export async function runSession(door: SessionDoor, wish: RunWish): Promise<string> {
  const known = await knownSession(door, wish);
  if (known !== null) return known;
  const standing = await door.standing();
  if (standing.isPaused) throw await hostRefusal('host_paused');
  return await newSession(door, wish, standing);
}
