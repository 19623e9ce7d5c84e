import type { ProcessTree } from '@fairlead/process';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { wireLimits } from '../limits.ts';
import { MessageLines } from './message-lines.ts';

export interface TreeTransportOptions {
  readonly tree: ProcessTree;
  /** A line on stdout that is no message. */
  readonly stray: (line: string) => void;
  readonly passedOver: (id: number) => void;
}

/**
 * The official client's transport over the pipes of a process tree. It ends no process: whoever started the tree does, so that a second client may
 * speak to the same program where it refuses the first one's revision. Its end is told once.
 */
export class TreeTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #options: TreeTransportOptions;
  readonly #lines: MessageLines;
  readonly #ended: () => void;
  #isStuck = false;
  #drained: Promise<void> | undefined;
  #state: 'fresh' | 'open' | 'closed' = 'fresh';

  constructor(options: TreeTransportOptions) {
    this.#options = options;
    this.#lines = new MessageLines({
      message: (message) => this.onmessage?.(message),
      stray: options.stray,
      passedOver: options.passedOver,
    });
    this.#ended = () => void this.close();
  }

  async start(): Promise<void> {
    if (this.#state !== 'fresh') throw new Error('a transport is started once');
    this.#state = 'open';
    const { stdin, stdout } = this.#options.tree;
    stdout.on('data', this.#read);
    stdout.once('end', this.#ended);
    stdout.once('close', this.#ended);
    stdin.once('error', this.#ended);
    stdin.once('close', this.#ended);
    if (stdout.readableEnded || stdout.closed || stdin.closed) await this.close();
  }

  /** Rejects before a byte is written where the program has ended. */
  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#options.tree;
    if (this.#state !== 'open' || !stdin.writable) throw new Error('the program has ended');
    if (stdin.write(`${JSON.stringify(message)}\n`)) return;
    if (stdin.writableLength > wireLimits.unreadBytes) {
      this.#isStuck = true;
      await this.close();
      return;
    }
    this.#drained ??= this.#drain();
    await this.#drained;
  }

  /** Whether it was closed because the program does not read what it is sent. */
  get isStuck(): boolean {
    return this.#isStuck;
  }

  /** One for all who wait: a program that asks and never reads has many answers waiting. */
  #drain(): Promise<void> {
    const { stdin } = this.#options.tree;
    return new Promise((resolve) => {
      const done = () => {
        stdin.removeListener('drain', done);
        stdin.removeListener('close', done);
        this.#drained = undefined;
        resolve();
      };
      stdin.once('drain', done);
      stdin.once('close', done);
    });
  }

  /** Whether a message could be written now. */
  get isOpen(): boolean {
    return this.#state === 'open' && this.#options.tree.stdin.writable;
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    const { stdin, stdout } = this.#options.tree;
    stdout.removeListener('data', this.#read);
    stdout.removeListener('end', this.#ended);
    stdout.removeListener('close', this.#ended);
    stdin.removeListener('error', this.#ended);
    stdin.removeListener('close', this.#ended);
    this.onclose?.();
  }

  readonly #read = (chunk: Buffer): void => this.#lines.push(chunk);
}
