import type { Json, JsonObject } from '@fairlead/base';
import {
  type CallRequest,
  type Carrier,
  type Contributions,
  type Death,
  deepFreeze,
  extensionError,
  type FiredKind,
  type Firing,
  type HookEndpoint,
  type HostSide,
  type Manifest,
  type OpenRequest,
  type ParseResult,
} from '@fairlead/extension/runtime';
import { extensionOf } from '../configuration/server-config.ts';
import type { McpServer } from '../server/mcp-server.ts';

/** One server as the hub sees every extension: its tools, and what it says of itself as a block of the prompt. */
export class McpCarrier implements Carrier {
  readonly manifest: Manifest;
  readonly #server: McpServer;
  readonly #host: HostSide;
  readonly #instances = new Set<string>();
  readonly #calls = new Set<Promise<unknown>>();
  #dead: Death | undefined;
  /** Settles when the hub has read what changed last. */
  #read = Promise.withResolvers<void>();
  #isRead = false;

  constructor(server: McpServer, host: HostSide, version: string) {
    this.#server = server;
    this.#host = host;
    this.manifest = deepFreeze({
      api: 1,
      name: extensionOf(server.config),
      version,
      scopes: ['global'],
      hooks: ['tool'],
      requires: [],
      requests: [],
      provides: ['prompt_augmentation'],
      settings: { type: 'object', properties: {}, additionalProperties: false },
      tools: [],
      commands: [],
      routines: [],
    } satisfies Manifest);
  }

  get dead(): Death | undefined {
    return this.#dead;
  }

  get notice(): Carrier['notice'] {
    return this.#server.notice;
  }

  /** Something of the server is another than before. */
  changed(): void {
    // Whoever waits already waits for this too.
    if (this.#isRead) this.#read = Promise.withResolvers();
    this.#isRead = false;
    for (const instance of this.#instances) this.#host.changed(instance);
  }

  async open({ instance }: OpenRequest): Promise<Contributions> {
    if (this.#dead !== undefined) throw extensionError('extension_ended', this.manifest.name);
    this.#instances.add(instance);
    this.#isRead = true;
    this.#read.resolve();
    return deepFreeze({
      tools: [...this.#server.tools()],
      commands: [],
      hooks: [],
      prompt: true,
      tail: false,
      status: false,
      caps: [],
      routines: [],
      uses: [],
    });
  }

  /** When the hub has read what the server offers now. */
  get read(): Promise<void> {
    return this.#read.promise;
  }

  parse(_instance: string, tool: string, args: Json): ParseResult {
    return this.#server.parse(tool, args);
  }

  call(request: CallRequest): Promise<Json> {
    if (this.#dead !== undefined || request.endpoint !== 'tool' || !this.#instances.has(request.instance))
      throw extensionError('extension_ended', this.manifest.name, { certainty: 'not_started' });
    const controller = new AbortController();
    let isOver = false;
    request.running = {
      '~abort': () => controller.abort(),
      '~end': () => {
        isOver = true;
      },
    };
    const progress = (text: string) => {
      if (isOver) return;
      const said = this.#host.ask({ op: 'progress', call: request.call, text: text.slice(0, 1000) }, request);
      // Nobody waits for it: a host that cannot show it must not fail the call.
      if (said instanceof Promise) said.catch(() => {});
    };
    const { name, target, input } = request;
    const told = { signal: controller.signal, progress };
    const answer = this.#server.call(
      name,
      target,
      input as JsonObject,
      told,
    ) as Promise<unknown> as Promise<Json>;
    const over = answer.then(
      () => {},
      () => {},
    );
    this.#calls.add(over);
    void over.then(() => this.#calls.delete(over));
    return answer;
  }

  hook(_instance: string, kind: FiredKind): HookEndpoint {
    const server = this.#server;
    return {
      begin(firing: Firing): unknown {
        firing.running = NOTHING_RUNS;
        if (kind !== 'prompt') return undefined;
        const instructions = server.instructions();
        if (instructions === undefined) return undefined;
        return `What the MCP server ${server.config.name} says of its tools:\n${instructions}`;
      },
    };
  }

  async idle(): Promise<void> {
    await Promise.all(this.#calls);
  }

  async close(instance: string): Promise<void> {
    this.#instances.delete(instance);
  }

  async end(): Promise<void> {
    this.#dead ??= { code: 'extension_ended', reason: 'it was ended' };
    this.#read.resolve();
    await this.#server.close();
  }
}

const NOTHING_RUNS = Object.freeze({ '~abort': () => {}, '~end': () => {} });
