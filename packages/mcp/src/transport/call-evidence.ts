import { AsyncLocalStorage } from 'node:async_hooks';
import type { Certainty, Json, JsonObject } from '@fairlead/base';
import type { Transport } from '@modelcontextprotocol/client';

type RequestId = string | number;

/** What is known of one call on the wire: it decides the certainty, and nothing else does. */
export class CallEvidence {
  /** A byte of the request was handed to the pipe or the socket. */
  handed = false;
  /** Its request was begun: what else is sent while it runs, such as the answer to a ping, tells nothing of it. */
  begun = false;
  /** Its end was told, or is about to be: nothing of it is sent from here on where nothing was. */
  isOver = false;
  /** The result or error that came back under the request's id. */
  answer: { readonly result: Json } | { readonly error: Json } | undefined;
  /** The answer was there, and was too large to be taken. */
  tooLarge = false;
  /** Status and body of a refusal over HTTP that was read whole. */
  refusal: { readonly status: number; readonly body: string } | undefined;
  /** Status of an answer over HTTP. */
  status: number | undefined;
  /** The id that the request went out under. */
  id: RequestId | undefined;
  readonly #settle: () => void;
  /** `settle`, for whoever calls it with something. */
  readonly settled = (): void => this.settle();

  readonly #progress: (text: string) => void;
  #takeBack: () => void = () => {};

  constructor(settle: () => void, progress: (text: string) => void) {
    this.#settle = settle;
    this.#progress = progress;
  }

  /** A line of progress: the message, or how much of how much. */
  progressed({ progress, total, message }: JsonObject): void {
    if (typeof message === 'string') this.#progress(message);
    else if (typeof progress === 'number')
      this.#progress(typeof total === 'number' ? `${progress} of ${total}` : String(progress));
  }

  /** Nothing more is expected. */
  settle(): void {
    this.#settle();
  }

  /** How its request is ended, so that nothing of it goes out that has not. */
  takenBackBy(takeBack: () => void): void {
    this.#takeBack = takeBack;
  }

  /**
   * Nobody waits for it any more. Before its certainty is told: the official client may still be making its request, and the request may wait for a
   * socket, or for that to open.
   */
  withdraw(): void {
    this.isOver = true;
    if (!this.handed) this.#takeBack();
  }

  get certainty(): Certainty {
    if (this.answer !== undefined || this.tooLarge) return 'completed';
    if (this.refusal !== undefined && isProvenRefusal(this.refusal.status)) return 'completed';
    return this.handed ? 'outcome_unknown' : 'not_started';
  }
}

/** These say that a session, a connection or a moment was the wrong one, and nothing of what became of the request. */
const AMBIGUOUS: ReadonlySet<number> = new Set([404, 408, 410, 425]);

function isProvenRefusal(status: number): boolean {
  return status >= 400 && status < 500 && !AMBIGUOUS.has(status);
}

/** The call that is being sent, where one is: what the official client sends of itself has none. */
export const sending = new AsyncLocalStorage<CallEvidence>();

/** The calls of one connection whose answers have not come. */
export class PendingCalls {
  readonly #calls = new Map<RequestId, CallEvidence>();
  /** Whether handing a message to the transport is writing it: over HTTP the request tells. */
  readonly isStream: boolean;

  constructor(isStream: boolean) {
    this.isStream = isStream;
  }

  /** Puts itself between a connected client and its transport. `listChanged` is told at once. */
  watch(transport: Transport, listChanged: () => void): void {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => {
      const evidence = sending.getStore();
      if (evidence === undefined || evidence.id !== undefined || !('method' in message && 'id' in message))
        return send(message, options);
      evidence.id = message.id;
      this.#calls.set(message.id, evidence);
      if (this.isStream) {
        evidence.handed = true;
        return send(message, options);
      }
      // The stream of answers has ended, and will not be taken up again.
      const ended = () => {
        evidence.settle();
        options?.onRequestStreamEnd?.();
      };
      return send(message, { ...options, onRequestStreamEnd: ended });
    };
    const hear = transport.onmessage;
    transport.onmessage = (message, extra) => {
      this.#hear(message as unknown as Readonly<Record<string, Json>>);
      if ('method' in message && message.method === 'notifications/tools/list_changed') listChanged();
      // Told here and at once: the official client has forgotten who waits when the answer came in the same breath.
      if ('method' in message && message.method === 'notifications/progress')
        this.#progressed(message.params);
      hear?.call(transport, message, extra);
    };
  }

  /** An answer that was passed over because of its size. */
  passedOver(id: RequestId): void {
    const evidence = this.#take(id);
    if (evidence === undefined) return;
    evidence.tooLarge = true;
    evidence.settle();
  }

  /** Nobody will answer any more. */
  end(): void {
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const evidence of calls) evidence.settle();
  }

  forget(evidence: CallEvidence): void {
    if (evidence.id !== undefined && this.#calls.get(evidence.id) === evidence)
      this.#calls.delete(evidence.id);
  }

  #hear(message: Readonly<Record<string, Json>>): void {
    const { id, result, error } = message;
    if (typeof id !== 'number' && typeof id !== 'string') return;
    if (result === undefined && error === undefined) return;
    const evidence = this.#take(id);
    if (evidence === undefined) return;
    evidence.answer = result === undefined ? { error: error ?? null } : { result };
    evidence.settle();
  }

  #progressed(params: unknown): void {
    if (typeof params !== 'object' || params === null) return;
    const said = params as JsonObject;
    const token = said['progressToken'];
    if (typeof token === 'number' || typeof token === 'string') this.#calls.get(token)?.progressed(said);
  }

  #take(id: RequestId): CallEvidence | undefined {
    const evidence = this.#calls.get(id);
    if (evidence !== undefined) this.#calls.delete(id);
    return evidence;
  }
}
