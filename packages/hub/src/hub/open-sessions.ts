import type { Clock, JsonObject } from '@fairlead/base';
import type { ExtensionRef } from '@fairlead/extension/runtime';
import type { Database, Peer } from '@fairlead/store';
import { readActive } from '../activation/active-set.ts';
import { recordActive } from '../activation/record-active.ts';
import { fireSessionShutdown, fireSessionStart } from '../dispatch/fire-hooks.ts';
import { hubError, hubErrors } from '../errors.ts';
import { cutReason, faultOf } from '../failures/fault.ts';
import type { Roster } from '../install/roster.ts';
import { within } from '../install/within.ts';
import type { Instances } from '../instances/instances.ts';
import { liveLimits } from '../limits.ts';
import { LiveSession } from '../live/live-session.ts';
import type { LiveSets } from '../live/live-sets.ts';
import type { Report } from '../report.ts';
import type { OpenedSession } from './hub.ts';

export interface OpenSessionsParts {
  readonly peer: Peer;
  readonly clock: Clock;
  readonly report: Report;
  readonly roster: Pick<Roster, 'all' | 'failed'>;
  readonly instances: Pick<Instances, 'close'>;
  readonly sets: LiveSets;
  /** After a session has opened: what its extensions show. Never rejects. */
  published(session: LiveSession): Promise<unknown>;
  /** After it has closed. */
  forget(session: LiveSession): Promise<void>;
}

interface Entry {
  readonly opened: Promise<OpenedSession>;
  /** Settles when live sets may be read: before `sessionStart`, so that a handler of it may. */
  readonly live: Promise<LiveSession>;
  /** The same, for who does not want to wait. */
  session: LiveSession | undefined;
  closed: Promise<void> | undefined;
}

/** The sessions that are open here, each opened and closed once however many ask. */
export class OpenSessions {
  readonly #parts: OpenSessionsParts;
  readonly #entries = new Map<string, Entry>();

  constructor(parts: OpenSessionsParts) {
    this.#parts = parts;
  }

  open(id: string): Promise<OpenedSession> {
    const known = this.#entries.get(id);
    if (known !== undefined && known.closed === undefined) return known.opened;
    const before = known?.closed ?? Promise.resolve();
    const { promise: live, resolve, reject } = Promise.withResolvers<LiveSession>();
    const opened = before.then(() =>
      this.#open(id, (session) => {
        entry.session = session;
        resolve(session);
      }),
    );
    const entry: Entry = { opened, live, session: undefined, closed: undefined };
    this.#entries.set(id, entry);
    live.catch(() => {});
    opened.catch((error: unknown) => {
      reject(error);
      if (this.#entries.get(id) === entry) this.#entries.delete(id);
    });
    return opened;
  }

  /** An open session, at once where it is. Rejects with `session_not_open`. */
  of(id: string): LiveSession | Promise<LiveSession> {
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.closed !== undefined) throw hubError('session_not_open', id);
    return entry.session ?? entry.live;
  }

  /** Its database, where it is open: the same that live sets compare. */
  databaseOf(id: string): Database | undefined {
    return this.#entries.get(id)?.session?.database;
  }

  /** Lets go of what was kept for an agent. */
  forgetAgent(id: string): void {
    for (const { session } of this.#entries.values()) session?.sets.delete(id);
  }

  close(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return Promise.resolve();
    entry.closed ??= this.#close(entry).finally(() => {
      if (this.#entries.get(id) === entry) this.#entries.delete(id);
    });
    return entry.closed;
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#entries.keys()].map((id) => this.close(id)));
  }

  async #open(id: string, live: (session: LiveSession) => void): Promise<OpenedSession> {
    const { peer, clock, report, roster, sets } = this.#parts;
    const database = await peer.open(id);
    if (database.kind !== 'session') throw hubError('session_not_here');
    const installed = [...roster.all(), ...roster.failed()];
    const recorded = await recordActive(database, installed, { peerId: peer.peerId, clock, report });
    const session = new LiveSession(database, await nameOf(database));
    live(session);
    try {
      using set = await sets.lease(session, undefined);
      await fireSessionStart(set);
      const active: ReadonlyMap<string, ExtensionRef> = await readActive(database, {
        report,
        names: installed.map(({ name }) => name),
      });
      await this.#parts.published(session);
      return { active, recorded };
    } catch (error) {
      await this.#cancel(session);
      await this.#parts.instances.close(session.scope);
      throw error;
    }
  }

  /** Never rejects: whatever fails, the session is closed. */
  async #close(entry: Entry): Promise<void> {
    const { sets, instances, forget } = this.#parts;
    try {
      await entry.opened;
    } catch {
      return;
    }
    const { session } = entry;
    if (session === undefined) return;
    // Leased before anything is cancelled: a session that closes gives no other.
    const set = await this.#unlessItFails(session, async () => sets.lease(session, undefined));
    const isQuiet = await this.#cancel(session);
    if (set !== undefined) await this.#unlessItFails(session, () => fireSessionShutdown(set));
    set?.[Symbol.dispose]();
    await instances.close(session.scope);
    await this.#unlessItFails(session, () => forget(session));
    // A call that was left behind may still ask what changed.
    if (isQuiet) session.database.release();
  }

  /** Whether every call of it has ended in time. */
  async #cancel(session: LiveSession): Promise<boolean> {
    const { clock, report } = this.#parts;
    if ((await within(clock, liveLimits.closeCallsMs, session.close())) !== 'late') return true;
    report({
      code: 'session_close_late',
      scope: 'session',
      key: session.id,
      reason: hubErrors.session_close_late.message,
    });
    return false;
  }

  /** What fails while a session closes is told, and the rest goes on. */
  async #unlessItFails<T>(session: LiveSession, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const { code, reason } = faultOf(error, 'session_not_open');
      this.#parts.report({ code, scope: 'session', key: session.id, reason });
      return undefined;
    }
  }
}

/** For people. What another peer wrote may be anything. */
async function nameOf(database: Database): Promise<string> {
  const { name } = await database.doc<JsonObject>('meta').get();
  return typeof name === 'string' && name.trim() !== '' ? cutReason(name) : database.root;
}
