import { FairleadError } from '@fairlead/base';
import type { FastifyReply } from 'fastify';
import type { RunningRequests } from '../calls/running-requests.ts';
import { gatewayErrors } from '../errors.ts';
import type { Log } from '../log/log.ts';
import { sendEnvelope } from './answer.ts';
import { type Envelope, refusalEnvelope } from './envelope.ts';

/** Runs what a route does and answers with it; a fault with a code of ours is told, any other only logged. */
export function answerWith(
  reply: FastifyReply,
  options: { readonly running: RunningRequests; readonly log: Log },
  work: () => Promise<Envelope>,
): void {
  const { running, log } = options;
  const entry = running.begin((why) =>
    sendEnvelope(reply, refusalEnvelope(why, { certainty: 'outcome_unknown' })),
  );
  work().then(
    (envelope) => {
      if (running.done(entry)) sendEnvelope(reply, envelope);
    },
    (error: unknown) => {
      const code = error instanceof FairleadError ? error.code : 'internal_error';
      if (!Object.hasOwn(gatewayErrors, code) || code === 'internal_error') {
        log('error', 'admin.failed', { code, reason: error instanceof Error ? error.message : 'unknown' });
      }
      if (running.done(entry)) sendEnvelope(reply, faultEnvelope(error));
    },
  );
}

function faultEnvelope(error: unknown): Envelope {
  if (!(error instanceof FairleadError))
    return refusalEnvelope('internal_error', { certainty: 'outcome_unknown' });
  const { code, message, detail } = error;
  const known = Object.hasOwn(gatewayErrors, code)
    ? gatewayErrors[code as keyof typeof gatewayErrors]
    : undefined;
  return {
    success: false,
    output: null,
    error: {
      code,
      message,
      ...(known === undefined ? {} : { recovery: known.next }),
      ...(detail === undefined ? {} : { detail }),
    },
    // A code of ours was raised before anything was done. A store's says that a write failed, and what stood before it holds.
    dispatch_certainty: known === undefined ? 'outcome_unknown' : 'not_started',
  };
}
