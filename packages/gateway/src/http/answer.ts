import { encodeJson } from '@fairlead/base';
import type { FastifyReply } from 'fastify';
import type { Envelope } from './envelope.ts';
import { statusOf } from './status.ts';

/** The status that an envelope travels with: a provider that said no is still a 200. */
function envelopeStatus(envelope: Envelope): number {
  return envelope.error === null ? 200 : statusOf(envelope.error.code);
}

/** Sends an envelope, once, with the status of its code unless told another. A client that has gone away is no fault. */
export function sendEnvelope(
  reply: FastifyReply,
  envelope: Envelope,
  status: number = envelopeStatus(envelope),
): void {
  if (status === 401) reply.header('www-authenticate', 'Bearer realm="fairlead"');
  sendJson(reply, status, encodeJson(envelope));
}

/** Sends a text of JSON, or nothing but a status, once. */
export function sendJson(reply: FastifyReply, status: number, text: string | null, type = JSON_TYPE): void {
  if (reply.sent) return;
  const sending = reply.code(status).headers(answerHeaders);
  void (text === null ? sending.send() : sending.header('content-type', type).send(text));
}

/** The media type of every answer. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** Answers are about one moment and may hold a secret: nobody in between keeps them, no browser guesses what they are. */
export const answerHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};
