import type { HookKind, HookTarget } from '@fairlead/extension/runtime';
import { methodsOf } from './cap-providers.ts';
import type { LiveSession } from './live-session.ts';
import type { LiveSnapshot, Refused } from './live-snapshot.ts';
import type { LiveCommand, LiveTool } from './live-tool.ts';
import type { Waiting } from './members.ts';
import type { Shadowed } from './name-table.ts';
import type { PreparedInstance } from './prepared-instance.ts';

/** An instance that provides a cap. */
export interface LiveCap {
  readonly owner: string;
  readonly methods: readonly string[];
}

/**
 * What is live for one turn: the only place from which tools, commands, hooks, prompt blocks, tails, status and caps are read.
 * A lease: while it is held, what it was built of is not evicted. It does not change; calls through it are refused one by one
 * where what they need was replaced, has died, or belongs to a session that closes. Dispose it when the turn is over; twice does
 * no harm.
 */
export interface LiveSet extends Disposable, AsyncDisposable {
  /** Equal versions of one session and agent are the same set. */
  readonly version: string;
  /** The session's root id. */
  readonly session: string;
  readonly agent: { readonly id: string; readonly name: string } | undefined;
  /** By name, in the order in which they are offered. */
  readonly tools: ReadonlyMap<string, LiveTool>;
  readonly commands: ReadonlyMap<string, LiveCommand>;
  /** Handlers by kind, in firing order: install order, within one extension global, agent, session. */
  readonly hooks: Readonly<Record<HookKind, readonly HookTarget[]>>;
  readonly prompts: readonly HookTarget[];
  readonly tails: readonly HookTarget[];
  readonly statuses: readonly HookTarget[];
  /** By kind, the one who answers first in front. */
  readonly caps: ReadonlyMap<string, readonly LiveCap[]>;
  /** Names that another one has taken. */
  readonly shadowed: readonly Shadowed[];
  /** What was contributed and not taken. */
  readonly refused: readonly Refused[];
  /** What is active and takes no part, or not with every instance. */
  readonly waiting: readonly Waiting[];
}

/** One lease of a snapshot, which many leases share. */
export class LiveSetLease implements LiveSet {
  readonly #snapshot: LiveSnapshot;
  #session: LiveSession | undefined;
  #release: (() => void) | undefined;

  /** `release` lets go of what keeps instances; `session` is not given back while the lease is held. */
  constructor(snapshot: LiveSnapshot, session: LiveSession, release: (() => void) | undefined) {
    this.#snapshot = snapshot;
    this.#session = session;
    this.#release = release;
    session.hold();
  }

  /** What stands behind a live set. Throws for one that no hub made. */
  static snapshotOf(set: LiveSet): LiveSnapshot {
    if (!(#snapshot in set)) throw new TypeError('a live set comes from hub.liveSet');
    return set.#snapshot;
  }

  get version(): string {
    return this.#snapshot.version;
  }

  get session(): string {
    return this.#snapshot.turn.session?.id ?? '';
  }

  get agent(): LiveSet['agent'] {
    return this.#snapshot.turn.agent?.view;
  }

  get tools(): LiveSet['tools'] {
    return this.#snapshot.tools;
  }

  get commands(): LiveSet['commands'] {
    return this.#snapshot.commands;
  }

  get hooks(): LiveSet['hooks'] {
    const { fired } = this.#snapshot;
    return Object.freeze({
      before_agent_start: fired.before_agent_start.targets,
      tool_call: fired.tool_call.targets,
      tool_result: fired.tool_result.targets,
      agent_end: fired.agent_end.targets,
      session_start: fired.session_start.targets,
      session_shutdown: fired.session_shutdown.targets,
    });
  }

  get prompts(): LiveSet['prompts'] {
    return this.#snapshot.fired.prompt.targets;
  }

  get tails(): LiveSet['tails'] {
    return this.#snapshot.fired.tail.targets;
  }

  get statuses(): LiveSet['statuses'] {
    return this.#snapshot.fired.status.targets;
  }

  get caps(): LiveSet['caps'] {
    const caps = new Map<string, readonly LiveCap[]>();
    for (const [kind, providers] of this.#snapshot.turn.caps)
      caps.set(
        kind,
        providers.map((provider) => capOf(provider, kind)),
      );
    return caps;
  }

  get shadowed(): LiveSet['shadowed'] {
    return this.#snapshot.shadowed();
  }

  get refused(): LiveSet['refused'] {
    return this.#snapshot.refused();
  }

  get waiting(): LiveSet['waiting'] {
    return this.#snapshot.waiting;
  }

  [Symbol.dispose](): void {
    const release = this.#release;
    const session = this.#session;
    this.#release = undefined;
    this.#session = undefined;
    release?.();
    session?.drop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this[Symbol.dispose]();
  }
}

function capOf(provider: PreparedInstance, kind: string): LiveCap {
  return { owner: provider.instance.extension.name, methods: methodsOf(provider, kind) };
}
