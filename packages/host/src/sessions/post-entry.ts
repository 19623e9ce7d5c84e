import { FairleadError } from '@fairlead/base';
import { ENTRIES_TABLE, hubError } from '@fairlead/hub';
import type { RecordId } from '@fairlead/store';
import type { Speaker } from '../entries/entry.ts';
import { entryValue } from '../entries/write-entry.ts';
import { hostError } from '../errors.ts';
import { sessionBounds } from '../limits.ts';
import { mentionsIn } from './mentions.ts';
import type { SessionFloor } from './session-floor.ts';
import { attachedOf, nowMs } from './sessions.ts';
import { agentsToWake } from './wake-rules.ts';
import { addWake } from './wakes.ts';

export interface NewMessage {
  readonly session: string;
  readonly text: string;
  /** Made by the client: the same key in one session answers the same entry. */
  readonly key?: string;
  /** Instead of whom the text mentions: name or id of an agent that takes part. */
  readonly agent?: string;
  readonly from: Speaker;
}

/** An entry that stands. `woken`: the agents whose turn it waits for. `again`: it stood before, under the same key. */
export interface PostedEntry {
  readonly id: RecordId;
  readonly woken: readonly string[];
  readonly again: boolean;
}

const FIND = 'SELECT entry FROM posted WHERE session = ? AND key = ?';
const NOTE = 'INSERT INTO posted (session, key, entry, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING';
const FORGET = 'DELETE FROM posted WHERE session = ? AND at < ?';
const TOUCH = 'UPDATE session_local SET last_at = max(last_at, ?) WHERE session = ?';

/**
 * Writes a message of a person or client, and with it whom it wakes: on disk when it resolves. Rejects with `session_unknown`,
 * `session_closed`, `session_busy`, `agent_not_attached`, `entry_invalid`, or a code of the store.
 */
export async function postMessage(floor: SessionFloor, message: NewMessage): Promise<PostedEntry> {
  const { sessions, peer, clock } = floor;
  const { session, text, key, from } = message;
  if (key !== undefined && (key === '' || Buffer.byteLength(key) > sessionBounds.keyBytes))
    throw hubError('entry_invalid', 'key');
  const before = await postedAs(floor, message);
  if (before !== undefined) return before;
  const database = await sessions.open(session);
  const meta = await sessions.meta(session);
  if (meta.closed) throw hostError('session_closed');
  const mentions =
    message.agent === undefined ? mentionsIn(text, meta.agents) : [attachedOf(meta, message.agent)];
  const body = { type: 'message', text, mentions } as const;
  const value = entryValue(body, from, clock);
  const room = { meta, turnsSince: async () => 0, isHome: (agent: string) => floor.agents.isHome(agent) };
  const woken = await agentsToWake({ ...body, id: '', at: 0, from }, room);
  try {
    const ref = await peer.transaction((tx) => {
      const entry = tx.on(database).append(ENTRIES_TABLE, value);
      for (const agent of woken) addWake(tx, { session, entry, agent, kind: 'message' });
      const at = nowMs(clock);
      tx.write(TOUCH, [at, session]);
      if (key !== undefined) {
        tx.write(FORGET, [session, at - sessionBounds.keyKeptMs]);
        tx.write(NOTE, [session, key, entry, at], 1);
      }
      return entry;
    });
    return { id: ref.id, woken, again: false };
  } catch (error) {
    if (!(error instanceof FairleadError) || error.code !== 'transaction_refused') throw error;
    const posted = await postedAs(floor, message);
    if (posted !== undefined) return posted;
    throw hostError('session_busy');
  }
}

async function postedAs(
  { store }: SessionFloor,
  { session, key }: NewMessage,
): Promise<PostedEntry | undefined> {
  if (key === undefined) return undefined;
  const [row] = await store.read<{ entry: string }>(FIND, [session, key]);
  return row === undefined ? undefined : { id: row.entry, woken: [], again: true };
}
