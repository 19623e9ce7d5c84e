import type { Clock, Json } from '@fairlead/base';
import type { CallOutcome, ExtensionRef, LogLine } from '@fairlead/extension/runtime';
import type { Peer, Store } from '@fairlead/store';
import type { Missing } from '../activation/read-missing.ts';
import type { AgentDirectory, HostedAgent } from '../agent-state/agent-directory.ts';
import type { AgentStateAllowlist } from '../agent-state/agent-scope.ts';
import type { ExtensionsPorts } from '../extensions-command/ports.ts';
import type { Failure } from '../failures/failure.ts';
import type { ExtensionSource } from '../install/extension-source.ts';
import type { InstallReport, ReplaceReport, UnloadReport } from '../install/install-report.ts';
import type { LiveSet } from '../live/live-set.ts';
import type { SessionOutputs } from '../outputs/outputs.ts';
import type { Report } from '../report.ts';
import type { ResolvedSettings } from '../settings/secrets.ts';
import type { SettingsBook } from '../settings/settings-book.ts';
import type { ExtensionRow } from './extension-row.ts';

/** A line that an extension logs. */
export type ExtensionLine = LogLine & { readonly extension: string };

export interface HubOptions {
  /** Open; closed by whoever opened it, after the hub. */
  readonly peer: Peer;
  readonly store: Store;
  readonly clock: Clock;
  readonly agents: AgentDirectory;
  /** The built-ins, in install order. One that is invalid stops the start. */
  readonly sources: readonly ExtensionSource[];
  /** `[extensions.NAME.settings]` of `fairlead.toml`, secrets in place. */
  readonly settings?: ResolvedSettings;
  /** More values to hide and to refuse in saved settings: those of `[extensions.NAME] env`. */
  readonly secrets?: readonly string[];
  /** Which agents' state each extension may touch: absent is all, empty none. */
  readonly agentState?: AgentStateAllowlist;
  /** Command names of the host; default `RESERVED_COMMANDS`. */
  readonly reserved?: ReadonlySet<string>;
  readonly report: Report;
  /** Lines that extensions log. Default: nobody hears them. */
  readonly log?: (line: ExtensionLine) => void;
  /** Agent and session instances at once; default 4,096. */
  readonly maxInstances?: number;
}

/** What opening a session came to. */
export interface OpenedSession {
  /** What the session has on, by name, with the refs in its log; where that is very long, what is installed here of it. */
  readonly active: ReadonlyMap<string, ExtensionRef>;
  /** Switches that were written because the log did not say them yet. */
  readonly recorded: number;
}

/** An open session, and when something of it was used last. */
export interface SessionUse {
  readonly id: string;
  /** By the monotonic clock. */
  readonly usedMs: number;
  /** A call runs there, or somebody holds a live set of it. */
  readonly isInUse: boolean;
}

/** Where a routine fires; an agent by its id. */
export type RoutineScope =
  | { readonly kind: 'global' }
  | { readonly kind: 'agent'; readonly agent: HostedAgent | string }
  | { readonly kind: 'session'; readonly session: string };

export interface RoutineFiring {
  readonly extension: string;
  readonly routine: string;
  readonly scope: RoutineScope;
  readonly payload: Json;
  readonly signal?: AbortSignal;
}

/** The extensions of one host: what is installed, what is live for whom, and everything that is called through it. */
export interface Hub extends AsyncDisposable {
  /** What became of the built-ins. */
  readonly started: InstallReport;
  readonly settings: SettingsBook;
  install(sources: readonly ExtensionSource[]): Promise<InstallReport>;
  /** Puts another generation in the place of an extension; where that fails the old one stays. */
  replace(name: string, source: ExtensionSource): Promise<ReplaceReport>;
  /** Calls `listener` after each `install` and `replace` that has ended, whatever came of it; answers how to stop that. It must not throw. */
  onInstalled(listener: () => void): () => void;
  /** Takes an extension off every list. Resolves while its calls in flight may still run. */
  unload(name: string): Promise<UnloadReport>;
  /**
   * Records what is installed, builds the session's instances, fires `sessionStart`, publishes status. Opening an open session does
   * nothing and answers the same. Rejects with `session_not_here`, `hub_closed`, or a code of the store.
   */
  openSession(id: string): Promise<OpenedSession>;
  /**
   * Cancels what runs there, fires `sessionShutdown`, ends the session's instances in reverse, takes its status away. Where it is not open
   * the last of these alone.
   */
  closeSession(id: string): Promise<void>;
  /** The sessions that are open. */
  openSessions(): readonly SessionUse[];
  /**
   * Gives the memory of an open session back, as closing does, and leaves its status; it can be opened again at any time. Whoever asks for
   * something of it meanwhile waits, and has it opened again. Resolves with false, and does nothing, where it is in use, or was
   * within `unusedMs` or a minute; with true where it is not open when it is over.
   */
  releaseSession(id: string, options: { readonly unusedMs: number }): Promise<boolean>;
  /** Ends an agent's instances; its next turn makes new ones. */
  unloadAgent(id: string): Promise<void>;
  /**
   * The live set of now for a turn. Without an agent nothing is narrowed, and agents' instances take no part. Rejects with
   * `session_not_open`, `agent_not_here`, `hub_closed`, or a code of the store. Dispose it.
   */
  liveSet(of: { readonly session: string; readonly agent?: HostedAgent | string }): Promise<LiveSet>;
  /** Fires a routine, whatever is active. Never rejects. */
  dispatchRoutine(firing: RoutineFiring): Promise<CallOutcome<Json>>;
  /** Asks a session's extensions for their status and writes down what changed. Resolves with how much that was. */
  publish(of: { readonly session: string; readonly agent?: HostedAgent | string }): Promise<number>;
  /** In install order, those that do not run among them. */
  extensions(): readonly ExtensionRow[];
  failures(): readonly Failure[];
  /** What a session's extensions published last. */
  outputs(session: string): Promise<SessionOutputs>;
  /** What `/extensions` reads and writes. */
  readonly commandPorts: ExtensionsPorts;
  /** What a session has on and this host does not have, by name, at most 1,000. */
  missing(session: string): Promise<Missing>;
  /** Closes every session, then every agent, then every extension, the last one first. Twice is once. */
  close(): Promise<void>;
}
