import type { Json } from '@fairlead/base';
import { Journal } from '@fairlead/dispatch';
import type { Database } from '@fairlead/store';
import { waitFor } from '@fairlead/testing';
import { Agents } from '../../src/agents/agents.ts';
import type { EntryBody, Speaker } from '../../src/entries/entry.ts';
import { entryValue } from '../../src/entries/write-entry.ts';
import { LeakDetector } from '../../src/leaks/leak-detector.ts';
import type { SessionFloor } from '../../src/sessions/session-floor.ts';
import { Sessions } from '../../src/sessions/sessions.ts';
import { feedWakes } from '../../src/sessions/wake-feed.ts';
import { type HostFloor, hostFloor } from '../host-floor.ts';

export const ADA: Speaker = { kind: 'person', id: 'tok_1', name: 'Ada' };
export const NO_USAGE = { input: 0, output: 0, cached: 0, written: 0, reasoning: 0 };

/** A secret of the host. */
export const SECRET = 'hunter2-hunter2';

/** Sessions over a peer of its own. */
export interface Room extends SessionFloor {
  readonly host: HostFloor;
  readonly journal: Journal;
  say(session: string, body: EntryBody, from?: Speaker): Promise<string>;
  /** Rows of `wakes` as `agent:state:text or reason`, in their order. */
  wakes(session: string): Promise<readonly string[]>;
  /** Starts to write down who is woken; until what was written so far has been seen. */
  fed(): Promise<void>;
  /** Stops that. */
  stop(): Promise<void>;
  entries(session: string): Promise<readonly Json[]>;
}

/** `boot` names the start: another room over the same `host` is the next one. */
export async function room(
  t: { after(hook: () => unknown): void },
  options: { readonly host?: HostFloor; readonly boot?: string; readonly seed?: number } = {},
): Promise<Room> {
  const host = options.host ?? (await hostFloor(t, { seed: options.seed ?? 1 }));
  const { peer, store, clock } = host;
  const boot = options.boot ?? 'boot_1';
  const isModel = (ref: string) => ref.startsWith('local/');
  const agents = new Agents({ peer, clock, isModel });
  const sessions = new Sessions({
    peer,
    store,
    clock,
    agents,
    isModel,
    leaks: new LeakDetector([SECRET]),
    groups: new Map([['duo', ['ann', 'bob']]]),
  });
  const floor: SessionFloor = { peer, store, clock, agents, sessions, boot };
  const journal = new Journal({ store, clock, boot });
  t.after(() => journal.close());
  const seen = new Set<string>();
  let off: (() => Promise<void>) | undefined;
  return {
    ...floor,
    host,
    journal,
    async say(session, body, from = ADA) {
      const database: Database = await sessions.open(session);
      return await database.table('entries').append(entryValue(body, from, clock));
    },
    async wakes(session) {
      const rows = await store.read<Record<string, string | null>>(
        'SELECT agent, state, reason FROM wakes WHERE session = ? ORDER BY seq',
        [session],
      );
      const names = new Map((await agents.list()).map(({ id, name }) => [id, name]));
      return rows.map(({ agent, state, reason }) =>
        [names.get(agent ?? ''), state, reason].filter(Boolean).join(':'),
      );
    },
    async fed() {
      if (off === undefined) off = await feedWakes(floor, (session) => seen.add(session));
      const marker = (await peer.create('session')).root;
      const database = await peer.open(marker);
      await database
        .table('entries')
        .append(entryValue({ type: 'message', text: '', mentions: [] }, ADA, clock));
      database.release();
      await waitFor(() => seen.has(marker), { what: 'the feed' });
    },
    async stop() {
      await off?.();
    },
    async entries(session) {
      const entries: Json[] = [];
      for await (const { value } of (await sessions.open(session)).table('entries').scan())
        entries.push(value);
      return entries;
    },
  };
}
