import { delay, FairleadError, systemClock } from '@fairlead/base';
import type { Client, Implementation, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type Mask, unmasked } from '../catalog/mask.ts';
import type { HttpServer } from '../configuration/server-config.ts';
import { lifeLimits } from '../limits.ts';
import type { TokenSource } from '../oauth/token-source.ts';
import { PendingCalls } from '../transport/call-evidence.ts';
import { WireFetch } from '../transport/wire-fetch.ts';
import { type ConnectAnswer, type ConnectionEvents, UNREAD } from './connection.ts';
import { foreignText, thrownWhole } from './foreign-text.ts';
import { CLIENT_OPTIONS, McpClient } from './mcp-client.ts';

export interface HttpOptions {
  readonly server: HttpServer;
  readonly headers: Readonly<Record<string, string>>;
  readonly tokens: TokenSource | undefined;
  readonly clientInfo: Implementation;
  /** For what is said of it here: results of calls are looked at by whoever asked. */
  readonly mask: Mask;
  readonly events: ConnectionEvents;
  /** Gives the start up. */
  readonly signal: AbortSignal;
}

/** Connects to a server behind an address, in whichever era it speaks. Never rejects. */
export async function connectHttp(options: HttpOptions): Promise<ConnectAnswer> {
  const { server, headers, tokens, clientInfo, events, signal } = options;
  const wire = new WireFetch(() => void end(UNREAD));
  const pending = new PendingCalls(false);
  const mask: Mask = tokens === undefined ? unmasked : (text) => tokens.mask(text);
  const lost = Promise.withResolvers<string>();
  let client: Client | undefined;
  let transport: StreamableHTTPClientTransport | undefined;
  let ending: Promise<void> | undefined;
  const end = (reason: string): Promise<void> => {
    ending ??= (async () => {
      lost.resolve(reason);
      pending.end();
      const quick = new AbortController();
      const goodbye = transport?.terminateSession().catch(() => {}) ?? Promise.resolve();
      await Promise.race([goodbye, delay(systemClock(), lifeLimits.goodbyeMs, quick.signal)]);
      quick.abort();
      await client?.close().catch(() => {});
      wire[Symbol.dispose]();
    })();
    return ending;
  };
  const abort = () => void end('it was given up');
  signal.addEventListener('abort', abort, { once: true });
  try {
    const sdk = await import('@modelcontextprotocol/client');
    await tokens?.fresh();
    if (signal.aborted) throw new Error('it was given up');
    transport = new sdk.StreamableHTTPClientTransport(new URL(server.url), {
      fetch: wire.fetch,
      requestInit: { headers, redirect: 'manual' },
      onInsufficientScope: 'throw',
      maxStepUpRetries: 0,
      ...(tokens === undefined ? {} : { authProvider: { token: async () => tokens.token } }),
    });
    const timeout = server.startupTimeoutMs;
    client = new sdk.Client(clientInfo, {
      ...CLIENT_OPTIONS,
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: timeout } },
    });
    client.onerror = () => {};
    await client.connect(transport, { timeout });
    const mcp = new McpClient(client, transport, pending, events.listChanged);
    return {
      ok: true,
      connection: {
        client: mcp,
        get isLost() {
          return ending !== undefined;
        },
        lost: lost.promise,
        ready: async () => await tokens?.fresh(),
        giveUp: (reason) => void end(reason),
        mask,
        tokenRefused: () => tokens?.refused(),
        close: () => end('it was stopped'),
      },
    };
  } catch (error) {
    await end('it was given up');
    if (error instanceof FairleadError && error.code === 'mcp_token_failed')
      return { ok: false, code: error.code, reason: error.message };
    return {
      ok: false,
      code: 'mcp_connect_failed',
      reason: foreignText(options.mask(mask(thrownWhole(error)))),
    };
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
