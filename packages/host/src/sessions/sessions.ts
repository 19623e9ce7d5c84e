import { type Clock, FairleadError, type JsonObject } from '@fairlead/base';
import type { SessionUse } from '@fairlead/hub';
import type { Database, DatabaseTx, Peer, Store, Tx } from '@fairlead/store';
import type { Agents, KnownAgent } from '../agents/agents.ts';
import { hostError } from '../errors.ts';
import type { LeakDetector } from '../leaks/leak-detector.ts';
import { sessionBounds } from '../limits.ts';
import type { SessionMode } from '../policy/decide.ts';
import { readMeta, type SessionMeta, type SessionParent } from './session-meta.ts';

export interface SessionsOptions {
  readonly peer: Peer;
  readonly store: Store;
  readonly clock: Clock;
  readonly agents: Agents;
  readonly isModel: (ref: string) => boolean;
  /** What a name is looked through with: it is shown to whoever lists sessions. */
  readonly leaks: Pick<LeakDetector, 'text'>;
  /** `[agent_groups]` of the file. */
  readonly groups?: ReadonlyMap<string, readonly string[]>;
}

export interface NewSession {
  readonly name?: string;
  /** Names or ids; the first is the host agent. */
  readonly agents?: readonly string[];
  /** Instead: the agents of a group. */
  readonly group?: string;
  readonly mode?: SessionMode;
  readonly source?: string;
  readonly model?: string;
  /** As it is stored; see docs/reference/policy.md. */
  readonly grants?: JsonObject;
  readonly parent?: SessionParent;
  /** A folder of this machine; it stays here. */
  readonly workspace?: string;
}

/** What is written with a new session, all or nothing. */
export interface AlsoWritten {
  /** In its first commit. */
  readonly inSession?: (session: DatabaseTx) => void;
  /** In rows of this peer, and in other databases. */
  readonly beside?: (tx: Tx, id: string) => void;
}

/** A line of a list of sessions. */
export interface SessionLine {
  readonly id: string;
  readonly workspace: string | null;
  readonly lastAtMs: number;
  readonly meta: SessionMeta;
}

/** The database of a session until it is disposed, however long that takes. */
export interface HeldSession extends Disposable {
  readonly database: Database;
}

type Open = { readonly database: Database; changes: number; meta: SessionMeta };
/** A session in memory. */
type Kept = {
  readonly opening: Promise<Open>;
  open: Open | undefined;
  holds: number;
  /** By the monotonic clock: when its handle was given out last. What was only looked at goes first. */
  usedMs: number;
};
/** Ids that a refusal says; its detail has all of them. */
const NAMED = 8;

type Local = { readonly session: string; readonly workspace: string | null; readonly last_at: number };

const INSERT_LOCAL = 'INSERT INTO session_local (session, workspace, last_at) VALUES (?, ?, ?)';
const TOUCH = 'UPDATE session_local SET last_at = max(last_at, ?) WHERE session = ?';
const LOCAL = 'SELECT session, workspace, last_at FROM session_local WHERE session = ?';
const NEWEST = 'SELECT session, workspace, last_at FROM session_local ORDER BY last_at DESC, session LIMIT ?';
const IGNORE_ALL = `UPDATE wakes SET state = 'ignored', reason = 'session_closed' WHERE session = ? AND state = 'pending'`;

/** The sessions of this peer: their databases, what they are, and what only this machine knows of them. */
export class Sessions {
  readonly #options: SessionsOptions;
  readonly #kept = new Map<string, Kept>();
  readonly #naming = new Map<string, Promise<string>>();
  readonly #ignored = new Set<(session: string) => void>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** Answers its id; `also` writes in the same transaction. Rejects with `agent_unknown`, `agent_ambiguous`, `session_invalid`. */
  async create(made: NewSession = {}, also: AlsoWritten = {}): Promise<string> {
    const { peer, clock, groups } = this.#options;
    const members = made.group === undefined ? (made.agents ?? []) : groups?.get(made.group);
    if (members === undefined) throw hostError('session_invalid', 'group');
    if (members.length > sessionBounds.attached) throw hostError('session_invalid', 'agents');
    const agents: KnownAgent[] = [];
    for (const member of members) {
      const agent = await this.#options.agents.resolve(member);
      if (!agents.some(({ id }) => id === agent.id)) agents.push(agent);
    }
    const at = nowMs(clock);
    const { mode = 'normal', source, model, grants, parent, workspace } = made;
    const name = made.name === undefined ? undefined : this.#shown(made.name);
    if (name !== undefined) checkName(name);
    return await peer.transaction((tx) => {
      const id = tx.create('session', (session) => {
        session.patch('meta', { mode, created: at, ...defined({ name, source, model, grants }) });
        if (parent !== undefined) session.set('meta', ['parent'], { ...parent });
        for (const [index, agent] of agents.entries())
          session.set('meta', ['agents', agent.id], { name: agent.name, attached: at + index });
        if (agents[0] !== undefined) session.set('meta', ['host'], agents[0].id);
        also.inSession?.(session);
      });
      tx.write(INSERT_LOCAL, [id, workspace ?? null, at]);
      also.beside?.(tx, id);
      return id;
    });
  }

