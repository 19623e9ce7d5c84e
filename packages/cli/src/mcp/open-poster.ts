import type { Clock } from '@fairlead/base';
import { parseServerUrl } from '../client/api-client.ts';
import { KeepAliveClient } from './keep-alive-client.ts';
import { LoopbackClient } from './loopback-client.ts';
import type { Poster } from './post.ts';

/** The way to a gateway; opens no socket yet. Rejects with `server_url_invalid` for a bad address. */
export async function openPoster(clock: Clock, serverUrl: string, proxy: URL | null = null): Promise<Poster> {
  const { protocol, hostname, port, pathname } = parseServerUrl(serverUrl, '');
  // On this machine nothing stands in between, so the answer is written by a gateway of ours.
  const isOwn = protocol === 'http:' && hostname === '127.0.0.1' && pathname === '/';
  if (!isOwn) return await KeepAliveClient.to(clock, serverUrl, proxy);
  return new LoopbackClient(clock, { host: hostname, port: port === '' ? 80 : Number(port) });
}
