import type { Certainty, Json, JsonObject } from '@fairlead/base';
import type { SessionStreamEvent } from './session-stream-event.ts';

/** Who says something, as its entry shows it. */
export type SessionSpeaker = {
  readonly kind: 'person' | 'client';
  readonly id: string;
  readonly name?: string;
};

/** Whose right something is done by. */
export type SessionActor = {
  readonly id: string;
  readonly scopes: readonly string[];
  readonly name?: string;
};

export type SessionModeName = 'normal' | 'inspect' | 'read_only';

/** A session as this machine knows it. */
export type SessionRow = {
  readonly id: string;
  readonly workspace: string | null;
  readonly lastAtMs: number;
  readonly meta: {
    readonly name?: string;
    readonly mode: SessionModeName;
    readonly source?: string;
    /** Milliseconds since 1970. */
    readonly created: number;
    readonly closed: boolean;
    /** The id of the agent that answers where nobody is mentioned. */
    readonly host?: string;
    readonly model?: string;
    readonly parent?: { readonly session: string; readonly turn: string; readonly call: string };
    readonly agents: readonly { readonly id: string; readonly name: string }[];
  };
};

/** A row of what people are asked. */
export type ApprovalRowShown = {
  readonly id: string;
  readonly principal: string;
  readonly session: string | null;
  readonly turn: string | null;
  readonly target: string;
  readonly call: string;
  readonly tool: string;
  readonly risk: string;
  /** JSON: what a person is shown, `arguments` and `extension` among it. */
  readonly shown: string;
  readonly state: string;
  readonly opened_at: number;
  /** Milliseconds since 1970 at which an open one expires. */
  readonly until: number;
  readonly decided_at: number | null;
  readonly decided_by: string | null;
};

/** What a line that began with `/` came to. */
export type CommandOutcome =
  | { readonly text: string; readonly data?: Json; readonly open?: string; readonly quit?: true }
  | {
      readonly error: {
        readonly code: string;
        readonly message: string;
        readonly usage?: string;
        readonly detail?: Json;
        readonly certainty?: Certainty;
      };
    };

/** How one turn ended that was asked for and waited for. */
export type RunReport = {
  readonly session: string;
  readonly turn: string | null;
  readonly status: string;
  readonly code?: string | null;
  readonly text: string;
  readonly usage: object | null;
  readonly nanousd: number | null;
  readonly calls: readonly object[];
};

/** A task that an agent has planned. Moments are milliseconds since 1970. */
export type PlannedSchedule = {
  readonly agent: { readonly id: string; readonly name: string };
  readonly line: {
    readonly id: string;
    /** Absent where its row cannot be read; `problem` says why. */
    readonly schedule?: {
      readonly trigger: { readonly kind: string };
      readonly task: string;
      readonly target: { readonly kind: string };
      readonly enabled: boolean;
      readonly maxFires?: number;
      readonly expiresAt?: number;
    };
    readonly problem?: string;
    readonly next: number | null;
    readonly fires: number;
    readonly failures: number;
    readonly lastCode: string | null;
  };
};

/** Ends a subscription, and tells it that its sink takes events again. */
export type StreamSubscription = { drained(): void; close(): void };

/**
 * What the routes about sessions need of the host that runs them; the host's facade has this form, and `cli` hands it over. Every function
 * rejects with a `FairleadError` whose code says why nothing was done, or with a code of the store.
 */
