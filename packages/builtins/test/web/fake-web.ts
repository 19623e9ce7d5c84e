import { request as plainRequest } from 'node:http';
import { completed, failed, type Outcome } from '@fairlead/base';
import type { SearchBackend, WebAnswer, WebPeer, WebRequest } from '../../src/peer/web-peer.ts';

/** A host that lets every request through to this machine, follows nothing and judges nothing, but for what `refuse` says. */
export function fakeWeb(
  options: {
    readonly search?: readonly SearchBackend[];
    readonly refuse?: (request: WebRequest) => Outcome<never> | undefined;
  } = {},
): WebPeer & { readonly asked: WebRequest[] } {
  const asked: WebRequest[] = [];
  return {
    asked,
    search: options.search ?? [],
    async request(_caller, request) {
      asked.push(request);
      return options.refuse?.(request) ?? (await exchange(request));
    },
  };
}

function exchange({ url, method, headers, body, maxBytes }: WebRequest): Promise<Outcome<WebAnswer>> {
  // Node says none for a DELETE.
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve) => {
    const request = plainRequest(url, { method, headers: { ...headers, ...length }, agent: false });
    request.once('error', () =>
      resolve(failed('outcome_unknown', 'network_answer_broken', 'The answer broke off.')),
    );
    request.once('response', async (response) => {
      const all = Buffer.concat(await response.toArray());
      const kept = all.subarray(0, maxBytes);
      const { statusCode: status = 0, headers: answered } = response;
      resolve(completed({ status, headers: answered, body: kept, isCut: kept.length < all.length, url }));
    });
    request.end(body);
  });
}
