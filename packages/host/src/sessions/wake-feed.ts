import { isJsonObject, type Json } from '@fairlead/base';
import type { Off, Write } from '@fairlead/store';
import { entriesOfWrite } from '../entries/entries-of-write.ts';
import type { Entry, UnknownEntry } from '../entries/entry.ts';
import { entriesBackwards } from '../entries/entry-log.ts';
import type { SessionFloor } from './session-floor.ts';
import { nowMs } from './sessions.ts';
import { unwritable } from './unwritable.ts';
import { agentsToWake, type Room, turnsSincePerson } from './wake-rules.ts';
import { addWakeOrIgnore, type NewWake } from './wakes.ts';

const LOCAL = 'SELECT arrived FROM session_local WHERE session = ?';
const ARRIVE = `INSERT INTO session_local (session, workspace, last_at, arrived) VALUES (?, NULL, ?, ?) ON CONFLICT DO NOTHING`;
const RETRACT = `UPDATE wakes SET state = 'ignored', reason = 'retracted' WHERE session = ? AND entry = ? AND state = 'pending'`;

/**
 * Writes down whom each entry wakes, as it arrives, at least once and never twice; `woken` hears of each session in which something may
 * wait now. Stop it before the peer is closed. It goes on where it stopped.
 */
export async function feedWakes(floor: SessionFloor, woken: (session: string) => void): Promise<Off> {
  const consume = async (write: Write) => {
    if (write.kind !== 'session') return;
    // A session that is gone by now has nobody who waits; anything else that fails is tried again.
    if ((await takeWrite(floor, write).catch(unwritable)) === true) woken(write.database);
  };
  return await floor.peer.onWrite('wakes', consume, { from: 'start' });
}

/** True where it held entries. */
async function takeWrite(floor: SessionFloor, write: Write): Promise<boolean> {
  const entries = entriesOfWrite(write);
  const { database: session, origin } = write;
  if (entries.length === 0 && origin !== 'remote') return false;
  if (origin === 'retracted') {
    await floor.store.write(entries.map(({ id }) => ({ sql: RETRACT, parameters: [session, id] })));
    return true;
  }
  if (origin === 'remote') {
    const [local] = await floor.store.read<{ arrived: string | null }>(LOCAL, [session]);
    if (local === undefined) {
      await arrive(floor, session);
      return true;
    }
    if (wasThere(local.arrived, write)) return false;
  }
  await wake(floor, session, entries);
  return entries.length > 0;
}

/** A session that another peer began: what its agents were told before they last answered is no business of ours. */
async function arrive(floor: SessionFloor, session: string): Promise<void> {
  const database = await floor.sessions.open(session);
  const version = JSON.stringify(database.version());
  const after: (Entry | UnknownEntry)[] = [];
  for await (const entry of entriesBackwards(database)) {
    if (entry.type === 'ack') break;
    after.push(entry);
  }
  await wake(floor, session, after.reverse(), version);
}

async function wake(
  floor: SessionFloor,
  session: string,
  entries: readonly (Entry | UnknownEntry)[],
  arrived?: string,
): Promise<void> {
  const wakes: NewWake[] = [];
  if (entries.some(({ type }) => type === 'message' || type === 'directive')) {
    const room = await roomOf(floor, session);
    for (const entry of entries) {
      if (entry.type !== 'message' && entry.type !== 'directive') continue;
      const parent = entry.type === 'directive' ? entry.parent : undefined;
      for (const agent of await agentsToWake(entry, room))
        wakes.push({
          ...{ session, entry: entry.id, agent, kind: entry.type },
          ...(parent === undefined ? {} : { parent }),
        });
    }
  }
  if (wakes.length === 0 && arrived === undefined) return;
  await floor.peer.transaction((tx) => {
    for (const wake of wakes) addWakeOrIgnore(tx, wake);
    if (arrived !== undefined) tx.write(ARRIVE, [session, nowMs(floor.clock), arrived]);
  });
}

async function roomOf({ sessions, agents }: SessionFloor, session: string): Promise<Room> {
  return {
    meta: await sessions.meta(session),
    turnsSince: async () => await turnsSincePerson(await sessions.open(session)),
    isHome: (agent) => agents.isHome(agent),
  };
}

/** True for what was in the session when it arrived: it has been judged. */
function wasThere(arrived: string | null, { author, seq }: Write): boolean {
  const version = arrived === null ? null : (JSON.parse(arrived) as Json);
  const upTo = isJsonObject(version) ? version[author] : undefined;
  return typeof upTo === 'number' && seq <= upTo;
}
