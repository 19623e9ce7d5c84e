import { encodeJson } from '@fairlead/base';
import { tokenLimits } from '../../limits.ts';
import type { CallPart, EndReason, MessageReasoning, ModelPart, ModelUsage } from '../model.ts';

/** A whole reply. */
export interface Reply {
  readonly text: string;
  readonly calls: readonly CallPart[];
  /** What was thought, for the rest of the turn. */
  readonly reasoning: readonly MessageReasoning[];
  readonly reason: EndReason;
  readonly usage: ModelUsage | null;
}

/** Puts a reply together from its pieces. */
export class ReplyDraft {
  #text: string[] = [];
  readonly #calls: CallPart[] = [];
  readonly #reasoning: MessageReasoning[] = [];
  #thought: string[] = [];
  #bytes = 0;

  /** Tokens of what came so far, about. */
  get tokens(): number {
    return Math.ceil(this.#bytes / tokenLimits.bytesPerToken);
  }

  add(part: Exclude<ModelPart, { readonly type: 'end' }>): void {
    switch (part.type) {
      case 'text':
        this.#text.push(part.delta);
        this.#bytes += Buffer.byteLength(part.delta);
        return;
      case 'reasoning':
        this.#thought.push(part.delta);
        this.#bytes += Buffer.byteLength(part.delta);
        // What the API wants back closes a piece of reasoning: it belongs to all that came before it.
        if (part.metadata !== undefined)
          this.#reasoning.push({ text: this.#takeThought(), metadata: part.metadata });
        return;
      case 'call':
        this.#calls.push(part);
        this.#bytes += Buffer.byteLength('arguments' in part ? encodeJson(part.arguments) : part.unparsable);
    }
  }

  end({ reason, usage }: Extract<ModelPart, { readonly type: 'end' }>): Reply {
    const left = this.#takeThought();
    if (left !== '') this.#reasoning.push({ text: left });
    return { text: this.#text.join(''), calls: this.#calls, reasoning: this.#reasoning, reason, usage };
  }

  #takeThought(): string {
    const text = this.#thought.join('');
    this.#thought = [];
    return text;
  }
}
