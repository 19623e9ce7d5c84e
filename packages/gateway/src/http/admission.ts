import type { Socket } from 'node:net';
import { dispatchErrors, type Scope } from '@fairlead/dispatch';
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { bearerToken } from '../auth/bearer.ts';
import type { PersonalClaim, Tokens } from '../auth/tokens.ts';
import type { Log } from '../log/log.ts';
import { sendEnvelope } from './answer.ts';
import type { ClientAddress } from './client-address.ts';
import { type Envelope, failureEnvelope, refusalEnvelope } from './envelope.ts';
import { type Guard, type GuardOptions, isLocalRequest } from './request-guard.ts';
import { methodsAt } from './routes.ts';
import { unauthorizedExtras } from './unauthorized.ts';

/** What stands between a socket and a handler, in this order: Host, Origin, path, method, encoding; then per route: token, scope. */
export type Admission = {
  /** For every request. */
  readonly everyRequest: onRequestHookHandler;
  /** For routes that anybody may ask. */
  readonly open: onRequestHookHandler;
  /** For routes that a personal token opens. */
  readonly personal: onRequestHookHandler;
  /** For routes that need a personal token with this scope. */
  readonly scoped: (scope: Scope) => onRequestHookHandler;
  /** For routes of this machine's own commands: a personal token with the scope `admin`. */
  readonly admin: onRequestHookHandler;
};

export function createAdmission(options: {
  readonly guard: Guard;
  readonly guardOptions: GuardOptions;
  readonly tokens: Pick<Tokens, 'authenticate'>;
  readonly clientAddress: ClientAddress;
  readonly log: Log;
  readonly isStopping: () => boolean;
  /** Closes the socket with its answer, where it has shown no token and sockets are scarce. */
  readonly letGo: (reply: FastifyReply) => void;
}): Admission {
  const refuse = (request: FastifyRequest, reply: FastifyReply, envelope: Envelope) => {
    options.log('warn', 'http.refused', {
      code: envelope.error?.code,
      method: request.method,
      route: request.routeOptions.url,
      client: options.clientAddress(request.raw),
    });
    options.letGo(reply);
    sendEnvelope(reply, envelope);
  };

  /** The header that a socket's last request was let in with, and what it was good for. */
  const seen = new WeakMap<Socket, { readonly header: string; readonly claim: PersonalClaim }>();

  const authenticate = (request: FastifyRequest, reply: FastifyReply): boolean => {
    const { socket, headers } = request.raw;
    const header = headers.authorization;
    const last = seen.get(socket);
    // The same header on the same socket need not be hashed again; whether its token is still alive is asked each time.
    if (last !== undefined && last.header === header && last.claim.isLive()) {
      return admit(request, last.claim);
    }
    const found = options.tokens.authenticate(bearerToken(header));
    if (!found.ok) {
      refuse(request, reply, refusalEnvelope('unauthorized', unauthorizedExtras(found.reason, 'personal')));
      return false;
    }
    if (header !== undefined) seen.set(socket, { header, claim: found.claim });
    return admit(request, found.claim);
  };
  const hasScope = (request: FastifyRequest, reply: FastifyReply, scope: Scope): boolean => {
    if (!authenticate(request, reply)) return false;
    const has = request.principal?.scopes.includes(scope) === true;
    if (!has) refuse(request, reply, missingScope(scope));
    return has;
  };

  return {
    everyRequest(request, reply, done) {
      const { raw } = request;
      const code = options.guard(raw);
      if (code !== null) return refuse(request, reply, refusalEnvelope(code));
      if (options.isStopping()) {
        reply.header('connection', 'close');
        return refuse(request, reply, refusalEnvelope('gateway_stopping'));
      }
      if (request.is404) {
        options.letGo(reply);
        return answerUnrouted(request, reply);
      }
      const encoding = raw.headers['content-encoding'];
      if (encoding !== undefined && encoding !== 'identity') {
        return refuse(request, reply, refusalEnvelope('unsupported_media_type'));
      }
      done();
    },
    open(_request, reply, done) {
      options.letGo(reply);
      done();
    },
    personal(request, reply, done) {
      if (authenticate(request, reply)) done();
    },
    scoped: (scope) => (request, reply, done) => {
      if (hasScope(request, reply, scope)) done();
    },
    admin(request, reply, done) {
      if (!isLocalRequest(request.raw, options.guardOptions))
        return refuse(request, reply, refusalEnvelope('local_only'));
      if (hasScope(request, reply, 'admin')) done();
    },
  };
}

function admit(request: FastifyRequest, claim: PersonalClaim): true {
  request.claim = claim;
  request.principal = claim.principal;
  return true;
}

function answerUnrouted(request: FastifyRequest, reply: FastifyReply): void {
  const methods = methodsAt(request.raw.url ?? '');
  if (methods === null) {
    sendEnvelope(reply, refusalEnvelope('route_not_found'));
    return;
  }
  reply.header('allow', [...methods, 'OPTIONS'].join(', '));
  if (request.method === 'OPTIONS') void reply.code(204).send();
  else sendEnvelope(reply, refusalEnvelope('method_not_allowed'));
}

/** A 403 that names the scope. */
export function missingScope(scope: string): Envelope {
  const { next } = dispatchErrors.insufficient_scope;
  const message = `The token does not have the scope ${scope}; nothing was done.`;
  return failureEnvelope(
    { code: 'insufficient_scope', message, recovery: next, detail: { scope } },
    'not_started',
  );
}
