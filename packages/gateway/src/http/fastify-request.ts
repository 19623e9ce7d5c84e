import type { Principal } from '@fairlead/dispatch';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; null on routes without a token. */
    principal: Principal | null;
  }
}
