import { type ErrorTable, FairleadError } from '@fairlead/base';
import type { Scope } from '@fairlead/dispatch';
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { RunningRequests } from '../calls/running-requests.ts';
import type { Admission } from '../http/admission.ts';
import { sendEnvelope } from '../http/answer.ts';
import { answerWith } from '../http/coded-answer.ts';
import { type Envelope, refusalEnvelope } from '../http/envelope.ts';
import type { Log } from '../log/log.ts';
import { callerOf, type SessionCaller } from './session-caller.ts';
import type { SessionPort } from './session-port.ts';

/** What the routes about sessions need. */
export type SessionRouteOptions = {
  readonly admission: Admission;
  /** Absent on a gateway without a host of sessions. */
  readonly host: SessionPort | undefined;
  /** The host's codes: raised before anything is done. */
  readonly errors: ErrorTable | undefined;
  readonly running: RunningRequests;
  readonly log: Log;
};

/** What a request of such a route comes to. */
export type SessionWork = (
  host: SessionPort,
  caller: SessionCaller,
  request: FastifyRequest,
) => Promise<Envelope>;

type Route = {
  readonly onRequest: onRequestHookHandler;
  readonly handler: (request: FastifyRequest, reply: FastifyReply) => void;
};

/** The hook and the handler of a route whose token needs `scope`; null where what is asked says which. */
export function sessionRoute(
  options: SessionRouteOptions,
  scope: Scope | null,
  work: SessionWork,
  statusOf?: (envelope: Envelope) => number,
): Route {
  const { admission, errors, running, log } = options;
  return {
    onRequest: scope === null ? admission.personal : admission.scoped(scope),
    handler: (request, reply) => {
      const host = hostOf(options, reply);
      if (host === undefined) return;
      const readsOnly = request.method === 'GET' || request.method === 'HEAD';
      const how = { running, log, errors, readsOnly, ...(statusOf === undefined ? {} : { statusOf }) };
      answerWith(reply, how, () => work(host, callerOf(request), request));
    },
  };
}

/** The host; where there is none, the request has been answered. */
export function hostOf(options: SessionRouteOptions, reply: FastifyReply): SessionPort | undefined {
  if (options.host === undefined) sendEnvelope(reply, refusalEnvelope('sessions_unavailable'));
  return options.host;
}

/** The session of the address. Throws `session_unknown` for what is no id. */
export function sessionIn(request: FastifyRequest): string {
  const { id = '' } = request.params as { readonly id?: string };
  if (!/^ses_[\w-]{43}$/.test(id))
    throw new FairleadError('session_unknown', 'There is no such session here.');
  return id;
}
