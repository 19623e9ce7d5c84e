import type { Grants } from '../grants/grants.ts';

/** How much of a tool a model is shown before it asks. */
export type ToolProfile = 'full' | 'brief' | 'summary' | 'hidden';

/** A worker that an agent may give a task to: the agent itself, with other words and fewer tools. */
export interface WorkerConfig {
  readonly name: string;
  readonly systemPrompt?: string;
  readonly model?: string;
  readonly tools?: readonly string[];
  readonly maxIterations?: number;
}

/** A file of a prompt as it was read where `fairlead.toml` names it: never a path, so that no database says what is opened. */
export interface PromptFile {
  readonly name: string;
  readonly text: string;
  /** SHA-256 of the text, base64url. */
  readonly digest: string;
}

/** What an agent is, as this peer takes it: what a database says beyond that has no effect. */
export interface AgentConfig {
  /** `backend/model` of this peer; absent is the session's or the host's. */
  readonly model?: string;
  readonly systemPrompt: string;
  readonly promptFiles: readonly PromptFile[];
  /** Names of tools, or beginnings before `*`; absent is all, empty none. */
  readonly tools?: readonly string[];
  readonly maxIterations: number;
  readonly maxDepth: number;
  /** By name of a tool, beginning before `*`, or `default`. */
  readonly toolProfile: ReadonlyMap<string, ToolProfile>;
  readonly maxContextTokens?: number;
  /** Runners it may use; absent is all, empty none. */
  readonly runners?: readonly string[];
  readonly burst?: number;
  readonly grants?: Grants;
  readonly toolGrants: ReadonlyMap<string, Grants>;
  readonly memoryBanks: readonly string[];
  readonly skillBanks: readonly string[];
  readonly workers: readonly WorkerConfig[];
}
