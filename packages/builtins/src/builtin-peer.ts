import type { JsonObject, Random } from '@fairlead/base';
import type { Certainty } from '@fairlead/extension';
import type { Platform, TreeOwner } from '@fairlead/process';
import type { MemoryPeer } from './peer/memory-peer.ts';
import type { PluginsPeer } from './peer/plugins-peer.ts';
import type { SchedulesPeer } from './peer/schedules-peer.ts';
import type { SkillsPeer } from './peer/skills-peer.ts';
import type { WebPeer } from './peer/web-peer.ts';

/** Whose call asks: what `ctx` says of it. The host finds the running call by it. */
export interface Caller {
  readonly session: string;
  readonly agent: string;
  readonly tool: string;
  /** The very arguments that the tool was handed: they tell its call from others of the same tool that run at the same time. */
  readonly args?: JsonObject;
}

/**
 * What a call may touch: every level together, paths real and absolute. An absent list limits nothing, an empty one allows nothing. The
 * same shape as the host's grants (docs/reference/policy.md).
 */
export interface CallGrants {
  /** The session's folder, by its real path: what relative paths are meant from. */
  readonly workspace: string;
  readonly fs?: { readonly read?: readonly string[]; readonly write?: readonly string[] };
  readonly network?: { readonly endpoints?: readonly object[]; readonly allowPrivate: boolean };
  /** A folder of the host's own that no call touches whatever the lists say, but for `but` in it. */
  readonly withheld?: { readonly folder: string; readonly but?: string };
}

/** What `spawn_agent` and `spawn_worker` ask for. */
export interface SpawnRequest {
  readonly kind: 'agent' | 'worker';
  /** An agent by name or id; a worker of the caller by name. */
  readonly name: string;
  readonly task: string;
  readonly context?: string;
  /** Narrows what the child may call; names, or beginnings of names before `*`. */
  readonly tools?: readonly string[];
  readonly model?: string;
  readonly maxIterations?: number;
  /** Answers when the child's directive is on disk. */
  readonly async: boolean;
  /** Aborts when nobody waits any more; an answer within a second still counts. */
  readonly signal: AbortSignal;
}

/** How that ended. `not_started`: no child was made. `outcome_unknown`: it was made, and how its turn ends is not known. */
export interface SpawnEnd {
  readonly certainty: Certainty;
  /** Of the child, once there is one. */
  readonly session?: string;
  /** Why there is no answer of the child's own. */
  readonly code?: string;
  /** The child's last words, or a sentence about `code`. */
  readonly text: string;
}

/**
 * What the host hands out to its own extensions as `scope.peer`. What it refuses it rejects with an error that has a `code` and a
 * message that is safe to show; nothing has been touched then.
 */
export interface BuiltinPeer {
  /** In force for this call. */
  grants(caller: Caller): Promise<CallGrants>;
  /** The real path to open, without following a link at its end: `grant_denied` where the grants do not hold it. */
  path(caller: Caller, kind: 'read' | 'write', path: string): Promise<string>;
  /** A command line as the words to run, `['sh', '-c', line]` where it needs a shell: `grant_denied`. Empty where it has no word. */
  command(caller: Caller, line: string): Promise<readonly string[]>;
  /** The host's environment without any variable that a key ending in `_env` names, and without Fairlead's own credentials. */
  childEnvironment(): Readonly<Record<string, string>>;
  /** Writes the summary entry: what stands before the turn is replaced by it. */
  compact(caller: Caller, summary: string): Promise<void>;
  /** Never rejects for what became of the child. */
  spawn(caller: Caller, request: SpawnRequest): Promise<SpawnEnd>;
  /** All of a tool that the caller may use, for a model; undefined where there is none of this name. */
  describeTool(caller: Caller, name: string): Promise<string | undefined>;
  readonly schedules: SchedulesPeer;
  readonly memory: MemoryPeer;
  readonly plugins: PluginsPeer;
  readonly web: WebPeer;
  readonly skills: SkillsPeer;
  readonly sandbox: {
    /** The bubblewrap program; absent where the machine has none. */
    readonly bubblewrap?: string;
  };
  /** How many MCP servers cannot be had now. */
  readonly failedServers: () => number;
  /** The host's watchdog, which ends what a killed host has left. */
  readonly watchdog: TreeOwner;
  readonly platform: Platform;
  readonly random: Random;
}
