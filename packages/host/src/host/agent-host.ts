import type { Certainty } from '@fairlead/base';
import type { HostedAgent } from '@fairlead/hub';
import type { Agents } from '../agents/agents.ts';
import type { Seeded } from '../agents/seed-agents.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { CallFloor } from '../calls/call-floor.ts';
import type { CommandAnswer, CommandLineGiven } from '../commands/command-answer.ts';
import type { Compacted, RunningTurn } from '../commands/ports.ts';
import type { EntryUsage, Speaker, TurnStatus } from '../entries/entry.ts';
import type { SessionEvents } from '../events/session-events.ts';
import type { Models } from '../models/models.ts';
import type { HostPlugins } from '../plugins/host-plugins.ts';
import type { ScheduleLine } from '../routines/schedule-book.ts';
import type { HostState } from '../sessions/host-state.ts';
import type { NewMessage, PostedEntry } from '../sessions/post-entry.ts';
import type { Recovered } from '../sessions/recovery.ts';
import type { NewSession, Sessions } from '../sessions/sessions.ts';
import type { TurnFloor } from '../turn/turn-floor.ts';
import type { UsageLedger } from '../usage/usage-ledger.ts';

/** One message of which the caller waits for the answer. */
export interface RunOptions {
  readonly session: string;
  readonly text: string;
  readonly from: Speaker;
  /** Under which it is posted; see `NewMessage`. */
  readonly key?: string;
  /** `backend/model`, for this turn. */
  readonly model?: string;
  /** Instead of the host agent: name or id of one that takes part. */
  readonly agent?: string;
  /** Tools that are approved for this turn, `always` included; nobody is asked about the others. */
  readonly approve?: 'all' | readonly string[];
  /** From now, waiting for other turns included. */
  readonly timeoutMs?: number;
  /** Cancels the turn, or takes the message back from who waits to answer it. */
  readonly signal?: AbortSignal;
  /** False once whoever gave `approve` may not any more, such as with a token that has ended: then it approves nothing. */
  readonly isLive?: () => boolean;
  /** Called when the message stands, before anything answers it. */
  readonly posted?: (entry: string) => void;
}

/** How the turn that answered it ended: the object of `fairlead run --json`. */
export interface RunReport {
  readonly session: string;
  /** Null where it was cancelled before it began. */
  readonly turn: string | null;
  readonly status: TurnStatus;
  readonly code: string | null;
  /** The last words, or what went wrong. */
  readonly text: string;
  readonly usage: EntryUsage;
  readonly nanousd: number | null;
  readonly calls: readonly {
    readonly call: string;
    readonly tool: string;
    readonly certainty: Certainty;
    readonly code: string | null;
    readonly ms: number;
  }[];
}

/** What a host took of its file while it runs. */
export interface AddedModels {
  /** Names of back ends. */
  readonly added: readonly string[];
  /** Those that wait for the next start: the variable of their key was no secret when this process began, so a plugin may have it. */
  readonly later: readonly string[];
  /** `firstWords` as they are with what was added; empty where nothing was, or they were told before. */
  readonly words: readonly string[];
}

/** What `fairlead status` says of agents. */
export interface AgentHostStatus {
  /** Milliseconds since 1970; null where the host is not paused. */
  readonly pausedAtMs: number | null;
  readonly agents: number;
  readonly running: readonly (RunningTurn & { readonly session: string })[];
  /** Sessions in which something waits for an answer. */
  readonly waiting: number;
  /** Approvals that wait for somebody. */
  readonly approvals: number;
}

/**
 * The agents of one host at work: takes messages, runs turns, asks people. Dispose it before the hub; that cancels what runs and waits for
 * its certainty, within 15 s.
 */
export interface AgentHost extends AsyncDisposable {
  readonly agents: Agents;
  readonly sessions: Sessions;
  readonly approvals: Approvals;
  readonly models: Models;
  readonly ledger: UsageLedger;
  readonly events: SessionEvents;
  readonly state: HostState;
  /** Native plugins as agents reach them; connected by whoever has a gateway. */
  readonly plugins: HostPlugins;
  /** For calls of clients in sessions: what `runCall` takes. */
  readonly floor: CallFloor & TurnFloor;
  /** Aborts when the host is paused or stops: what runs outside of turns, such as a client's call, ends with it. Another one after a resume. */
  readonly halted: AbortSignal;
  /** What the start found of the one before. */
  readonly recovered: Recovered;
  /** Writes a message and has it answered. Rejects as `postMessage` does. */
  post(message: NewMessage): Promise<PostedEntry>;
  /**
   * Posts a message and waits for exactly the turn that answers it. Rejects with `agent_required`, `host_paused`, or as `post` does, and with
   * the code of the store where it was to be cancelled and may be answered later all the same.
   */
  runOnce(options: RunOptions): Promise<RunReport>;
  /** Cancels the turn that runs there with all that it spawned, and waits for its end, at most 15 s. False where none does. */
  cancel(session: string): Promise<boolean>;
  /**
   * Starts a turn that resumes the last one, where that was interrupted or cancelled; resolves when it has begun. Rejects with
   * `nothing_to_continue`, `turn_running`, `host_paused`, `session_closed`.
   */
  continueTurn(session: string): Promise<{ readonly turn: string }>;
  /** A line that begins with `/`. Never rejects for what the line says. */
  command(given: CommandLineGiven): Promise<CommandAnswer>;
  /** Asks a model for a summary of the session, and writes it. */
  compact(session: string, options?: { readonly signal?: AbortSignal }): Promise<Compacted>;
  /** What the agents that are at home here have planned, by agent. */
  schedules(): Promise<readonly { readonly agent: HostedAgent; readonly line: ScheduleLine }[]>;
  /**
   * No new turn or call starts, running ones are cancelled; also after a restart. Resolves when it is on disk and turns have ended, or 15 s
   * later. False where it was paused. Rejects with a code of the store, at once and in force until this host ends.
   */
  pause(): Promise<boolean>;
  /** What waits is answered. False where it was not paused. */
  resume(): Promise<boolean>;
  /** Makes a session, with a folder of its own where none is given, and opens its extensions. Answers its id. */
  newSession(made?: NewSession): Promise<string>;
  /** Cancels what runs there, waits for its certainty, ends its extensions' instances; nothing wakes there any more. */
  closeSession(session: string): Promise<void>;
  /** The folder of a session on this machine, absolute; made where it had none. */
  workspace(session: string): Promise<string>;
  /** Opens its extensions, where nobody did yet. */
  openSession(session: string): Promise<void>;
  /** The turn that runs there now. */
  running(session: string): RunningTurn | undefined;
  /** Reads `[[agents]]` again and seeds what it says. */
  reloadAgents(agent?: string): Promise<readonly Seeded[]>;
  /** Reads the back ends of the file again and takes those that are new; agents are seeded again where these are the first. */
  addModels(): Promise<AddedModels>;
  status(): Promise<AgentHostStatus>;
  /** What is said once: the ceilings in force, and the models without a price; again where they changed. Empty otherwise. */
  firstWords(): Promise<readonly string[]>;
  /** Resolves when nothing runs and nothing waits that could run now. */
  idle(): Promise<void>;
  /** Twice is once. */
  close(): Promise<void>;
}
