import type { OwnedMessage, OwnedText } from '@fairlead/extension/runtime';
import type { Database, RecordId } from '@fairlead/store';
import type { Message, ModelTool } from '../models/model.ts';
import type { HostModel } from '../models/models.ts';
import type { AttachedAgent } from '../sessions/session-meta.ts';

/** Whose context it is, and where in the session it stands; the same for all steps of a turn. */
export interface TurnContextOptions {
  readonly database: Pick<Database, 'table' | 'changes'>;
  /** This peer's id: an agent's own entries are those that its home wrote. */
  readonly peerId: string;
  readonly agent: AttachedAgent;
  /** The turn, whose `ack` stands: nothing behind it is read. Absent: everything is. */
  readonly turn?: string;
  /** What the turn answers: it stands at the end of the history, in this order, wherever it was written. */
  readonly asked: readonly RecordId[];
  /** What waits for another turn, of whichever agent: left out. Read it after the `ack` stands. */
  readonly waiting?: ReadonlySet<RecordId>;
  /** It goes on where an earlier turn was cut short. */
  readonly resumes?: boolean;
}

/** What one step's request is made of, beside the history. */
export interface ContextRequest {
  readonly model: Pick<HostModel, 'contextWindow' | 'maxTokens' | 'tokens'>;
  /** The agent's own bound. */
  readonly maxContextTokens?: number;
  /** Parts of the system prompt, in order: the agent's words, the room note, blocks of extensions. Empty ones are left out. */
  readonly system: readonly string[];
  /** What `beforeAgentStart` added. */
  readonly added?: readonly OwnedMessage[];
  /** Blocks for the newest user message; never stored. */
  readonly tails?: readonly OwnedText[];
  /** As `offeredTools` gave them; empty for a step without tools. */
  readonly tools: readonly ModelTool[];
  /** This turn's earlier steps, with reasoning and metadata as they came; results as `toolMessage` made them. */
  readonly steps: readonly Message[];
}

/** The messages of one request, within its budget. */
export interface AssembledContext {
  readonly messages: readonly Message[];
  readonly tools: readonly ModelTool[];
  /** What the reply may have. */
  readonly maxTokens: number;
  /** Tokens of messages and tools, about. */
  readonly estimatedInput: number;
  /** Tokens that there were for them. */
  readonly budget: number;
  /** Results that became a line, and messages of the session or the turn that were dropped, of those that were read. */
  readonly left: { readonly results: number; readonly entries: number };
}

/** What reaches the model in one turn. Reads the session once, from the newest entry back, and again when a summary arrives. */
export declare class TurnContext {
  constructor(options: TurnContextOptions);
  /** The newest texts, oldest first, what is asked among them: what tails are told. */
  recent(): Promise<readonly string[]>;
  /** The request of the next step. Rejects with a code of the store. */
  assemble(request: ContextRequest): Promise<AssembledContext>;
}
