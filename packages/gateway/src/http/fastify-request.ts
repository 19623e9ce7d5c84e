import type { Principal } from '@fairlead/dispatch';
import type { PersonalClaim } from '../auth/tokens.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; null on routes without a token. */
    principal: Principal | null;
    /** The token that says so; null on routes without one. */
    claim: PersonalClaim | null;
  }
}
