import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PersonalClaim } from '../auth/tokens.ts';
import { answerHeaders, sendEnvelope } from '../http/answer.ts';
import { answerFault } from '../http/coded-answer.ts';
import { refusalEnvelope } from '../http/envelope.ts';
import type { SessionPort } from './session-port.ts';
import { readAfter } from './session-queries.ts';
import { checkReach, reachOf } from './session-reach.ts';
import { hostOf, type SessionRouteOptions, sessionIn } from './session-route.ts';
import { queryOf } from './session-routes.ts';
import type { SessionReader } from './session-stream.ts';
import type { SessionStreams } from './session-streams.ts';

type Options = SessionRouteOptions & { readonly streams: SessionStreams };

/** `/api/sessions/:id/stream` and `/api/sessions/:id/export`: answers that go on. */
export function addStreamRoutes(server: FastifyInstance, options: Options): void {
  const route = { onRequest: options.admission.scoped('session:read'), exposeHeadRoute: false };
  const faults = { log: options.log, errors: options.errors };

  server.get('/api/sessions/:id/stream', route, (request, reply) => {
    const host = hostOf(options, reply);
    if (host === undefined) return;
    stream(host, options, request, reply).catch((error: unknown) => answerFault(reply, faults, error));
  });

  server.get('/api/sessions/:id/export', route, (request, reply) => {
    const host = hostOf(options, reply);
    if (host === undefined) return;
    exported(host, options, request, reply).catch((error: unknown) => answerFault(reply, faults, error));
  });
}

async function stream(
  host: SessionPort,
  { streams, log }: Options,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const session = sessionIn(request);
  const after = readAfter(queryOf(request), request.headers['last-event-id']);
  const reader = await admitted(host, request, session);
  const open = placed(reply, reader, () => streams.add(reply.raw, reader));
  if (open === undefined) return;
  reply.hijack();
  open.begin();
  try {
    open.follow(await host.events.subscribe(session, after === undefined ? {} : { after }, open.take));
  } catch (error) {
    // The head has left: all that can be said is that it ends, and the reader comes back.
    log('error', 'stream.failed', { reason: error instanceof Error ? error.message : 'unknown' });
    open.end();
  }
}

async function exported(
  host: SessionPort,
  { streams }: Options,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const session = sessionIn(request);
  const reader = await admitted(host, request, session);
  const open = placed(reply, reader, () => streams.addExport(reply.raw, reader));
  if (open === undefined) return;
  reply.headers(answerHeaders).type('application/x-ndjson; charset=utf-8');
  void reply.send(open.linesOf(host.exportSession(session)));
}

/** Who asks to read a session. Rejects with `session_unknown`, `token_limited`. */
async function admitted(host: SessionPort, request: FastifyRequest, session: string): Promise<SessionReader> {
  const claim = request.claim as PersonalClaim;
  await checkReach(host, claim.principal, session);
  await host.sessions.line(session);
  return { claim, reach: reachOf(host, claim.principal, session) };
}

/** What is open for it from now on; undefined where that was refused, or nobody waits any more. */
function placed<T>(reply: FastifyReply, { claim }: SessionReader, add: () => T | undefined): T | undefined {
  // Both may have ended since the request was let in.
  if (reply.raw.destroyed) return undefined;
  const isLive = claim.isLive();
  const open = isLive ? add() : undefined;
  if (open === undefined)
    sendEnvelope(reply, refusalEnvelope(isLive ? 'stream_limit_reached' : 'unauthorized'));
  return open;
}
