import { contextLimits } from '../limits.ts';
import type { Message } from '../models/model.ts';
import type { Measure } from './measure.ts';
import type { Piece } from './piece.ts';

/** A conversation in the order in which it is sent. */
export interface Conversation {
  /** Stands for what is older than the history. */
  readonly summary: readonly Piece[];
  readonly history: readonly Piece[];
  /** What the turn answers. */
  readonly asked: readonly Piece[];
  /** What the turn did so far. */
  readonly steps: readonly Piece[];
}

/** What of it is sent. */
export interface Fitted {
  readonly history: readonly Message[];
  readonly asked: readonly Message[];
  readonly steps: readonly Message[];
  /** Results without their words, and messages that are not sent. */
  readonly left: { readonly results: number; readonly entries: number };
}

/**
 * Makes a conversation fit into `room` tokens. Under pressure, in this order and no further than needed:
 *
 * 1. the oldest results lose their words, but not the newest ones that together fit into half of the room, and not those of the last step;
 * 2. the oldest of the history is dropped, then the summary, then the oldest of what is asked;
 * 3. those newest results lose their words, too;
 * 4. the oldest steps are dropped;
 * 5. the results of the last step lose their words.
 *
 * The last of what is asked and the last step are never dropped, and where there is neither, the last of the history is not. A call and its
 * result stay together.
 */
export function fit(conversation: Conversation, room: number, measure: Measure): Fitted {
  const { summary, history, asked, steps } = conversation;
  const fitting = new Fitting([summary, history, asked, steps].flat(), room, measure);
  const results = [...history, ...steps].flatMap(({ messages }) => messages.filter(isResult));
  const last = new Set(steps.at(-1)?.messages);
  const fresh = freshResults(results, room, measure);
  fitting.shorten(results.filter((message) => !last.has(message) && !fresh.has(message)));
  const isLast = asked.length === 0 && steps.length === 0;
  fitting.drop(isLast ? history.slice(0, -1) : history);
  fitting.drop(isLast && history.length === 0 ? [] : summary);
  fitting.drop(asked.slice(0, -1));
  fitting.shorten(results.filter((message) => !last.has(message)));
  fitting.drop(steps.slice(0, -1));
  fitting.shorten(results.filter((message) => last.has(message)));
  return {
    history: fitting.kept([...summary, ...history]),
    asked: fitting.kept(asked),
    steps: fitting.kept(steps),
    left: fitting.left,
  };
}

/** What a history costs at least, while its newest results keep their words as in `fit`: when it is useless to read on. */
export function leastCost(history: readonly Piece[], room: number, measure: Measure): number {
  const messages = history.flatMap((piece) => piece.messages);
  const fresh = freshResults(messages.filter(isResult), room, measure);
  let tokens = 0;
  for (const message of messages)
    tokens += fresh.has(message) ? measure.cost(message) : measure.short(message).tokens;
  return tokens;
}

/** The newest results, as many as together fit into half of the room. */
function freshResults(results: readonly Message[], room: number, measure: Measure): ReadonlySet<Message> {
  const fresh = new Set<Message>();
  let left = room / contextLimits.freshPart;
  for (const message of results.toReversed()) {
    left -= measure.cost(message);
    if (left < 0) break;
    fresh.add(message);
  }
  return fresh;
}

function isResult({ role }: Message): boolean {
  return role === 'tool';
}

/** What is left of each message while room is made. */
class Fitting {
  readonly #measure: Measure;
  readonly #shown: Map<Message, { readonly message: Message; readonly tokens: number }>;
  #over: number;
  #results = 0;
  #entries = 0;

  constructor(pieces: readonly Piece[], room: number, measure: Measure) {
    this.#measure = measure;
    this.#shown = new Map();
    this.#over = -room;
    for (const message of pieces.flatMap((piece) => piece.messages)) {
      const tokens = measure.cost(message);
      this.#shown.set(message, { message, tokens });
      this.#over += tokens;
    }
  }

  get left(): Fitted['left'] {
    return { results: this.#results, entries: this.#entries };
  }

  kept(pieces: readonly Piece[]): readonly Message[] {
    return pieces.flatMap(({ messages }) =>
      messages.flatMap((message) => this.#shown.get(message)?.message ?? []),
    );
  }

  /** The first ones first, until it fits. */
  shorten(results: readonly Message[]): void {
    for (const message of results) {
      if (this.#over <= 0) return;
      const shown = this.#shown.get(message);
      const short = this.#measure.short(message);
      if (shown === undefined || short.message === shown.message) continue;
      this.#shown.set(message, short);
      this.#over -= shown.tokens - short.tokens;
      this.#results += 1;
    }
  }

  drop(pieces: readonly Piece[]): void {
    for (const { messages } of pieces) {
      if (this.#over <= 0) return;
      for (const message of messages) {
        const shown = this.#shown.get(message);
        if (shown === undefined) continue;
        this.#shown.delete(message);
        this.#over -= shown.tokens;
        this.#entries += 1;
        if (shown.message !== message) this.#results -= 1;
      }
    }
  }
}