  /** The open session of a name, or a new one: two that ask at once get the same. */
  async named(wanted: string, made: Omit<NewSession, 'name'> = {}): Promise<string> {
    const name = this.#shown(wanted);
    const naming = this.#naming.get(name);
    if (naming !== undefined) return await naming;
    const flight = this.#named(name, made).finally(() => this.#naming.delete(name));
    this.#naming.set(name, flight);
    return await flight;
  }

  async #named(name: string, made: Omit<NewSession, 'name'>): Promise<string> {
    const known = (await this.list()).find(({ meta }) => meta.name === name);
    return known?.id ?? (await this.create({ ...made, name }));
  }

  /**
   * The database of a session. The handle is shared: do not release it. It is good for a minute, and while something goes on in the session;
   * whoever needs it longer holds it. Rejects with `session_unknown`.
   */
  async open(id: string): Promise<Database> {
    const kept = this.#keep(id);
    kept.usedMs = this.#options.clock.monotonicMs();
    return (await kept.opening).database;
  }

  /** The same for as long as it is held. Dispose it. */
  async hold(id: string): Promise<HeldSession> {
    const kept = this.#keep(id);
    kept.holds += 1;
    let isHeld = true;
    const drop = () => {
      if (!isHeld) return;
      isHeld = false;
      kept.holds -= 1;
      kept.usedMs = this.#options.clock.monotonicMs();
    };
    try {
      const { database } = await kept.opening;
      return { database, [Symbol.dispose]: drop };
    } catch (error) {
      drop();
      throw error;
    }
  }

  /** What it is now. Rejects with `session_unknown`. */
  async meta(id: string): Promise<SessionMeta> {
    const kept = this.#keep(id);
    // No use of it: a list of all sessions would keep each of them in memory.
    kept.holds += 1;
    try {
      const open = await kept.opening;
      const changes = open.database.changes('meta');
      if (open.changes !== changes) {
        const meta = readMeta((await open.database.doc('meta').get()) as JsonObject, this.#options.isModel);
        // It may have been written before something was a secret, or by another peer.
        open.meta = meta.name === undefined ? meta : { ...meta, name: this.#shown(meta.name) };
        open.changes = changes;
      }
      return open.meta;
    } finally {
      kept.holds -= 1;
    }
  }

  /** By id, or by the name of one that is open. Rejects with `session_unknown`, `session_ambiguous` where several have the name. */
  async resolve(nameOrId: string): Promise<string> {
    if (nameOrId.startsWith('ses_')) return (await this.open(nameOrId)).root;
    const name = this.#shown(nameOrId);
    const [first, ...others] = (await this.list()).filter(({ meta }) => meta.name === name);
    if (first === undefined) throw hostError('session_unknown');
    if (others.length === 0) return first.id;
    const ids = [first, ...others].map(({ id }) => id);
    throw hostError('session_ambiguous', ids.slice(0, NAMED).join(', '), { sessions: ids });
  }

  /** The ones used last first; `closed` lists these too. */
  async list(
    options: { readonly limit?: number; readonly closed?: boolean } = {},
  ): Promise<readonly SessionLine[]> {
    const rows = await this.#options.store.read<Local>(NEWEST, [sessionBounds.sessions]);
    const lines: SessionLine[] = [];
    for (const { session, workspace, last_at: lastAtMs } of rows) {
      if (lines.length >= (options.limit ?? sessionBounds.sessions)) break;
      const meta = await this.meta(session).catch(absent);
      if (meta === undefined || (meta.closed && options.closed !== true)) continue;
      lines.push({ id: session, workspace, lastAtMs, meta });
    }
    return lines;
  }

  /** The line of one. Rejects with `session_unknown`. */
  async line(id: string): Promise<SessionLine> {
    const meta = await this.meta(id);
    const [row] = await this.#options.store.read<Local>(LOCAL, [id]);
    return { id, workspace: row?.workspace ?? null, lastAtMs: row?.last_at ?? meta.created, meta };
  }

  /** Its folder on this machine; null where it has none of its own. */
  async workspace(id: string): Promise<string | null> {
    const [row] = await this.#options.store.read<Local>(LOCAL, [id]);
    return row?.workspace ?? null;
  }

  async setWorkspace(id: string, workspace: string): Promise<void> {
    await this.open(id);
    const sql = `${INSERT_LOCAL} ON CONFLICT (session) DO UPDATE SET workspace = excluded.workspace`;
    await this.#options.store.write([{ sql, parameters: [id, workspace, nowMs(this.#options.clock)] }]);
  }

  /** Notes that something happened there. */
  async touch(id: string): Promise<void> {
    await this.#options.store.write([{ sql: TOUCH, parameters: [nowMs(this.#options.clock), id] }], 'normal');
  }

  /** Gives it a name, or takes it away. */
  async rename(id: string, name: string | null): Promise<void> {
    const shown = name === null ? null : this.#shown(name);
    if (shown !== null) checkName(shown);
    await this.#set(id, ['name'], shown);
  }

  /** Changes the mode, for who has `session:approve` or `admin`: rejects others with `session_mode_denied`. */
  async setMode(id: string, mode: SessionMode, by: { readonly scopes: readonly string[] }): Promise<void> {
    if (!by.scopes.includes('session:approve') && !by.scopes.includes('admin'))
      throw hostError('session_mode_denied');
    await this.#set(id, ['mode'], mode);
  }

  /** The model of the session, or of one agent in it; null is the default again. Rejects with `model_unknown`. */
  async setModel(id: string, model: string | null, agent?: string): Promise<void> {
    if (model !== null && !this.#options.isModel(model)) throw hostError('model_unknown');
    await this.#set(id, agent === undefined ? ['model'] : ['models', agent], model);
  }

  /** How many turns agents take among themselves; null is the default again. */
  async setBurst(id: string, burst: number | null): Promise<void> {
    const fits = burst === null || (Number.isInteger(burst) && burst >= 1 && burst <= sessionBounds.burstMax);
    if (!fits) throw hostError('session_invalid', `burst is 1 to ${sessionBounds.burstMax}`);
    await this.#set(id, ['burst'], burst);
  }

  /** Lets an agent take part; the first one becomes the host agent. Once more does nothing. */
  async attach(id: string, nameOrId: string): Promise<KnownAgent> {
    const agent = await this.#options.agents.resolve(nameOrId);
    const meta = await this.#openMeta(id);
    if (meta.agents.some((known) => known.id === agent.id)) return agent;
    if (meta.agents.length >= sessionBounds.attached) throw hostError('session_invalid', 'agents');
    await (await this.open(id)).commit((tx) => {
      tx.set('meta', ['agents', agent.id], { name: agent.name, attached: nowMs(this.#options.clock) });
      if (meta.host === undefined) tx.set('meta', ['host'], agent.id);
    });
    return agent;
  }

  /** Ends an agent's part; what waited for it is ignored. A host agent leaves the session without one. */
  async detach(id: string, nameOrId: string): Promise<void> {
    const meta = await this.#openMeta(id);
    const agent = attachedOf(meta, nameOrId);
    const database = await this.open(id);
    await this.#options.peer.transaction((tx) => {
      tx.on(database).clear('meta', ['agents', agent]);
      if (meta.host === agent) tx.on(database).clear('meta', ['host']);
      const reason = "UPDATE wakes SET state = 'ignored', reason = 'agent_not_attached'";
      tx.write(`${reason} WHERE session = ? AND agent = ? AND state = 'pending'`, [id, agent]);
    });
    this.#tellIgnored(id);
  }

  /** Who answers where nobody is mentioned; null is nobody. Rejects with `agent_not_attached`. */
  async setHost(id: string, nameOrId: string | null): Promise<void> {
    const agent = nameOrId === null ? null : attachedOf(await this.meta(id), nameOrId);
    await this.#set(id, ['host'], agent);
  }

  /** Ends a session: nothing wakes there any more. It can be read and exported. Once more does nothing. */
  async close(id: string): Promise<void> {
    const database = await this.open(id);
    if ((await this.meta(id)).closed) return;
    await this.#options.peer.transaction((tx) => {
      tx.on(database).set('meta', ['closed'], nowMs(this.#options.clock));
      tx.write(IGNORE_ALL, [id]);
    });
    this.#tellIgnored(id);
  }

  async reopen(id: string): Promise<void> {
    await (await this.open(id)).doc('meta').clear(['closed']);
  }

  /** The sessions whose database is in memory. */
  inMemory(): readonly SessionUse[] {
    return [...this.#kept].map(([id, { holds, usedMs }]) => ({ id, usedMs, isInUse: holds > 0 }));
  }

  /**
   * Gives the memory of a session back that nothing runs in; it is read again when it is wanted. False, and nothing is done, where it is held, or its
   * handle was given out within `unusedMs`.
   */
  forget(id: string, { unusedMs = 0 }: { readonly unusedMs?: number } = {}): boolean {
    const kept = this.#kept.get(id);
    if (kept === undefined) return true;
    const { open, holds, usedMs } = kept;
    if (open === undefined || holds > 0) return false;
    if (this.#options.clock.monotonicMs() - usedMs < unusedMs) return false;
    this.#kept.delete(id);
    open.database.release();
    return true;
  }

  /** Hears of sessions in which something that waited waits no more, until what it gives is called. */
  onIgnored(listener: (session: string) => void): () => void {
    this.#ignored.add(listener);
    return () => void this.#ignored.delete(listener);
  }

  /** A name without what looks like a secret: as it is kept, looked for and shown. */
  #shown(name: string): string {
    return this.#options.leaks.text(name).value;
  }

  #tellIgnored(id: string): void {
    for (const listener of this.#ignored) listener(id);
  }

  async #openMeta(id: string): Promise<SessionMeta> {
    const meta = await this.meta(id);
    if (meta.closed) throw hostError('session_closed');
    return meta;
  }

  async #set(id: string, path: readonly string[], value: string | number | null): Promise<void> {
    await this.#openMeta(id);
    const meta = (await this.open(id)).doc('meta');
    await (value === null ? meta.clear(path) : meta.set(path, value));
  }

  /** At once, so that nothing is given back between the look and the use. */
  #keep(id: string): Kept {
    const known = this.#kept.get(id);
    if (known !== undefined) return known;
    const opening = this.#openDatabase(id).then(
      (open) => {
        kept.open = open;
        return open;
      },
      (error: unknown) => {
        if (this.#kept.get(id) === kept) this.#kept.delete(id);
        const gone = error instanceof FairleadError && error.code === 'database_not_found';
        throw gone ? hostError('session_unknown') : error;
      },
    );
    const kept: Kept = { opening, open: undefined, holds: 0, usedMs: Number.NEGATIVE_INFINITY };
    this.#kept.set(id, kept);
    return kept;
  }

  async #openDatabase(id: string): Promise<Open> {
    if (!id.startsWith('ses_')) throw hostError('session_unknown');
    const database = await this.#options.peer.open(id);
    return { database, changes: -1, meta: readMeta({}, this.#options.isModel) };
  }
}

/** The id of an agent that takes part, by name or id. Throws `agent_not_attached`. */
export function attachedOf(meta: SessionMeta, nameOrId: string): string {
  const wanted = nameOrId.toLowerCase();
  const agent = meta.agents.find(({ id, name }) => id === nameOrId || name.toLowerCase() === wanted);
  if (agent === undefined) throw hostError('agent_not_attached');
  return agent.id;
}

/** Whole milliseconds by the wall clock. */
export function nowMs(clock: Clock): number {
  return Math.max(0, Math.floor(clock.wallMs()));
}

function checkName(name: string): void {
  const fits = name !== '' && !/\p{Cc}/u.test(name) && Buffer.byteLength(name) <= sessionBounds.nameBytes;
  if (!fits || name.startsWith('ses_')) throw hostError('session_invalid', 'name');
}

function defined(members: Readonly<Record<string, string | JsonObject | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as JsonObject;
}

function absent(error: unknown): undefined {
  if (error instanceof FairleadError && error.code === 'session_unknown') return undefined;
  throw error;
}
