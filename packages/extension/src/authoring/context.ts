import type { Json } from '../json/json.ts';
import type { CapsOf } from './cap.ts';

/** Where lines for the operator go. At most 1,000 characters a line and 8 KiB of data beside it. */
export interface Log {
  debug(message: string, data?: Json): void;
  info(message: string, data?: Json): void;
  warn(message: string, data?: Json): void;
}

/** One record of a session. `type` says which further members it has. */
export interface Entry {
  readonly id: string;
  readonly type: string;
  /** Milliseconds since 1970, for people: order is the record's. */
  readonly at: number;
  readonly from: { readonly kind: string; readonly id: string; readonly name?: string };
  readonly [member: string]: unknown;
}

/** What a session may be told. */
export interface NewEntry {
  readonly type: 'message' | 'directive';
  /** At most 64 KiB. */
  readonly text: string;
  /** Who spoke, for what a messenger delivers. */
  readonly from?: { readonly id: string; readonly name?: string };
}

/** A session, read and written through the host. */
export interface SessionView {
  readonly id: string;
  /** The newest `last` entries (50, at most 200), oldest first, before the entry `before` where one is given. Needs `access: ['session_read']`. */
  read(options?: { readonly last?: number; readonly before?: string }): Promise<readonly Entry[]>;
  /** Needs `access: ['session_write']`. */
  append(entry: NewEntry): Promise<{ readonly id: string }>;
}

/** Who acts in a turn. */
export type AgentView = {
  readonly id: string;
  readonly name: string;
};

/** The state of one agent, for an extension with `access: ['agent_state_admin']`. Each value is plain JSON. */
export interface AgentState extends AgentView {
  /** Reads a document, or the newest rows of a table. */
  read(place: { readonly doc: string } | { readonly table: string }): Promise<Json>;
  /** Sets a path of a document, or puts a row under a key; `null` clears it. */
  write(
    place:
      | { readonly doc: string; readonly path: readonly string[]; readonly value: Json }
      | { readonly table: string; readonly key: string; readonly value: Json },
  ): Promise<null>;
}

/** The agents whose state the operator lets this extension touch. */
export interface Agents {
  /** By name or id; `null` for one that does not exist and for one out of reach alike. */
  resolve(agent: string): Promise<AgentState | null>;
}

/** What a patch of settings may hold: a value, or `null` to fall back to what stands below the session. */
export type SettingsPatch<S> = { readonly [K in keyof S]?: S[K] | null };

/**
 * What every handler is handed beside its input. It is valid for one call: used later, each member throws `context_expired`.
 * Members may be taken apart (`{ caps, progress }`); spreading it copies nothing.
 */
export interface Call<S, U, St> {
  /** The merge for this call: schema defaults, then the operator's, the agent's and the session's. Frozen. */
  readonly settings: S;
  readonly caps: CapsOf<U>;
  /** What `open` returned at this scope. */
  readonly state: St;
  /** Aborts when the call is cancelled or its budget is passed. Made when it is first read. */
  readonly signal: AbortSignal;
  readonly log: Log;
  /** Needs `access: ['agent_state_admin']`. */
  readonly agents: Agents;
  readonly session?: SessionView;
  readonly agent?: AgentView;
  /** Milliseconds since 1970, by the host's clock. */
  now(): number;
  /** Shows a line to whoever waits. */
  progress(text: string): void;
  /** Writes settings of the session; the merge of this call stays as it is. Rejects with `settings_need_session`, `settings_invalid`. */
  save(patch: SettingsPatch<S>): Promise<void>;
}

/** The context of what happens in a session, with or without an agent. */
export interface InSession<S, U, St> extends Call<S, U, St> {
  readonly session: SessionView;
}

/** The context of what happens in an agent's turn. */
export interface Turn<S, U, St> extends InSession<S, U, St> {
  readonly agent: AgentView;
}
