import { type Certainty, type Json, madeOnce } from '@fairlead/base';
import type { Principal } from '@fairlead/dispatch';
import type { FastifyError, FastifyInstance } from 'fastify';
import type { PersonalClaim } from '../auth/tokens.ts';
import type { Callers } from '../calls/callers.ts';
import { type GatewayErrorCode, gatewayErrors } from '../errors.ts';
import type { Admission } from '../http/admission.ts';
import { sendJson } from '../http/answer.ts';
import { keepsConnection, requestFault } from '../http/request-fault.ts';
import { statusOf } from '../http/status.ts';
import type { McpCallParts } from './mcp-calls.ts';

const MCP_PATH = '/mcp';

/** The endpoint as the gateway sees it when it stops. */
export type McpRoute = {
  /** Resolves when every request that has arrived is answered; to be asked once no call runs any more. */
  answered(): Promise<void>;
};

/**
 * `POST /mcp`. Host, Origin and token are judged as on every other route and answered with the envelope; from the body on, answers
 * are JSON-RPC. The protocol package is loaded by the first request: starting a gateway does without it.
 */
export function addMcpRoute(
  server: FastifyInstance,
  options: McpCallParts & {
    readonly admission: Admission;
    readonly callers: Callers;
    readonly version: string;
  },
): McpRoute {
  const answering = new Set<Promise<void>>();
  const endpoint = madeOnce(async () => (await import('./mcp-endpoint.ts')).createMcpEndpoint(options));

  server.post(MCP_PATH, {
    onRequest: options.admission.personal,
    errorHandler: (error: Partial<FastifyError>, _request, reply) => {
      const { code, detail } = requestFault(error);
      if (code === 'internal_error') options.log('error', 'http.failed', { reason: error.message ?? null });
      if (keepsConnection(code)) reply.removeHeader('connection');
      sendJson(reply, statusOf(code), rpcFault(code, detail === undefined ? {} : { detail }));
    },
    handler: (request, reply) => {
      const post = {
        headers: request.raw.headers,
        body: (request.body ?? null) as Json,
        principal: request.principal as Principal,
        caller: options.callers.of(request.claim as PersonalClaim, reply.raw),
      };
      const failed = (certainty: Certainty) => (error: unknown) => {
        options.log('error', 'mcp.failed', { reason: error instanceof Error ? error.message : 'unknown' });
        sendJson(reply, statusOf('internal_error'), rpcFault('internal_error', { certainty }));
      };
      const answer = endpoint()
        .then(
          // A fault of ours may come after a call has run; where there is no endpoint yet, none has.
          (serving) =>
            serving
              .answer(post)
              .then(({ status, body }) => sendJson(reply, status, body), failed('outcome_unknown')),
          failed('not_started'),
        )
        .finally(() => answering.delete(answer));
      answering.add(answer);
    },
  });

  return {
    answered: async () => {
      await Promise.all(answering);
    },
  };
}

/** A body that never became a message, as JSON-RPC says it. */
function rpcFault(
  code: GatewayErrorCode,
  {
    detail,
    // A fault of ours may come after a call has run; the others refuse before one begins.
    certainty = code === 'internal_error' ? 'outcome_unknown' : 'not_started',
  }: { readonly detail?: Json; readonly certainty?: Certainty } = {},
): string {
  const rpcCode = code === 'invalid_body' ? -32700 : code === 'internal_error' ? -32603 : -32000;
  const { message, next: recovery } = gatewayErrors[code];
  const data = { code, recovery, dispatchState: certainty, ...(detail === undefined ? {} : { detail }) };
  return JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: rpcCode, message, data } });
}
