import { type Certainty, type ErrorEntry, type ErrorTable, FairleadError } from '@fairlead/base';
import { dispatchErrors } from '@fairlead/dispatch';
import type { FastifyReply } from 'fastify';
import type { RunningRequests } from '../calls/running-requests.ts';
import { gatewayErrors } from '../errors.ts';
import type { Log } from '../log/log.ts';
import { sendEnvelope } from './answer.ts';
import { type Envelope, failureEnvelope, refusalEnvelope } from './envelope.ts';

/** Where an answer is kept count of, and what its faults mean. */
export type AnswerOptions = {
  readonly running: RunningRequests;
  readonly log: Log;
  /** Codes of another part, which it raises before anything is done. */
  readonly errors?: ErrorTable | undefined;
  /** It only reads: whatever becomes of the answer, nothing was done. */
  readonly readsOnly?: boolean;
  /** The status of what the route answered, where its code is another's word: some clients send again by themselves on 408. */
  readonly statusOf?: (envelope: Envelope) => number;
};

/** Runs what a route does and answers with it; a fault with a code of ours is told, any other only logged. */
export function answerWith(reply: FastifyReply, options: AnswerOptions, work: () => Promise<Envelope>): void {
  const { running, readsOnly = false } = options;
  const certainty: Certainty = readsOnly ? 'not_started' : 'outcome_unknown';
  const entry = running.begin((why) => sendEnvelope(reply, refusalEnvelope(why, { certainty })));
  work().then(
    (envelope) => {
      if (running.done(entry)) sendEnvelope(reply, envelope, options.statusOf?.(envelope));
    },
    (error: unknown) => {
      const envelope = toldFault(options, error, certainty);
      if (running.done(entry)) sendEnvelope(reply, envelope);
    },
  );
}

/** Answers with the fault of an answer that was to go on, before it began. */
export function answerFault(
  reply: FastifyReply,
  options: Pick<AnswerOptions, 'log' | 'errors'>,
  error: unknown,
): void {
  sendEnvelope(reply, toldFault(options, error, 'not_started'));
}

function toldFault(
  { log, errors }: Pick<AnswerOptions, 'log' | 'errors'>,
  error: unknown,
  certainty: Certainty,
): Envelope {
  const code = error instanceof FairleadError ? error.code : 'internal_error';
  const known = code === 'internal_error' ? undefined : entryOf(code, errors);
  if (known === undefined)
    log('error', 'admin.failed', { code, reason: error instanceof Error ? error.message : 'unknown' });
  return faultEnvelope(error, known, certainty);
}

function entryOf(code: string, errors: ErrorTable = {}): ErrorEntry | undefined {
  const tables: readonly ErrorTable[] = [gatewayErrors, dispatchErrors, errors];
  return tables.find((table) => Object.hasOwn(table, code))?.[code];
}

function faultEnvelope(error: unknown, known: ErrorEntry | undefined, certainty: Certainty): Envelope {
  if (!(error instanceof FairleadError)) return refusalEnvelope('internal_error', { certainty });
  const { code, message, detail } = error;
  const said = {
    code,
    message,
    ...(known === undefined ? {} : { recovery: known.next }),
    ...(detail === undefined ? {} : { detail }),
  };
  // A code of ours was raised before anything was done. A store's says that a write failed, and what stood before it holds.
  return failureEnvelope(said, known === undefined ? certainty : 'not_started');
}
