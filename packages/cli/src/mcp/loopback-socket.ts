import type { Socket } from 'node:net';
import { clientLimits, mcpLimits } from '../limits.ts';
import { type AnswerHead, readHead } from './answer-head.ts';
import type { PostReply } from './post.ts';

/** Whoever keeps the socket between two requests. */
type Owner = { readonly free: () => void; readonly closed: () => void };

/** One socket to a gateway: a request, its answer, then the next. */
export class LoopbackSocket {
  readonly #socket: Socket;
  readonly #owner: Owner;
  #isConnected = false;
  #answer: ((reply: PostReply) => void) | null = null;
  #chunks: Buffer[] = [];
  #size = 0;
  #head: AnswerHead | null = null;

  constructor(socket: Socket, owner: Owner) {
    this.#socket = socket;
    this.#owner = owner;
    socket.setNoDelay(true);
    socket.setTimeout(mcpLimits.idleSocketMs, () => {
      if (this.#answer === null) socket.destroy();
    });
    socket.on('connect', () => {
      this.#isConnected = true;
    });
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => this.break(error.code ?? 'the connection failed'));
    socket.on('close', () => {
      this.break('the connection was closed');
      owner.closed();
    });
  }

  send(request: string, answer: (reply: PostReply) => void): void {
    this.#answer = answer;
    this.#socket.write(request);
  }

  /** Ends the socket; whoever waits is told why. What never had a connection was never sent. */
  break(reason: string): void {
    this.#settle({ kind: this.#isConnected ? 'lost' : 'unsent', reason });
    this.#socket.destroy();
  }

  #settle(reply: PostReply): void {
    const answer = this.#answer;
    this.#answer = null;
    answer?.(reply);
  }

  #read(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    const fault = this.#fault();
    if (fault !== null) this.break(fault);
    else if (this.#head !== null && this.#size >= this.#head.bodyAt + this.#head.length)
      this.#finish(this.#head);
  }

  /** Reads the head as soon as it is there. */
  #fault(): string | null {
    // Nothing was asked: whatever this is, it must not be taken for the next answer.
    if (this.#answer === null) return 'an answer that nobody asked for';
    if (this.#size > clientLimits.answerBytes) return 'the answer is too large';
    if (this.#head !== null) return null;
    const head = readHead(this.#whole());
    if (head === null) return 'an answer that is not Fairlead’s';
    if (head !== 'more') this.#head = head;
    return null;
  }

  #finish({ status, mediaType, bodyAt, length, isLast }: AnswerHead): void {
    const bytes = this.#whole();
    this.#chunks = [];
    this.#size = 0;
    this.#head = null;
    this.#settle({ kind: 'answered', status, mediaType, bytes: bytes.subarray(bodyAt, bodyAt + length) });
    if (isLast || bytes.length > bodyAt + length) this.break('the last answer');
    else this.#owner.free();
  }

  #whole(): Buffer {
    const [first] = this.#chunks;
    if (this.#chunks.length === 1 && first !== undefined) return first;
    const whole = Buffer.concat(this.#chunks);
    this.#chunks = [whole];
    return whole;
  }
}
