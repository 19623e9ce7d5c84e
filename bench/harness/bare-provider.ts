import { fileURLToPath } from 'node:url';
import type { ChildSet, PipedChild } from './child-set.ts';
import { within } from './deadline.ts';

const REQUEST_LIMIT_MS = 30_000;

/** The absolute path of a file in `bench/children`. */
export function childPath(file: string): string {
  return fileURLToPath(new URL(`../children/${file}`, import.meta.url));
}

/**
 * A native plugin spoken to over nothing but its pipes: no limits, no deadlines, no checks. The floor that the product's
 * own path is held against. One request at a time.
 */
export class BareProvider {
  readonly child: PipedChild;
  readonly #signal: AbortSignal;
  #nextId = 1;
  #text = '';
  #waiting: { resolve(result: unknown): void; reject(error: Error): void } | undefined;

  constructor(children: ChildSet, signal: AbortSignal, args: readonly string[]) {
    this.#signal = signal;
    this.child = children.start(process.execPath, args);
    this.child.stdout.setEncoding('utf8');
    this.child.stdout.on('data', (text: string) => this.#take(text));
    this.child.once('error', (error) => this.#waiting?.reject(error));
    this.child.once('exit', () => this.#waiting?.reject(new Error(`${args[0]} ended`)));
  }

  /** Sends one request and gives the answer's result. */
  request(method: string, params: unknown): Promise<unknown> {
    const id = this.#nextId;
    this.#nextId = id + 1;
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  }

  /** `initialize` and `tools/list`: from here on it takes calls. */
  async ready(): Promise<void> {
    const answers = this.request('initialize', { protocolVersion: 'webcodex-plugin-v1' }).then(() =>
      this.request('tools/list', {}),
    );
    await within(answers, REQUEST_LIMIT_MS, 'initialize and tools/list of a bare child', this.#signal);
  }

  #take(text: string): void {
    this.#text += text;
    const end = this.#text.indexOf('\n');
    if (end < 0) return;
    const message: { result?: unknown } = JSON.parse(this.#text.slice(0, end));
    this.#text = this.#text.slice(end + 1);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(message.result);
  }
}
