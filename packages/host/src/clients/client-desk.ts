import { encodeJson, FairleadError, type Json, type JsonObject } from '@fairlead/base';
import type { DeskAnswer, DeskVisitor, SessionDesk } from '@fairlead/dispatch';
import { entryPage } from '../entries/entry-log.ts';
import { clientLimits, sessionBounds } from '../limits.ts';
import type { SessionLine } from '../sessions/sessions.ts';
import type { ClientFloor } from './client-floor.ts';
import { dispatchFault, errorOf, refusedError, speakerOf } from './client-words.ts';
import { isWithinReach, openedSession } from './opened-session.ts';

/** What clients may do with sessions themselves. What a token does not reach is as good as absent. */
export class ClientDesk implements SessionDesk {
  readonly #host: ClientFloor;

  constructor(host: ClientFloor) {
    this.#host = host;
  }

  async list(
    { principal }: DeskVisitor,
    { closed, limit }: Parameters<SessionDesk['list']>[1],
  ): Promise<DeskAnswer> {
    const { floor } = this.#host;
    // Of those that a limited token does not reach any may be among the newest.
    const most = principal.runners === undefined ? limit : sessionBounds.sessions;
    const lines = await floor.sessions.list({ closed, limit: most });
    const sessions: JsonObject[] = [];
    for (const line of lines) {
      if (sessions.length >= limit) break;
      if (await isWithinReach(floor, principal, line.meta.agents)) sessions.push(shown(line));
    }
    return done({ sessions });
  }

  async create(
    { principal }: DeskVisitor,
    wanted: Parameters<SessionDesk['create']>[1],
  ): Promise<DeskAnswer> {
    const { floor } = this.#host;
    return await answered(async () => {
      const named = await Promise.all((wanted.agents ?? []).map((agent) => floor.agents.resolve(agent)));
      if (!(await isWithinReach(floor, principal, named)))
        return { ok: false, error: errorOf(dispatchFault('token_limited')) };
      const id = await this.#host.newSession({ ...wanted, source: 'client' });
      return done(shown(await floor.sessions.line(id)));
    });
  }

  async read(
    { principal }: DeskVisitor,
    { session, before, limit }: Parameters<SessionDesk['read']>[1],
  ): Promise<DeskAnswer> {
    const opened = await openedSession(this.#host.floor, session, principal, { isRead: true });
    if (!opened.ok) return opened;
    try {
      const page = await entryPage(opened.database, { limit, ...(before === undefined ? {} : { before }) });
      let bytes = 0;
      for (const [index, entry] of page.entries.entries()) {
        bytes += Buffer.byteLength(encodeJson(entry as unknown as Json));
        const last = page.entries[index - 1];
        if (bytes > clientLimits.readBytes && last !== undefined)
          return done({ entries: page.entries.slice(0, index) as unknown as Json, before: last.id });
      }
      return done({ entries: page.entries as unknown as Json, before: page.before });
    } catch (error) {
      if (!(error instanceof FairleadError) || error.code !== 'record_not_found') throw error;
      const { code, message, next: recovery } = { ...dispatchFault('invalid_arguments'), next: LIST };
      return {
        ok: false,
        error: { code, message, recovery, detail: { member: 'before', problem: 'unknown' } },
      };
    }
  }

  async append(
    { principal, caller }: DeskVisitor,
    { session, ...message }: Parameters<SessionDesk['append']>[1],
  ): Promise<DeskAnswer> {
    const opened = await openedSession(this.#host.floor, session, principal);
    if (!opened.ok) return opened;
    return await answered(async () => {
      const from = speakerOf(principal, caller?.name);
      const { id, woken, again } = await this.#host.post({ ...message, session, from });
      return done({ id, woken: [...woken], again });
    });
  }
}

const LIST = 'Give the id that stands in `before` of an answer about the same session.';

async function answered(work: () => Promise<DeskAnswer>): Promise<DeskAnswer> {
  try {
    return await work();
  } catch (error) {
    return { ok: false, error: refusedError(error) };
  }
}

function done(output: JsonObject): DeskAnswer {
  return { ok: true, output };
}

/** Without the folder: that is the host's own. */
function shown({ id, lastAtMs, meta }: SessionLine): JsonObject {
  return {
    id,
    name: meta.name ?? null,
    mode: meta.mode,
    closed: meta.closed,
    agents: meta.agents.map((agent) => ({ id: agent.id, name: agent.name })),
    host: meta.host ?? null,
    createdAtMs: meta.created,
    lastAtMs,
  };
}
