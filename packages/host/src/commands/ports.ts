import type { Clock } from '@fairlead/base';
import type { Hub } from '@fairlead/hub';
import type { Peer, Store } from '@fairlead/store';
import type { Agents } from '../agents/agents.ts';
import type { Seeded } from '../agents/seed-agents.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { LeakDetector } from '../leaks/leak-detector.ts';
import type { Models } from '../models/models.ts';
import type { PolicySettings } from '../policy/read-policy.ts';
import type { HostState } from '../sessions/host-state.ts';
import type { NewSession, Sessions } from '../sessions/sessions.ts';
import type { UsageLedger } from '../usage/usage-ledger.ts';
import type { RunningCommands } from './running-commands.ts';

/** What commands read and change: the host's own rooms as they stand, and what only its facade can do. */
export interface CommandPorts {
  readonly peer: Peer;
  readonly store: Store;
  readonly clock: Clock;
  readonly agents: Agents;
  readonly sessions: Sessions;
  readonly models: Pick<Models, 'list' | 'refs' | 'default'>;
  readonly ledger: Pick<UsageLedger, 'costs'>;
  readonly approvals: Pick<Approvals, 'open' | 'openCount' | 'openSessions' | 'decide'>;
  readonly state: Pick<HostState, 'pausedAtMs'>;
  readonly hub: Pick<Hub, 'liveSet' | 'commandPorts' | 'unloadAgent'>;
  /** `[agent_groups]`, which `Sessions` was given too. */
  readonly groups: ReadonlyMap<string, readonly string[]>;
  /** `ceilingWords` of the settings in force, for `/costs`. */
  readonly ceilings: readonly string[];
  /** Goes over every answer: what an extension says, and what it throws, may hold a secret. */
  readonly leaks: LeakDetector;
  readonly policy: Pick<PolicySettings, 'leak'>;
  /** Told while the line of an extension's command runs. */
  readonly running: RunningCommands;
  readonly host: CommandHost;
}

/** What the facade does for a command. Each rejects with a code of its own where it cannot. */
export interface CommandHost {
  /** Makes a session with its workspace and opens it; answers its id. */
  newSession(made: NewSession): Promise<string>;
  /** Opens its extensions, where nobody did yet. */
  openSession(session: string): Promise<void>;
  /** Cancels what runs there, waits for its certainty, ends its instances, closes it. */
  closeSession(session: string): Promise<void>;
  /** Starts a turn that resumes the one that was cut short. Rejects with `nothing_to_continue`, `turn_running`. */
  continueTurn(session: string): Promise<{ readonly turn: string }>;
  /** Cancels the turn that runs there. False where none does. */
  cancel(session: string): Promise<boolean>;
  /** Cancels what runs and starts nothing more. False where it was paused before. */
  pause(): Promise<boolean>;
  /** False where it was not paused. */
  resume(): Promise<boolean>;
  /**
   * Asks the model of the session's host agent for a summary of what stands there and writes it. Rejects with `turn_running`,
   * `nothing_to_compact`, or the fault of the model.
   */
  compact(session: string, options: { readonly signal?: AbortSignal }): Promise<Compacted>;
  /** The turn that runs there now. */
  running(session: string): RunningTurn | undefined;
  /** Reads `[[agents]]` again and seeds what it says; `agent` one of them by its name. Rejects with the fault of the file. */
  reloadAgents(agent?: string): Promise<readonly Seeded[]>;
}

/** What a summary stands for now. */
export interface Compacted {
  readonly summary: string;
  /** The id of the entry that the summary reaches up to, itself included. */
  readonly upto: string;
  /** How many entries that are. */
  readonly entries: number;
}

export interface RunningTurn {
  readonly turn: string;
  /** The agent's id. */
  readonly agent: string;
  readonly state: 'queued' | 'model' | 'tool' | 'approval';
  readonly tool?: string;
}
