import { delay, type Random, systemClock } from '@fairlead/base';
import { type Platform, type ProcessTree, spawnTree, type TreeOwner } from '@fairlead/process';
import type { Client, Implementation } from '@modelcontextprotocol/client';
import { type Mask, unmasked } from '../catalog/mask.ts';
import type { StdioServer } from '../configuration/server-config.ts';
import { lifeLimits } from '../limits.ts';
import { PendingCalls } from '../transport/call-evidence.ts';
import { TreeTransport } from '../transport/tree-transport.ts';
import { type ConnectAnswer, type Connection, type ConnectionEvents, UNREAD } from './connection.ts';
import { foreignText, thrownWhole } from './foreign-text.ts';
import { CLIENT_OPTIONS, McpClient, MODERN_REVISION } from './mcp-client.ts';
import { serverProgram } from './server-needs.ts';

export interface StdioOptions {
  readonly server: StdioServer;
  /** The whole environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  /** What a relative `cwd` is meant from, and where it runs without one. */
  readonly folder: string;
  readonly home: string | undefined;
  readonly clientInfo: Implementation;
  /** For what is said of it here: results of calls are looked at by whoever asked. */
  readonly mask: Mask;
  readonly watchdog: TreeOwner;
  readonly platform: Platform;
  readonly random: Random;
  readonly events: ConnectionEvents;
  /** Gives the start up. */
  readonly signal: AbortSignal;
}

/** Starts a server's program and speaks the handshake with it. Never rejects; where it fails nothing is left of the program. */
export async function connectStdio(options: StdioOptions): Promise<ConnectAnswer> {
  const { server, env, platform, random, watchdog } = options;
  const { cwd, found } = await serverProgram(server, options);
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
    void tree.exited.then(() => this.#end(CLOSED));
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
      // The end of its output is seen before its own: which one it was is known a moment later.
      const ended = await this.#exitText();
      const stopped = this.#ending !== undefined && ended === undefined;
      await this.close();
      if (ended !== undefined) return failed('mcp_start_failed', ended);
      return stopped
        ? failed('mcp_start_failed', await this.#lost.promise)
        : failed('mcp_protocol_failed', foreignText(this.#options.mask(thrownWhole(error))));
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
      void this.#end(transport.isStuck ? UNREAD : CLOSED);
      before?.();
    };
    if (!transport.isOpen) void this.#end(CLOSED);
    const isLost = () => this.#ending !== undefined;
    return {
      client,
      get isLost() {
        return isLost();
      },
      lost: this.#lost.promise,
      ready: async () => {},
      giveUp: (reason) => void this.#end(reason),
      mask: unmasked,
      tokenRefused: () => {},
      close: () => this.close(),
    };
  }

  close(): Promise<void> {
    return this.#end('it was stopped');
  }

  /** How its process ended; undefined where that lives on. */
  async #exitText(): Promise<string | undefined> {
    const over = new AbortController();
    const moment = delay(systemClock(), lifeLimits.exitMs, over.signal);
    const exit = await Promise.race([this.#tree.exited, moment]);
    over.abort();
    if (exit === undefined) return undefined;
    const { code, signal } = exit;
    return code === null ? `it was ended by ${signal}` : `it ended with exit code ${code}`;
  }

  /** First its input closes: a program that minds that ends by itself. Then everything that it started is ended. */
  #end(reason: string): Promise<void> {
    this.#ending ??= (async () => {
      const { stdin, exited } = this.#tree;
      stdin.end();
      this.#pending.end();
      this.#lost.resolve(reason === CLOSED ? ((await this.#exitText()) ?? reason) : reason);
      // Programs end in real time, whatever clock their owner has.
      const clock = systemClock();
      const quiet = new AbortController();
      await Promise.race([exited, delay(clock, lifeLimits.quietEndMs, quiet.signal)]);
      quiet.abort();
      await this.#tree.end();
      await this.#client?.close().catch(() => {});
    })();
    return this.#ending;
  }
}

const CLOSED = 'it closed its output';

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
