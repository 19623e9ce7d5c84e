import { encodeJson, FairleadError, type Json, type JsonObject } from '@fairlead/base';
import type { Principal } from '@fairlead/dispatch';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { gatewayErrors } from '../errors.ts';
import { missingScope } from '../http/admission.ts';
import { type Envelope, successEnvelope } from '../http/envelope.ts';
import { sessionRouteLimits as limits } from '../limits.ts';
import { readMessage, readNewSession, readSessionChange } from './session-bodies.ts';
import type { SessionCaller } from './session-caller.ts';
import type { SessionPort, SessionRow } from './session-port.ts';
import { type EntryQuery, readEntryQuery, readSessionQuery, type SessionQuery } from './session-queries.ts';
import { checkReach, reaches, tokenLimited } from './session-reach.ts';
import { type SessionRouteOptions, sessionIn, sessionRoute } from './session-route.ts';
import { sessionView } from './session-view.ts';

/** `/api/sessions`, `/:id` and `/:id/entries`. */
export function addSessionRoutes(server: FastifyInstance, options: SessionRouteOptions): void {
  server.get(
    '/api/sessions',
    sessionRoute(options, 'session:read', async (host, { principal }, request) => {
      const rows = await listed(host, principal, readSessionQuery(queryOf(request)));
      return successEnvelope({ sessions: rows.map((row) => viewOf(host, principal, row)) });
    }),
  );

  server.post('/api/sessions', sessionRoute(options, 'session:write', create));

  server.get(
    '/api/sessions/:id',
    sessionRoute(options, 'session:read', async (host, { principal }, request) =>
      shown(host, principal, sessionIn(request)),
    ),
  );

  server.patch('/api/sessions/:id', sessionRoute(options, null, change));

  server.get(
    '/api/sessions/:id/entries',
    sessionRoute(options, 'session:read', async (host, { principal }, request) => {
      const session = sessionIn(request);
      const query = readEntryQuery(queryOf(request));
      await checkReach(host, principal, session);
      return successEnvelope(await entryPage(host, session, query));
    }),
  );

  server.post(
    '/api/sessions/:id/entries',
    sessionRoute(options, 'session:write', async (host, { principal, speaker: from }, request) => {
      const session = sessionIn(request);
      const message = readMessage(bodyOf(request));
      await checkReach(host, principal, session);
      const { id, woken, again } = await host.post({ ...message, session, from });
      return successEnvelope({ id, woken, again });
    }),
  );
}

export function bodyOf(request: FastifyRequest): Json {
  return (request.body ?? null) as Json;
}

export function queryOf(request: FastifyRequest): Readonly<Record<string, unknown>> {
  return request.query as Readonly<Record<string, unknown>>;
}

async function listed(
  host: SessionPort,
  principal: Principal,
  { name, closed, limit }: SessionQuery,
): Promise<readonly SessionRow[]> {
  if (name !== undefined) {
    const rows = await Promise.all((await named(host, name)).map((id) => host.sessions.line(id)));
    return (await within(host, principal, rows)).filter(({ id }) => id !== name).slice(0, limit);
  }
  // Of those that a limited token does not reach any may be among the newest.
  const most = principal.runners === undefined ? limit : limits.sessions.max;
  const rows = await host.sessions.list({ closed, limit: most });
  return (await within(host, principal, rows)).slice(0, limit);
}

async function named(host: SessionPort, name: string): Promise<readonly string[]> {
  try {
    return [await host.sessions.resolve(name)];
  } catch (error) {
    if (error instanceof FairleadError && error.code === 'session_unknown') return [];
    if (!(error instanceof FairleadError) || error.code !== 'session_ambiguous') throw error;
    const several = (error.detail as JsonObject | undefined)?.['sessions'];
    return Array.isArray(several) ? (several as string[]).slice(0, limits.sessions.max) : [];
  }
}

/** What lies within the Runners of the token: the rest is as good as absent. */
async function within(
  host: SessionPort,
  principal: Principal,
  rows: readonly SessionRow[],
): Promise<readonly SessionRow[]> {
  const reached = await Promise.all(rows.map(({ meta }) => reaches(host, principal, meta.agents)));
  return rows.filter((_, index) => reached[index] === true);
}

function viewOf(host: SessionPort, { scopes }: Principal, row: SessionRow): JsonObject {
  return sessionView(host, row, scopes.includes('admin'));
}

async function shown(host: SessionPort, principal: Principal, session: string): Promise<Envelope> {
  await checkReach(host, principal, session);
  return successEnvelope(viewOf(host, principal, await host.sessions.line(session)));
}

async function create(
  host: SessionPort,
  { principal }: SessionCaller,
  request: FastifyRequest,
): Promise<Envelope> {
  const wanted = readNewSession(bodyOf(request));
  // It says what `$workspace` opens to every tool of the session.
  if (wanted.workspace !== undefined && !principal.scopes.includes('admin')) return missingScope('admin');
  const agents = await Promise.all((wanted.agents ?? []).map((agent) => host.agents.resolve(agent)));
  if (!(await reaches(host, principal, agents))) throw tokenLimited();
  const id = await host.newSession({ ...wanted, source: 'http' });
  return successEnvelope(viewOf(host, principal, await host.sessions.line(id)));
}

async function change(
  host: SessionPort,
  { principal }: SessionCaller,
  request: FastifyRequest,
): Promise<Envelope> {
  const session = sessionIn(request);
  const { name, model, mode, closed } = readSessionChange(bodyOf(request));
  const { scopes } = principal;
  const writes = name !== undefined || model !== undefined || closed !== undefined;
  if (writes && !scopes.includes('session:write')) return missingScope('session:write');
  const mayGuard = scopes.includes('session:approve') || scopes.includes('admin');
  if (mode !== undefined && !mayGuard) return missingScope('session:approve');
  await checkReach(host, principal, session);
  // Before anything is changed: half of a change is worse than none.
  if (typeof model === 'string' && !host.models.refs.includes(model))
    throw new FairleadError('model_unknown', 'No back end of this host has a model of this name.');
  const { sessions } = host;
  if (closed === false) await sessions.reopen(session);
  if (model !== undefined) await sessions.setModel(session, model);
  if (name !== undefined) await sessions.rename(session, name);
  if (mode !== undefined) await sessions.setMode(session, mode, { scopes });
  if (closed === true) await host.closeSession(session);
  return successEnvelope(viewOf(host, principal, await sessions.line(session)));
}

/** A page ends early where it would grow beyond its bytes; the next one goes on there. */
async function entryPage(host: SessionPort, session: string, query: EntryQuery): Promise<JsonObject> {
  const page = await host.entries(session, query).catch((error: unknown) => {
    const isGone = error instanceof FairleadError && error.code === 'record_not_found';
    throw isGone ? new FairleadError('entry_not_found', gatewayErrors.entry_not_found.message) : error;
  });
  let bytes = 0;
  for (const [index, entry] of page.entries.entries()) {
    bytes += Buffer.byteLength(encodeJson(entry));
    const last = page.entries[index - 1];
    if (bytes > limits.pageBytes && last !== undefined)
      return { entries: page.entries.slice(0, index) as unknown as Json, before: last.id };
  }
  return { entries: page.entries as unknown as Json, before: page.before };
}
