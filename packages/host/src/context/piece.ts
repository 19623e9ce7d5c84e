import type { JsonObject } from '@fairlead/base';
import type { Message, MessageCall } from '../models/model.ts';
import type { ToolMessage } from '../models/tool-text.ts';

/** A part of a conversation that is shown whole or not at all: one message, or calls and their results. */
export interface Piece {
  readonly messages: readonly Message[];
}

export function textPiece(role: 'user' | 'assistant', text: string): Piece {
  return { messages: [{ role, text }] };
}

/** A call of a step, with its result. */
export interface AnsweredCall {
  readonly index: number;
  readonly id: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly result: ToolMessage;
}

/** A step of an agent as it is found in a session, its newest entry first. Calls without a result are never added. */
export class StepPiece implements Piece {
  readonly #calls: AnsweredCall[] = [];
  #text: string | undefined;
  #messages: readonly Message[] | undefined;

  get hasText(): boolean {
    return this.#text !== undefined;
  }

  say(text: string): void {
    this.#text = text;
    this.#messages = undefined;
  }

  /** Takes a call that is older than those that it has. */
  add(call: AnsweredCall): void {
    this.#calls.unshift(call);
    this.#messages = undefined;
  }

  get messages(): readonly Message[] {
    this.#messages ??= this.#build();
    return this.#messages;
  }

  #build(): readonly Message[] {
    const text = this.#text ?? '';
    const calls = this.#calls.toSorted((left, right) => left.index - right.index);
    if (calls.length === 0) return text === '' ? [] : [{ role: 'assistant', text }];
    const asked = calls.map(
      ({ id, tool, arguments: given }): MessageCall => ({ id, name: tool, arguments: given }),
    );
    return [{ role: 'assistant', text, calls: asked }, ...calls.map(({ result }) => result)];
  }
}

/** Messages of a turn as pieces: what an assistant said with the results of its calls. */
export function piecesOf(messages: readonly Message[]): readonly Piece[] {
  const pieces: Message[][] = [];
  for (const message of messages) {
    if (message.role === 'tool' && pieces.length > 0) pieces.at(-1)?.push(message);
    else pieces.push([message]);
  }
  return pieces.map((piece) => ({ messages: piece }));
}
