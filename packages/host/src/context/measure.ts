import type { Message, ModelTool } from '../models/model.ts';
import type { TokenEstimate } from '../models/token-estimate.ts';
import { leftOut } from './tool-message.ts';

/** A message with what it costs. */
export interface Measured {
  readonly message: Message;
  readonly tokens: number;
}

/** Tokens of messages and tools, each estimated once. */
export class Measure {
  readonly #tokens: Pick<TokenEstimate, 'ofMessage' | 'ofTool'>;
  readonly #costs = new WeakMap<Message, number>();
  readonly #tools = new WeakMap<ModelTool, number>();
  readonly #shorts = new WeakMap<Message, Measured>();

  constructor(tokens: Pick<TokenEstimate, 'ofMessage' | 'ofTool'>) {
    this.#tokens = tokens;
  }

  cost(message: Message): number {
    const known = this.#costs.get(message);
    if (known !== undefined) return known;
    const cost = this.#tokens.ofMessage(message);
    this.#costs.set(message, cost);
    return cost;
  }

  tool(tool: ModelTool): number {
    const known = this.#tools.get(tool);
    if (known !== undefined) return known;
    const cost = this.#tokens.ofTool(tool);
    this.#tools.set(tool, cost);
    return cost;
  }

  /** A result without its words; the message itself where that would not halve it, or where it is no result. */
  short(message: Message): Measured {
    const known = this.#shorts.get(message);
    if (known !== undefined) return known;
    const whole = { message, tokens: this.cost(message) };
    let short = whole;
    if (message.role === 'tool') {
      const left = leftOut(message);
      const tokens = this.cost(left);
      if (2 * tokens <= whole.tokens) short = { message: left, tokens };
    }
    this.#shorts.set(message, short);
    return short;
  }
}