export interface SessionPort {
  readonly sessions: {
    /** The ones used last first; `closed` lists these too. */
    list(options: { readonly limit?: number; readonly closed?: boolean }): Promise<readonly SessionRow[]>;
    /** One of them. Rejects with `session_unknown`. */
    line(id: string): Promise<SessionRow>;
    /** By id, or by the name of one that is open. Rejects with `session_unknown`, `session_ambiguous` with `detail.sessions`. */
    resolve(nameOrId: string): Promise<string>;
    rename(id: string, name: string | null): Promise<void>;
    /** Rejects with `model_unknown`. */
    setModel(id: string, model: string | null): Promise<void>;
    setMode(id: string, mode: SessionModeName, by: { readonly scopes: readonly string[] }): Promise<void>;
    reopen(id: string): Promise<void>;
  };
  readonly agents: {
    /** By name or id. Rejects with `agent_unknown`, `agent_ambiguous`. */
    resolve(nameOrId: string): Promise<{ readonly id: string; readonly name: string }>;
    /** `runners`: those that it may use; absent is every one. */
    config(id: string): Promise<{ readonly config: { readonly runners?: readonly string[] } }>;
  };
  readonly models: {
    readonly default: string | undefined;
    readonly refs: readonly string[];
    list(): readonly object[];
  };
  readonly approvals: {
    /** Some of those that wait for a person, oldest first; none behind the last. Rejects with `approval_unknown` where there is none of the id `after`. */
    open(wanted: {
      readonly sessions?: readonly string[];
      readonly after?: string;
    }): Promise<readonly ApprovalRowShown[]>;
    find(id: string): Promise<ApprovalRowShown | undefined>;
    /** False where it was decided, expired or cancelled before. Rejects with `approval_unknown`. */
    decide(
      id: string,
      decision: {
        readonly decision: 'approve' | 'deny' | 'approve_turn';
        readonly by: { readonly id: string; readonly scopes: readonly string[] };
        readonly via: string;
      },
    ): Promise<boolean>;
  };
  /** What the agents that are at home here have planned, by agent. */
  schedules(): Promise<readonly PlannedSchedule[]>;
  readonly events: {
    /**
     * From now on `sink` hears of a session: what it missed `after` a number, what is going on, then everything. It answers false for what
     * it has no room for, and hears `reset` in its place once it is `drained`.
     */
    subscribe(
      session: string,
      options: { readonly after?: number },
      sink: (event: SessionStreamEvent) => boolean,
    ): Promise<StreamSubscription>;
  };
  /** Makes a session with its workspace and opens it; answers its id. Rejects with `agent_unknown`, `session_invalid`. */
  newSession(made: {
    readonly name?: string;
    readonly agents?: readonly string[];
    readonly mode?: SessionModeName;
    readonly workspace?: string;
    readonly source?: string;
  }): Promise<string>;
  /** Cancels what runs there, waits for its certainty, closes it. */
  closeSession(session: string): Promise<void>;
  /** Writes a message and wakes whom it is for. The same key in one session answers the same entry. */
  post(message: {
    readonly session: string;
    readonly text: string;
    readonly key?: string;
    readonly agent?: string;
    readonly from: SessionSpeaker;
  }): Promise<{ readonly id: string; readonly woken: readonly string[]; readonly again: boolean }>;
  /** Entries, newest first, those before `before`; `before` of the answer continues, null at the end. Rejects with `record_not_found`. */
  entries(
    session: string,
    page: { readonly before?: string; readonly limit?: number },
  ): Promise<{ readonly entries: readonly { readonly id: string }[]; readonly before: string | null }>;
  /** The lines of an export: what the session is, then each entry in order. */
  exportSession(session: string): AsyncIterable<JsonObject>;
  /** The turn that runs there now. */
  running(
    session: string,
  ):
    | { readonly turn: string; readonly agent: string; readonly state: string; readonly tool?: string }
    | undefined;
  /** Cancels the turn that runs there. False where none does. */
  cancel(session: string): Promise<boolean>;
  /** Starts a turn that resumes the one that was cut short. Rejects with `nothing_to_continue`, `turn_running`. */
  continueTurn(session: string): Promise<{ readonly turn: string }>;
  command(given: {
    readonly session: string;
    readonly line: string;
    readonly by: SessionActor;
    readonly signal?: AbortSignal;
  }): Promise<CommandOutcome>;
  /** Posts a message and resolves when the turn that it woke has ended; `signal` cancels that turn. */
  runOnce(wanted: {
    readonly session: string;
    readonly text: string;
    readonly from: SessionSpeaker;
    readonly agent?: string;
    readonly model?: string;
    /** Tools that are approved for this run without asking. */
    readonly approve?: 'all' | readonly string[];
    readonly timeoutMs?: number;
    readonly signal: AbortSignal;
    /** False once whoever approved them may not any more: then nothing is approved. Asked before each call that they let pass. */
    readonly isLive: () => boolean;
  }): Promise<RunReport>;
  /** Cancels what runs and starts nothing more, also after a restart. False where it was paused before. */
  pause(): Promise<boolean>;
  /** False where it was not paused. */
  resume(): Promise<boolean>;
  /**
   * Takes the back ends that are new in the file; `later` wait for the next start, `words` are what an operator is to be told with them.
   * Rejects with the fault of the file.
   */
  addModels(): Promise<{
    readonly added: readonly string[];
    readonly later: readonly string[];
    readonly words: readonly string[];
  }>;
  /** What runs, for `/api/admin/status`: plain JSON. */
  status(): Promise<object>;
}
