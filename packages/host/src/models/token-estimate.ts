import { encodeJson } from '@fairlead/base';
import { tokenLimits } from '../limits.ts';
import type { Message, ModelTool } from './model.ts';
import { toolText } from './tool-text.ts';

type Count = (text: string) => number;

/**
 * How many tokens a text is, about. Before `load`, or where the tokenizer cannot be loaded, it goes by UTF-8 bytes; after it by the
 * `o200k` encoding, which is right for some models and near for the others.
 */
export class TokenEstimate {
  readonly #import: () => Promise<Count>;
  #count: Count | undefined;
  #loading: Promise<void> | undefined;
  /** The same tools are offered turn after turn. */
  #tools = new WeakMap<ModelTool, number>();

  /** `importCount` gives the counter of an encoding; unless given, that of `gpt-tokenizer`. */
  constructor(importCount: () => Promise<Count> = importTokenizer) {
    this.#import = importCount;
  }

  /** Loads the tokenizer, once: some 100 MB and half a second, so only a back end that costs money asks for it. Never rejects. */
  load(): Promise<void> {
    this.#loading ??= this.#import().then(
      (count) => {
        this.#count = count;
        this.#tools = new WeakMap();
      },
      // An estimate is not worth a turn; the next one asks again.
      () => {
        this.#loading = undefined;
      },
    );
    return this.#loading;
  }

  /** Tokens of one text. */
  ofText(text: string): number {
    if (this.#count === undefined) return Math.ceil(Buffer.byteLength(text) / tokenLimits.bytesPerToken);
    let tokens = 0;
    for (let at = 0; at < text.length; at += tokenLimits.pieceUnits)
      tokens += this.#count(text.slice(at, at + tokenLimits.pieceUnits));
    return tokens;
  }

  ofMessage(message: Message): number {
    let tokens = tokenLimits.perMessage;
    tokens += this.ofText(message.role === 'tool' ? toolText(message) : message.text);
    if (message.role !== 'assistant') return tokens;
    for (const { name, arguments: given } of message.calls ?? [])
      tokens += this.ofText(name) + this.ofText(encodeJson(given));
    for (const { text } of message.reasoning ?? []) tokens += this.ofText(text);
    return tokens;
  }

  ofTool(tool: ModelTool): number {
    const known = this.#tools.get(tool);
    if (known !== undefined) return known;
    const { name, description, schema } = tool;
    const words = this.ofText(name) + this.ofText(description) + this.ofText(encodeJson(schema));
    const tokens = tokenLimits.perTool + words;
    this.#tools.set(tool, tokens);
    return tokens;
  }

  /** Tokens of a whole prompt. */
  ofPrompt(messages: readonly Message[], tools: readonly ModelTool[]): number {
    let tokens = 0;
    for (const message of messages) tokens += this.ofMessage(message);
    for (const tool of tools) tokens += this.ofTool(tool);
    return tokens;
  }
}

async function importTokenizer(): Promise<Count> {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base');
  // The marks of a chat are text like any other here: a person may well write about them.
  const options = { disallowedSpecial: new Set<string>() };
  return (text) => countTokens(text, options);
}
