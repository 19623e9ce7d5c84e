import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { harness } from '@fairlead/extension/testing';
import { web } from '../../src/web/web.ts';
import { fakePeer } from '../fake-peer.ts';
import { fakeWeb } from './fake-web.ts';

/** What a server was asked. */
interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Answer = (asked: Asked, response: ServerResponse) => void;

/** A server of this machine for one test. */
export async function server(t: TestContext, answer: Answer) {
  const asked: Asked[] = [];
  const http = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const { method = '', url = '', headers } = request;
    asked.push({ method, url, headers, body });
    answer({ method, url, headers, body }, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    http.closeAllConnections();
    http.close();
  });
  return { asked, url: `http://127.0.0.1:${(http.address() as AddressInfo).port}` };
}

/** A server that answers everything alike. */
export function always(
  t: TestContext,
  body: string | Uint8Array,
  { status = 200, type = 'text/html' }: { readonly status?: number; readonly type?: string } = {},
) {
  return server(t, (_asked, response) => {
    response.writeHead(status, type === '' ? {} : { 'content-type': type });
    response.end(body);
  });
}

/** The extension with its tools, over a host that lets everything through. */
export async function webTools(options: Parameters<typeof fakeWeb>[0] = {}) {
  const peer = { ...fakePeer({ workspace: '/' }), web: fakeWeb(options) };
  return await harness(web, { peer });
}
