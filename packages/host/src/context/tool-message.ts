import type { Certainty, Json } from '@fairlead/base';
import type { Message } from '../models/model.ts';

/** How a call ended, as its entry says. */
export interface EndedCall {
  /** The id that the assistant's message has for it. */
  readonly call: string;
  readonly tool: string;
  readonly certainty: Certainty;
  readonly text: string;
  readonly structured?: Json;
  readonly isError: boolean;
}

/** The answer to a call as a model reads it: wrapped, and in words where nobody knows how it ended. The same in its turn and in later ones. */
export declare function toolMessage(end: EndedCall): Extract<Message, { readonly role: 'tool' }>;
