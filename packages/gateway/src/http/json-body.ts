import { type Json, type JsonBounds, type JsonFault, parseJson } from '@fairlead/base';
import type { FastifyInstance } from 'fastify';
import { httpLimits } from '../limits.ts';

/** A body that is not the JSON that a route may take; `fault` says why. */
export class InvalidBody extends Error {
  readonly fault: JsonFault;

  constructor(fault: JsonFault) {
    super('the body is not JSON that can be used');
    this.fault = fault;
  }
}

/**
 * Makes `application/json` the only body, read by the one scanner of `base`: fatal UTF-8, bounds, no repeated keys. An
 * empty body is null.
 */
export function useJsonBodies(server: FastifyInstance, maxBytes: number): void {
  const bounds: JsonBounds = {
    maxBytes,
    maxDepth: httpLimits.bodyDepth,
    maxNodes: httpLimits.bodyNodes,
    maxStringBytes: maxBytes,
    maxKeyBytes: httpLimits.bodyKeyBytes,
  };
  server.removeAllContentTypeParsers();
  server.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    if (body.length === 0) {
      done(null, null);
      return;
    }
    const parsed = parseJson(body, bounds);
    if (parsed.ok) done(null, parsed.value satisfies Json);
    else done(new InvalidBody(parsed.fault));
  });
}
