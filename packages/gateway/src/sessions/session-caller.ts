import type { Principal } from '@fairlead/dispatch';
import type { FastifyRequest } from 'fastify';
import type { PersonalClaim } from '../auth/tokens.ts';
import type { SessionActor, SessionSpeaker } from './session-port.ts';

/** Who asks, as sessions know them. */
export type SessionCaller = {
  readonly principal: Principal;
  readonly actor: SessionActor;
  readonly speaker: SessionSpeaker;
};

/**
 * A token that may approve is a person's: no program has that right unless somebody gives it on purpose. Any other is a client's, whose
 * messages begin with its name where a model reads them.
 */
export function callerOf(request: FastifyRequest): SessionCaller {
  const { tokenId, name, principal } = request.claim as PersonalClaim;
  const isPerson = principal.scopes.includes('session:approve');
  return {
    principal,
    actor: { id: isPerson ? `person:${tokenId}` : principal.id, scopes: principal.scopes, name },
    speaker: { kind: isPerson ? 'person' : 'client', id: tokenId, name },
  };
}
