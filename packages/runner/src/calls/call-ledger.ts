import type { Clock } from '@fairlead/base';
import {
  type CallState,
  encodeResponse,
  hasEffect,
  type RequestFrame,
  type RunnerRequest,
} from '@fairlead/protocol';
import { limits } from '../limits.ts';
import type { LinkReply } from '../link/link-connection.ts';
import { type Answer, refusal } from '../provider/answer.ts';
import { KeptAnswers } from './kept-answers.ts';
import { SeenCalls } from './seen-calls.ts';

export type CallLedgerOptions = {
  readonly clock: Clock;
  /** Carries out one request; `answer` is called once. */
  readonly carryOut: (request: RunnerRequest, budgetMs: number, answer: Answer) => void;
};

/**
 * What this process knows of the calls that it was asked for, whichever connection they came on: those that run, the answers of
 * the last ones, and the ids that it has promised never to carry out. It outlives every connection, so that a call whose answer was
 * lost can be asked for. Rules: docs/reference/native-plugin-protocol.md §15, "Settling".
 */
export class CallLedger implements Disposable {
  readonly #options: CallLedgerOptions;
  readonly #kept: KeptAnswers;
  readonly #seen = new SeenCalls();
  /** Ids that were answered `never_seen`. */
  readonly #entombed = new Set<string>();
  /** What runs, and who is to be told of its end: the connection that asked last. */
  readonly #running = new Map<string, LinkReply | null>();

  constructor(options: CallLedgerOptions) {
    this.#options = options;
    this.#kept = new KeptAnswers(options.clock);
  }

  /** Takes one request from a connection that is not closed. */
  handle(frame: RequestFrame, reply: LinkReply): void {
    const { request, call, deadline_ms: budgetMs } = frame;
    const { carryOut } = this.#options;
    if (request.kind === 'outcome') {
      reply.answer(this.#tell(request.call, reply));
      return;
    }
    if (call === undefined || !hasEffect(request)) {
      carryOut(request, budgetMs, (outcome) => reply.answer(encodeResponse(outcome)));
      return;
    }
    const refused = this.#refused(call);
    if (refused !== null) {
      reply.answer(encodeResponse(refused));
      return;
    }
    this.#seen.add(call);
    this.#running.set(call, null);
    carryOut(request, budgetMs, (outcome) => {
      const text = encodeResponse(outcome);
      const asker = this.#running.get(call);
      this.#running.delete(call);
      this.#kept.keep(call, text);
      reply.answer(text);
      asker?.ended(call);
    });
  }

  [Symbol.dispose](): void {
    this.#kept.close();
  }

  /** Why an id serves no more. A repetition is not carried out, but the call is: whoever takes this for its answer must not read that it never began. */
  #refused(call: string): ReturnType<typeof refusal> | null {
    if (this.#entombed.has(call)) return refusal('plugin_call_entombed', 'not_started');
    if (!this.#running.has(call) && !this.#kept.has(call)) return null;
    return refusal('plugin_call_repeated', 'outcome_unknown');
  }

  /** The response to `outcome`. */
  #tell(call: string, reply: LinkReply): string {
    const kept = this.#kept.get(call);
    if (kept !== undefined) return outcomeText(call, 'completed', kept);
    if (!this.#running.has(call)) return outcomeText(call, this.#absent(call));
    this.#running.set(call, reply);
    return outcomeText(call, 'running');
  }

  /** `never_seen` is a promise: it is given only where it is true and can be kept. */
  #absent(call: string): 'never_seen' | 'forgotten' {
    if (this.#entombed.has(call)) return 'never_seen';
    if (this.#seen.mayHave(call) || this.#entombed.size >= limits.entombedCallsMax) return 'forgotten';
    this.#entombed.add(call);
    return 'never_seen';
  }
}

/** Around the text that is kept, which is JSON already; an id has no character that JSON escapes. */
function outcomeText(call: string, state: CallState, response?: string): string {
  const tail = response === undefined ? '' : `,"response":${response}`;
  return `{"dispatch_state":"completed","payload":{"kind":"outcome","call":"${call}","state":"${state}"${tail}}}`;
}
