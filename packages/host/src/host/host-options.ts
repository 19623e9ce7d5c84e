import type { Clock, Random } from '@fairlead/base';
import type { DigestKey, Journal } from '@fairlead/dispatch';
import type { Platform, TreeOwner } from '@fairlead/process';
import type { Peer, Store } from '@fairlead/store';
import type { AgentTables } from '../agents/read-agents.ts';
import type { ToolTouches } from '../calls/tool-touches.ts';
import type { EmbeddingSettings } from '../memory/embedding/read-embedding.ts';
import type { Fetch } from '../models/ai-sdk/watched-request.ts';
import type { BackendTables } from '../models/configuration/backend.ts';
import type { WebSettings } from '../network/read-web.ts';
import type { PinTable } from '../plugins/read-pins.ts';
import type { PolicySettings } from '../policy/read-policy.ts';
import type { ScheduleTable } from '../routines/read-schedules.ts';
import type { SkillSettings } from '../skills/read-skill-dirs.ts';
import type { UsageSettings } from '../usage/ceilings.ts';

/** What `fairlead.toml` says of agents, each part by its own reader. */
export interface HostTables {
  readonly agents: AgentTables;
  readonly backends: BackendTables;
  readonly usage: UsageSettings;
  readonly policy: PolicySettings;
  readonly schedules: readonly ScheduleTable[];
  /** `[embedding]`; absent: memories are found by words alone. */
  readonly embedding?: EmbeddingSettings | undefined;
  /** Absent: no folder but those that hold for every agent of this person. */
  readonly skills?: SkillSettings;
  /** Absent: what holds where the file says nothing. */
  readonly web?: WebSettings;
  /** `[[plugins.pinned]]`; absent: none. */
  readonly pins?: readonly PinTable[];
}

/** What happened that nobody asked for and somebody may want to know: a line for the log. No secret and no text of a model. */
export interface HostReport {
  readonly level: 'info' | 'warn' | 'error';
  readonly code: string;
  readonly message: string;
  readonly session?: string;
  readonly turn?: string;
  readonly agent?: string;
}

/** What the sessions and agents of one start of the host stand on. All of it is the caller's to close, after the host. */
export interface HostOptions {
  readonly peer: Peer;
  readonly store: Store;
  readonly journal: Journal;
  readonly clock: Clock;
  readonly random: Random;
  /** Names this start; the journal's. */
  readonly boot: string;
  /** Absolute; workspaces stand in it. */
  readonly stateDirectory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly tables: HostTables;
  /** `[policy] authority`; an unknown one refuses every call. */
  readonly authority: string;
  /** The folder that relative files of `fairlead.toml` are meant from. */
  readonly folder: string;
  /** `[[agents]]` as the file says it now, for `/agent reload`. Rejects with the fault of the file. Absent: what `tables` says. */
  readonly readAgentTables?: () => Promise<AgentTables>;
  /** The back ends as the file says them now, for `addModels`. Rejects with the fault of the file. Absent: what `tables` says. */
  readonly readBackendTables?: () => Promise<BackendTables>;
  /** What arguments of built-in tools touch. */
  readonly touches: ToolTouches;
  readonly digestKey: DigestKey;
  /** Names of variables that a key ending in `_env` names, beside those of back ends: no child process has them. */
  readonly secretVariables: readonly string[];
  /** Their values and others that must never be seen, beside the values of those variables. */
  readonly secrets: readonly string[];
  readonly watchdog: TreeOwner;
  readonly platform: Platform;
  /** The bubblewrap program; absent where the machine has none. */
  readonly bubblewrap?: string;
  /** How many MCP servers cannot be had now, for the status line. Absent: there are none. */
  readonly failedServers?: () => number;
  readonly report: (report: HostReport) => void;
  /** For back ends and embeddings. Default: the machine's. */
  readonly fetch?: Fetch;
}
