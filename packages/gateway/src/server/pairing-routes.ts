import { isJsonObject, type Json } from '@fairlead/base';
import { mayUseRunner, type Principal } from '@fairlead/dispatch';
import type { FastifyInstance } from 'fastify';
import type { Pairings, PairingWish } from '../auth/pairings.ts';
import type { Tokens } from '../auth/tokens.ts';
import type { RunningRequests } from '../calls/running-requests.ts';
import type { Admission } from '../http/admission.ts';
import type { ClientAddress } from '../http/client-address.ts';
import { answerWith } from '../http/coded-answer.ts';
import { type Envelope, refusalEnvelope, successEnvelope } from '../http/envelope.ts';
import { pairingLimits } from '../limits.ts';
import type { Log } from '../log/log.ts';

/** What pairing a second machine needs. */
export type PairingRouteOptions = {
  readonly admission: Admission;
  readonly tokens: Pick<Tokens, 'mintRunner'>;
  readonly pairings: Pairings;
  readonly running: RunningRequests;
  readonly log: Log;
  /** For what anyone can cause without a token. */
  readonly refusals: Log;
  readonly clientAddress: ClientAddress;
  /** How other machines reach the gateway. */
  readonly url: () => string;
};

/** `/api/admin/pairings` makes a code on this machine, `/api/runner/pair` gives a Runner's token for it on another. */
export function addPairingRoutes(server: FastifyInstance, options: PairingRouteOptions): void {
  const { pairings, tokens, log, refusals, clientAddress } = options;

  server.post('/api/admin/pairings', { onRequest: options.admission.admin }, (request, reply) => {
    const principal = request.principal as Principal;
    answerWith(reply, options, async () => {
      const wish = readWish((request.body ?? null) as Json, principal);
      if ('error' in wish) return wish;
      const { code, expiresAtMs } = pairings.offer(wish);
      log('info', 'pairing.offered', { runner: wish.runner });
      return successEnvelope({ code, runner: wish.runner, expiresAtMs, url: options.url() });
    });
  });

  // Nobody shows a token here, so nobody has more read than a code.
  const pair = { onRequest: options.admission.open, bodyLimit: pairingLimits.bodyBytes };
  server.post('/api/runner/pair', pair, (request, reply) => {
    answerWith(reply, options, async () => {
      const code = readCode((request.body ?? null) as Json);
      if (code === null) return refusalEnvelope('invalid_body', { detail: { member: 'code' } });
      const client = clientAddress(request.raw);
      const found = pairings.redeem(code, client);
      if (!found.ok) {
        refusals('warn', 'pairing.refused', { code: found.code, client });
        return refusalEnvelope(found.code);
      }
      const { runner, name } = found.wish;
      const wanted = { runner, ...(name === undefined ? {} : { name }) };
      const { secret, token } = await tokens.mintRunner(wanted).catch((error: unknown) => {
        found.giveBack();
        throw error;
      });
      log('info', 'runner.paired', { runner, token_id: token.id, client });
      return successEnvelope({ runner, token: secret, expiresAtMs: token.expiresAtMs });
    });
  });
}

function readWish(body: Json, principal: Principal): PairingWish | Envelope {
  const wrong = (member: string, problem: string) =>
    refusalEnvelope('token_request_invalid', { detail: { member, problem } });
  if (!isJsonObject(body)) return wrong('body', 'must be a JSON object');
  const { runner, name = null, ...others } = body;
  if (Object.keys(others).length > 0) return wrong('body', 'has members other than runner and name');
  if (typeof runner !== 'string') return wrong('runner', 'must be a runner id');
  if (name !== null && typeof name !== 'string') return wrong('name', 'must be a text');
  // Who makes a code cannot give more than it has.
  if (!mayUseRunner(principal, runner)) {
    return wrong('runner', 'reaches Runners that the asking token does not');
  }
  return { runner, ...(name === null ? {} : { name }) };
}

function readCode(body: Json): string | null {
  if (!isJsonObject(body) || Object.keys(body).some((member) => member !== 'code')) return null;
  const { code } = body;
  return typeof code === 'string' && code.length <= pairingLimits.textCharacters ? code : null;
}
