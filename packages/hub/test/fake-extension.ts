import type { Json } from '@fairlead/base';
import type { ScopeKind } from '@fairlead/extension';
import {
  type CallRequest,
  type Carrier,
  type Contributions,
  type Death,
  ExtensionError,
  type ExtensionRef,
  type HookEndpoint,
  type HookKind,
  type HostSide,
  type Manifest,
  type OpenRequest,
  type ToolContribution,
} from '@fairlead/extension/runtime';
import type { ExtensionSource, Tier } from '../src/install/extension-source.ts';

const NO_ARGS = { type: 'object', properties: {}, required: [], additionalProperties: false } as const;

/** What differs from an extension that contributes nothing at global scope. */
export interface FakeParts {
  readonly version?: string;
  readonly scopes?: readonly ScopeKind[];
  readonly hooks?: readonly HookKind[];
  readonly requires?: Manifest['requires'];
  readonly provides?: readonly string[];
  /** Names at the first of the scopes. */
  readonly tools?: readonly string[];
  readonly commands?: readonly string[];
}

export function manifestOf(name: string, parts: FakeParts = {}): Manifest {
  const { version = '1', scopes = ['global'], tools = [], commands = [] } = parts;
  const scope = scopes[0] ?? 'global';
  const entry = (called: string) => ({ name: called, about: 'For a test.', args: NO_ARGS, scope });
  return {
    api: 1,
    name,
    version,
    scopes,
    hooks: [
      ...(parts.hooks ?? []),
      ...(tools.length > 0 ? (['tool'] as const) : []),
      ...(commands.length > 0 ? (['command'] as const) : []),
    ],
    requires: parts.requires ?? [],
    requests: [],
    provides: parts.provides ?? [],
    settings: NO_ARGS,
    tools: tools.map(entry),
    commands: commands.map(entry),
    routines: [],
  };
}

export function toolOf(name: string, runtime = false): ToolContribution {
  return {
    name,
    about: 'For a test.',
    args: NO_ARGS,
    risk: 'low',
    approval: 'never',
    timeout_ms: 60_000,
    sensitive: [],
    effect: 'write',
    runtime,
  };
}

export function contributionsOf(manifest: Manifest, scope: ScopeKind): Contributions {
  return {
    tools: manifest.tools.filter((tool) => tool.scope === scope).map(({ name }) => toolOf(name)),
    commands: manifest.commands
      .filter((command) => command.scope === scope)
      .map(({ name, about, args }) => ({ name, about, args })),
    hooks: [],
    prompt: false,
    tail: false,
    status: false,
    caps: [],
    routines: [],
    uses: [],
  };
}

/** One generation of a fake extension: what it is told, it writes into the journal of its extension. */
export class FakeCarrier implements Carrier {
  readonly manifest: Manifest;
  readonly host: HostSide;
  readonly #extension: FakeExtension;
  readonly #onDeath: () => void;
  /** Open instances and those that open. */
  readonly instances = new Map<string, OpenRequest>();
  readonly generation: number;
  dead: Death | undefined;
  ended = 0;
  #calls = 0;
  #idle: (() => void)[] = [];

  constructor(extension: FakeExtension, host: HostSide, onDeath: () => void) {
    this.#extension = extension;
    this.manifest = extension.manifest;
    this.host = host;
    this.#onDeath = onDeath;
    extension.generations.push(this);
    this.generation = extension.generations.length;
  }

  async open(request: OpenRequest): Promise<Contributions> {
    if (this.dead !== undefined) throw new ExtensionError('extension_crashed', this.dead.reason);
    if (!this.instances.has(request.instance)) {
      this.instances.set(request.instance, request);
      this.#extension.note(`open ${this.#place(request)}`);
    }
    return this.#extension.onOpen(request, this);
  }

  call(_request: CallRequest): Json {
    return null;
  }

  hook(): HookEndpoint {
    return { begin: () => undefined };
  }

  idle(): Promise<void> {
    if (this.#calls === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  async close(instance: string): Promise<void> {
    const request = this.instances.get(instance);
    if (request === undefined) throw new Error(`${instance} is closed twice, or was never open`);
    this.instances.delete(instance);
    this.#extension.note(`close ${this.#place(request)}`);
    await this.#extension.onClose(request, this);
  }

  async end(): Promise<void> {
    this.ended += 1;
    this.#extension.note(`end ${this.manifest.name}`);
    this.dead ??= { code: 'extension_ended', reason: 'it was ended' };
    await this.#extension.onEnd();
  }

  /** A call begins; what comes back ends it. */
  begin(): () => void {
    this.#calls += 1;
    return () => {
      this.#calls -= 1;
      if (this.#calls === 0) for (const settle of this.#idle.splice(0)) settle();
    };
  }

  /** Its worker goes away. */
  die(reason = 'it fell over'): void {
    this.dead ??= { code: 'extension_crashed', reason };
    this.instances.clear();
    for (const settle of this.#idle.splice(0)) settle();
    this.#onDeath();
  }

  #place({ kind, key }: OpenRequest): string {
    return key === '' ? `${this.manifest.name} ${kind}` : `${this.manifest.name} ${kind} ${key}`;
  }
}

/** An extension whose every step a test decides. */
export class FakeExtension {
  readonly generations: FakeCarrier[] = [];
  manifest: Manifest;
  /** What happened, in order; may be shared by several. */
  readonly journal: string[];
  onStart: () => void | Promise<void> = () => {};
  onOpen: (request: OpenRequest, carrier: FakeCarrier) => Promise<Contributions> = async ({ kind }) =>
    contributionsOf(this.manifest, kind);
  onClose: (request: OpenRequest, carrier: FakeCarrier) => void | Promise<void> = () => {};
  onEnd: () => void | Promise<void> = () => {};

  constructor(name: string, parts: FakeParts = {}, journal: string[] = []) {
    this.manifest = manifestOf(name, parts);
    this.journal = journal;
  }

  note(line: string): void {
    this.journal.push(line);
  }

  /** The newest generation. */
  get carrier(): FakeCarrier {
    const newest = this.generations.at(-1);
    if (newest === undefined) throw new Error(`${this.manifest.name} was never started`);
    return newest;
  }

  source(
    options: {
      readonly name?: string;
      readonly tier?: Tier;
      readonly builtin?: boolean;
      readonly digest?: string;
    } = {},
  ): ExtensionSource {
    const { name = this.manifest.name, tier = 'worker', builtin = false, digest = 'd1' } = options;
    const ref: ExtensionRef = builtin
      ? { kind: 'builtin', name, version: digest }
      : { kind: 'path', name, digest };
    return {
      ref,
      tier,
      builtin,
      start: async (host, onDeath) => {
        this.note(`start ${this.manifest.name}`);
        await this.onStart();
        return new FakeCarrier(this, host, onDeath);
      },
    };
  }
}

/** A promise that a test settles. */
export function held<T = void>() {
  let settle: (value: T) => void = () => {};
  let fail: (reason: unknown) => void = () => {};
  const promise = new Promise<T>((resolve, reject) => {
    settle = resolve;
    fail = reject;
  });
  return { promise, settle, fail };
}
