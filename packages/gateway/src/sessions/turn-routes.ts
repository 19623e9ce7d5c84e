import type { Socket } from 'node:net';
import { type ErrorTable, isJsonObject, type Json } from '@fairlead/base';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { PersonalClaim } from '../auth/tokens.ts';
import type { Callers } from '../calls/callers.ts';
import type { RunningRequests } from '../calls/running-requests.ts';
import { missingScope } from '../http/admission.ts';
import { answerWith } from '../http/coded-answer.ts';
import { type Envelope, failureEnvelope, refusalEnvelope, successEnvelope } from '../http/envelope.ts';
import { sessionRouteLimits } from '../limits.ts';
import { readLine, readRun } from './session-bodies.ts';
import { callerOf, type SessionCaller } from './session-caller.ts';
import type { CommandOutcome, SessionPort } from './session-port.ts';
import { checkReach, tokenLimited } from './session-reach.ts';
import { hostOf, type SessionRouteOptions, sessionIn, sessionRoute } from './session-route.ts';
import { bodyOf } from './session-routes.ts';

/** `/api/sessions/:id/cancel`, `/continue`, `/command` and `/run`. */
export function addTurnRoutes(
  server: FastifyInstance,
  /** `runs`: requests that are waited for until their turn has ended; `callers`: who waits for them. */
  options: SessionRouteOptions & { readonly runs: RunningRequests; readonly callers: Callers },
): void {
  server.post(
    '/api/sessions/:id/cancel',
    sessionRoute(options, 'session:write', async (host, { principal }, request) => {
      const session = sessionIn(request);
      await checkReach(host, principal, session);
      await host.sessions.line(session);
      return successEnvelope({ cancelled: await host.cancel(session) });
    }),
  );

  server.post(
    '/api/sessions/:id/continue',
    sessionRoute(options, 'session:write', async (host, { principal }, request) => {
      const session = sessionIn(request);
      await checkReach(host, principal, session);
      const { turn } = await host.continueTurn(session);
      return successEnvelope({ turn });
    }),
  );

  server.post(
    '/api/sessions/:id/command',
    sessionRoute(
      options,
      'session:write',
      async (host, { principal, actor: by }, request) => {
        const session = sessionIn(request);
        const line = readLine(bodyOf(request));
        // A command looks at the whole host, and at every session of it.
        if (principal.runners !== undefined) throw tokenLimited();
        await host.sessions.line(session);
        return commandEnvelope(await host.command({ session, line, by }), options.errors);
      },
      ({ error }) => (error === null ? 200 : error.code === 'insufficient_scope' ? 403 : 400),
    ),
  );

  server.post('/api/sessions/:id/run', {
    onRequest: options.admission.scoped('session:write'),
    handler: (request, reply) => {
      const host = hostOf(options, reply);
      if (host === undefined) return;
      answerWith(reply, { ...options, running: options.runs }, async () => {
        holdSocket(request.raw.socket);
        const gone = new AbortController();
        const { callers } = options;
        const caller = callers.of(request.claim as PersonalClaim, reply.raw);
        const stop = caller.onGone(() => {
          // What a stop cuts short is its host's to end, and is not taken back.
          if (!callers.isStopping) gone.abort();
        });
        const isLive = () => {
          const is = caller.isLive();
          // Nobody is told when a token expires.
          if (!is) gone.abort();
          return is;
        };
        try {
          return await run(host, callerOf(request), request, { signal: gone.signal, isLive });
        } finally {
          stop();
        }
      });
    },
  });
}

/** What lasts as long as whoever asked for a run waits for it, with a token that is good. */
type Lease = { readonly signal: AbortSignal; readonly isLive: () => boolean };

/** It is silent for as long as the turn lasts; whether the other side is still there the network is asked meanwhile. */
function holdSocket(socket: Socket): void {
  // The server sets both anew for the next request of the socket.
  socket.setTimeout(0);
  socket.setKeepAlive(true, sessionRouteLimits.runProbeMs);
}

async function run(
  host: SessionPort,
  { principal, speaker: from }: SessionCaller,
  request: FastifyRequest,
  { signal, isLive }: Lease,
): Promise<Envelope> {
  const session = sessionIn(request);
  const { approve, ...wanted } = readRun(bodyOf(request));
  if (approve !== undefined && !principal.scopes.includes('session:approve'))
    return missingScope('session:approve');
  await checkReach(host, principal, session);
  await host.sessions.line(session);
  // The token may have ended since the request was let in.
  if (!isLive()) return refusalEnvelope('unauthorized');
  // Nobody would wait for it.
  if (signal.aborted) return refusalEnvelope('request_incomplete');
  const approved = approve === undefined ? {} : { approve };
  const report = await host.runOnce({ ...wanted, ...approved, session, from, signal, isLive });
  return successEnvelope(report as unknown as Json);
}

/** What a command answered. A line that did not fit ran nothing; anything else that it says, it says at its end. */
function commandEnvelope(outcome: CommandOutcome, errors: ErrorTable = {}): Envelope {
  if (!('error' in outcome)) {
    const { text, data, open, quit } = outcome;
    const more = { ...(open === undefined ? {} : { open }), ...(quit === undefined ? {} : { quit }) };
    return successEnvelope({ text, ...(data === undefined ? {} : { data }), ...more });
  }
  const {
    code,
    message,
    usage,
    detail,
    certainty = NOTHING_RAN.has(code) ? 'not_started' : 'completed',
  } = outcome.error;
  const entry = Object.hasOwn(errors, code) ? errors[code] : undefined;
  const recovery = entry === undefined ? {} : { recovery: entry.next };
  const more = { ...(isJsonObject(detail) ? detail : {}), ...(usage === undefined ? {} : { usage }) };
  const error = { code, message, ...recovery, ...(Object.keys(more).length === 0 ? {} : { detail: more }) };
  return failureEnvelope(error, certainty);
}

const NOTHING_RAN: ReadonlySet<string> = new Set(['unknown_command', 'command_usage']);
