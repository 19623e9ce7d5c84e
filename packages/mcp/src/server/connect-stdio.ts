import { isAbsolute, join } from 'node:path';
import { type Clock, delay, type Random } from '@fairlead/base';
import {
  type Platform,
  type ProcessTree,
  resolveExecutable,
  spawnTree,
  type TreeOwner,
} from '@fairlead/process';
import type { Client, Implementation } from '@modelcontextprotocol/client';
import type { StdioServer } from '../configuration/server-config.ts';
import { lifeLimits } from '../limits.ts';
import { PendingCalls } from '../transport/call-evidence.ts';
import { TreeTransport } from '../transport/tree-transport.ts';
import type { ConnectAnswer, Connection, ConnectionEvents } from './connection.ts';
import { foreignText, thrownText } from './foreign-text.ts';
import { CLIENT_OPTIONS, McpClient, MODERN_REVISION } from './mcp-client.ts';

export interface StdioOptions {
  readonly server: StdioServer;
  /** The whole environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  /** What a relative `cwd` is meant from, and where it runs without one. */
  readonly folder: string;
  readonly home: string | undefined;
  readonly clientInfo: Implementation;
  readonly watchdog: TreeOwner;
  readonly platform: Platform;
  readonly random: Random;
  readonly clock: Clock;
  readonly events: ConnectionEvents;
  /** Gives the start up. */
  readonly signal: AbortSignal;
}

/** Starts a server's program and speaks the handshake with it. Never rejects; where it fails nothing is left of the program. */
export async function connectStdio(options: StdioOptions): Promise<ConnectAnswer> {
  const { server, env, folder, home = folder, platform, random, watchdog } = options;
  const cwd = placeOf(server.cwd ?? home, folder, home);
  const found = await resolveExecutable({ command: server.command, cwd, env, platform });
  if (!found.ok)
    return failed('mcp_start_failed', `${foreignText(server.command)} is no program that can be found`);
  const spawned = await spawnTree({
    ...{ path: found.path, args: server.args, cwd, env, watchdog, platform, random },
    isolation: 'none',
  });
  if (!spawned.ok) return failed('mcp_start_failed', foreignText(spawned.localDetail));
  return await new StdioConnecting(options, spawned.tree).connect();
}

class StdioConnecting {
  readonly #options: StdioOptions;
  readonly #tree: ProcessTree;
  readonly #pending = new PendingCalls(true);
  readonly #lost = Promise.withResolvers<string>();
  #client: Client | undefined;
  #ending: Promise<void> | undefined;

  constructor(options: StdioOptions, tree: ProcessTree) {
    this.#options = options;
    this.#tree = tree;
    readLines(tree.stderr, (line) => options.events.printed('stderr', line));
    void tree.exited.then(({ code, signal }) =>
      this.#end(code === null ? `it was ended by ${signal}` : `it ended with exit code ${code}`),
    );
  }

  async connect(): Promise<ConnectAnswer> {
    const { signal } = this.#options;
    const abort = () => void this.close();
    signal.addEventListener('abort', abort, { once: true });
    try {
      if (signal.aborted) throw new Error('it was given up');
      const transport = (await this.#handshake('legacy')) ?? (await this.#handshake('modern'));
      if (transport === undefined || this.#client === undefined) throw new Error('it takes no handshake');
      const client = new McpClient(this.#client, transport, this.#pending, this.#options.events.listChanged);
      return { ok: true, connection: this.#connection(client, transport) };
    } catch (error) {
      const ended = this.#ending !== undefined;
      await this.close();
      const reason = ended ? await this.#lost.promise : thrownText(error);
      return failed(ended ? 'mcp_start_failed' : 'mcp_protocol_failed', reason);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /**
   * The handshake of one era, over the same pipes: a program is started once. Undefined where it answers the older one with an error, as one that
   * knows only the newer does.
   */
  async #handshake(era: 'legacy' | 'modern'): Promise<TreeTransport | undefined> {
    const { Client, ProtocolError } = await import('@modelcontextprotocol/client');
    const { clientInfo, events } = this.#options;
    const transport = new TreeTransport({
      tree: this.#tree,
      stray: (line) => events.printed('stdout', line),
      passedOver: (id) => this.#pending.passedOver(id),
    });
    const mode = era === 'legacy' ? era : { pin: MODERN_REVISION };
    const client = new Client(clientInfo, { ...CLIENT_OPTIONS, versionNegotiation: { mode } });
    client.onerror = () => {};
    const timeout = lifeLimits.startMaxMs;
    try {
      await client.connect(transport, { timeout });
    } catch (error) {
      if (era === 'legacy' && error instanceof ProtocolError && this.#ending === undefined) return undefined;
      throw error;
    }
    this.#client = client;
    return transport;
  }

  #connection(client: McpClient, transport: TreeTransport): Connection {
    const before = transport.onclose;
    transport.onclose = () => {
      before?.();
      this.#end('it closed its output');
    };
    if (!transport.isOpen) this.#end('it closed its output');
    return {
      client,
      lost: this.#lost.promise,
      ready: async () => {},
      giveUp: (reason) => this.#end(reason),
      tokenRefused: () => {},
      close: () => this.close(),
    };
  }

  close(): Promise<void> {
    return this.#end('it was stopped');
  }

  /** First its input closes: a program that minds that ends by itself. Then everything that it started is ended. */
  #end(reason: string): Promise<void> {
    this.#ending ??= (async () => {
      this.#lost.resolve(reason);
      const { stdin, exited } = this.#tree;
      stdin.end();
      this.#pending.end();
      const { clock } = this.#options;
      const quiet = new AbortController();
      await Promise.race([exited, delay(clock, lifeLimits.quietEndMs, quiet.signal)]);
      quiet.abort();
      await this.#tree.end();
      await this.#client?.close().catch(() => {});
    })();
    return this.#ending;
  }
}

function placeOf(path: string, folder: string, home: string): string {
  if (path.startsWith('~/')) return join(home, path.slice(2));
  return isAbsolute(path) ? path : join(folder, path);
}

function readLines(stream: NodeJS.ReadableStream, take: (line: string) => void): void {
  let rest = '';
  stream.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk.toString('utf8')).split('\n');
    rest = (parts.pop() ?? '').slice(0, 4096);
    for (const part of parts) take(part);
  });
  stream.on('end', () => {
    if (rest !== '') take(rest);
  });
}

function failed(code: 'mcp_start_failed' | 'mcp_protocol_failed', reason: string): ConnectAnswer {
  return { ok: false, code, reason };
}
