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
import type { OpenedSession, SessionUse } from './hub.ts';

export interface OpenSessionsParts {
  readonly peer: Peer;
  readonly clock: Clock;
  readonly report: Report;
  readonly roster: Pick<Roster, 'all' | 'failed'>;
  readonly instances: Pick<Instances, 'close'>;
  readonly sets: LiveSets;
  /** After a session has opened: what its extensions show. Never rejects. */
  published(session: LiveSession): Promise<unknown>;
  /** After it has closed, or was let go of: what was read of it need not be kept. */
  unread(id: string): void;
  /** After it has closed: what it published. */
  forget(id: string): Promise<void>;
}

interface Entry {
  readonly opened: Promise<OpenedSession>;
  /** Settles when live sets may be read: before `sessionStart`, so that a handler of it may. */
  readonly live: Promise<LiveSession>;
  /** The same, for who does not want to wait. */
  session: LiveSession | undefined;
  closed: Promise<void> | undefined;
  /** It ends because nothing used it: whoever asks for it has it opened again. */
  isReleased: boolean;
}

/** The sessions that are open here, each opened and closed once however many ask. */
export class OpenSessions {
  readonly #parts: OpenSessionsParts;
  readonly #entries = new Map<string, Entry>();
  #isOver = false;

  constructor(parts: OpenSessionsParts) {
    this.#parts = parts;
  }

  open(id: string): Promise<OpenedSession> {
    const known = this.#entries.get(id);
    if (known !== undefined && known.closed === undefined) {
      known.session?.touch();
      return known.opened;
    }
    const before = known?.closed ?? Promise.resolve();
    const { promise: live, resolve, reject } = Promise.withResolvers<LiveSession>();
    const opened = before.then(() =>
      this.#open(id, (session) => {
        entry.session = session;
        resolve(session);
      }),
    );
    const entry: Entry = { opened, live, session: undefined, closed: undefined, isReleased: false };
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
    if (entry?.isReleased === true && !this.#isOver) return this.open(id).then(() => this.of(id));
    if (entry === undefined || entry.closed !== undefined) throw hubError('session_not_open', id);
    entry.session?.touch();
    return entry.session ?? entry.live;
  }

  /** Whether live sets of it may be had at once. */
  isOpen(id: string): boolean {
    const entry = this.#entries.get(id);
    return entry?.session !== undefined && entry.closed === undefined;
  }

  uses(): readonly SessionUse[] {
    return [...this.#entries.values()].flatMap(({ session, closed }) =>
      session === undefined || closed !== undefined
        ? []
        : [{ id: session.id, usedMs: session.usedMs, isInUse: session.isInUse }],
    );
  }

  /** Has its database until `work` has ended: the one that live sets compare, where it is open. Rejects with a code of the store, or as `work` does. */
  async use<T>(id: string, work: (database: Database) => Promise<T>): Promise<T> {
    const entry = this.#entries.get(id);
    const session = entry?.session;
    // One whose opening has failed gives its handle back.
    if (session !== undefined && !session.isClosing && entry?.closed === undefined) {
      session.hold();
      try {
        return await work(session.database);
      } finally {
        session.drop();
      }
    }
    const database = await this.#parts.peer.open(id);
    try {
      return await work(database);
    } finally {
      database.release();
    }
  }

  /** Lets go of what was kept for an agent. */
  forgetAgent(id: string): void {
    for (const { session } of this.#entries.values()) session?.sets.delete(id);
  }

  close(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return this.#forget(id);
    if (entry.isReleased) return this.#end(entry, id).then(() => this.close(id));
    return this.#end(entry, id);
  }

  async closeAll(): Promise<void> {
    this.#isOver = true;
    await Promise.all([...this.#entries].map(([id, entry]) => this.#end(entry, id)));
  }

  /** Gives back what nothing has used for so long; see `Hub.releaseSession`. */
  async release(id: string, unusedMs: number): Promise<boolean> {
    const entry = this.#entries.get(id);
    if (entry === undefined) return true;
    if (entry.closed === undefined) {
      const { session } = entry;
      if (session === undefined || session.isInUse) return false;
      const leastMs = Math.max(unusedMs, liveLimits.keptOpenMs);
      if (this.#parts.clock.monotonicMs() - session.usedMs < leastMs) return false;
      entry.isReleased = true;
    }
    await this.#end(entry, id);
    return !this.#entries.has(id);
  }

  #end(entry: Entry, id: string): Promise<void> {
    entry.closed ??= this.#close(entry).finally(() => {
      if (this.#entries.get(id) === entry) this.#entries.delete(id);
    });
    return entry.closed;
  }

  /** Where it was let go of before it closed. */
  async #forget(id: string): Promise<void> {
    if (!this.#isOver) await this.#unlessItFails(id, () => this.#parts.forget(id));
  }

  async #open(id: string, live: (session: LiveSession) => void): Promise<OpenedSession> {
    const { peer, clock, report, roster, sets } = this.#parts;
    const database = await peer.open(id);
    using unlessItOpens = new DisposableStack();
    unlessItOpens.defer(() => database.release());
    if (database.kind !== 'session') throw hubError('session_not_here');
    const installed = [...roster.all(), ...roster.failed()];
    const recorded = await recordActive(database, installed, { peerId: peer.peerId, clock, report });
    const session = new LiveSession(database, await nameOf(database), clock);
    live(session);
    try {
      using set = await sets.lease(session, undefined);
      await fireSessionStart(set);
      const active: ReadonlyMap<string, ExtensionRef> = await readActive(database, {
        report,
        names: installed.map(({ name }) => name),
      });
      await this.#parts.published(session);
      unlessItOpens.move();
      return { active, recorded };
    } catch (error) {
      // A call that was left behind may still ask what changed.
      if (!(await this.#cancel(session))) unlessItOpens.move();
      await this.#parts.instances.close(session.scope);
      throw error;
    }
  }

  /** Never rejects: whatever fails, the session is closed. */
  async #close(entry: Entry): Promise<void> {
    const { sets, instances, unread, forget } = this.#parts;
    try {
      await entry.opened;
    } catch {
      return;
    }
    const { session } = entry;
    if (session === undefined) return;
    // Leased before anything is cancelled: a session that closes gives no other.
    const { id } = session;
    const set = await this.#unlessItFails(id, async () => sets.lease(session, undefined));
    const isQuiet = await this.#cancel(session);
    if (set !== undefined) await this.#unlessItFails(id, () => fireSessionShutdown(set));
    set?.[Symbol.dispose]();
    await instances.close(session.scope);
    unread(id);
    if (!entry.isReleased) await this.#unlessItFails(id, () => forget(id));
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
  async #unlessItFails<T>(id: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const { code, reason } = faultOf(error, 'session_not_open');
      this.#parts.report({ code, scope: 'session', key: id, reason });
      return undefined;
    }
  }
}

/** For people. What another peer wrote may be anything. */
async function nameOf(database: Database): Promise<string> {
  const { name } = await database.doc<JsonObject>('meta').get();
  return typeof name === 'string' && name.trim() !== '' ? cutReason(name) : database.root;
}
