import type { JsonObject } from '@fairlead/base';
import type { ChatEvent, ChatWish, SessionShown } from '../../src/chat/model/chat-events.ts';
import { doneRows, frameOf } from '../../src/chat/model/chat-frame.ts';
import { ChatModel } from '../../src/chat/model/chat-model.ts';
import { KeyDecoder } from '../../src/chat/terminal/key-decoder.ts';
import { unicodeMarks } from '../../src/chat/text/marks.ts';
import { rowText } from '../../src/chat/text/styled-line.ts';

export const SESSION: SessionShown = {
  id: 'ses_aaaaaaaaaaaaaaaaaaaaaa',
  name: 'work',
  agents: ['ada', 'bob'],
  model: 'demo/script',
  mode: 'normal',
  isClosed: false,
  running: null,
};

const person = { kind: 'person', id: 'tok_1', name: 'operator' };
const agent = { kind: 'agent', id: 'agt_1', name: 'ada' };

/** Entries as a host tells them. */
export const entries = {
  said: (id: string, text: string): JsonObject => ({
    id,
    type: 'message',
    at: 1,
    from: person,
    text,
    mentions: [],
  }),
  answer: (id: string, text: string, more: JsonObject = {}): JsonObject => ({
    ...{ id, type: 'message', at: 2, from: agent, text, mentions: [], turn: 'trn_1' },
    ...more,
  }),
  call: (id: string, call: string, tool: string, given: JsonObject = {}): JsonObject => ({
    ...{
      id,
      type: 'tool_call',
      at: 3,
      from: agent,
      turn: 'trn_1',
      call,
      tool,
      extension: 'fs',
      arguments: given,
    },
  }),
  result: (id: string, call: string, more: JsonObject = {}): JsonObject => ({
    ...{
      id,
      type: 'tool_result',
      at: 4,
      from: agent,
      turn: 'trn_1',
      call,
      certainty: 'completed',
      error: false,
    },
    ...{ text: 'done', ms: 12, bytes: 4, redacted: [], hooks: [] },
    ...more,
  }),
  end: (id: string, status = 'completed', more: JsonObject = {}): JsonObject => ({
    ...{ id, type: 'turn_end', at: 5, from: agent, turn: 'trn_1', status, steps: 1, nanousd: null },
    ...more,
  }),
};

/** A chat without a terminal: what is typed, what is heard, what is seen. */
export class ChatScreen {
  readonly chat: ChatModel;
  readonly wishes: ChatWish[] = [];
  nowMs = 0;
  readonly #keys = new KeyDecoder();
  #printed = '';

  constructor({ columns = 80, rows = 24 }: { readonly columns?: number; readonly rows?: number } = {}) {
    this.chat = new ChatModel({ columns, rows, marks: unicodeMarks });
  }

  /** Opens the session, with entries. */
  open(older: readonly JsonObject[] = [], more: Partial<ChatEvent & { readonly kind: 'opened' }> = {}): this {
    this.hear({ kind: 'link', isLive: true });
    return this.hear({
      kind: 'opened',
      session: SESSION,
      entries: older,
      before: null,
      isNew: true,
      ...more,
    });
  }

  hear(event: ChatEvent): this {
    this.wishes.push(...this.chat.take(event, this.nowMs));
    return this;
  }

  stream(event: string, data: JsonObject): this {
    return this.hear({ kind: 'stream', event, data });
  }

  entry(data: JsonObject): this {
    return this.stream('entry', data);
  }

  type(characters: string): this {
    for (const key of [...this.#keys.feed(characters), ...this.#keys.flush()])
      this.hear({ kind: 'key', key });
    return this;
  }

  /** What the chat wanted since it was asked last, what only shows things left out. */
  wanted(): ChatWish[] {
    const quiet = ['questions', 'names', 'session'];
    return this.wishes.splice(0).filter((wish) => !quiet.includes(wish.do));
  }

  /** Everything that has scrolled away. */
  printed(): string {
    this.#printed += doneRows(this.chat)
      .map((line) => `${rowText(line).trimEnd()}\n`)
      .join('');
    return this.#printed;
  }

  /** The end of the screen, `▮` where the cursor stands in a row that ends there. */
  seen(): string {
    const { rows } = frameOf(this.chat, this.nowMs);
    return rows.map((line) => rowText(line).trimEnd()).join('\n');
  }
}
