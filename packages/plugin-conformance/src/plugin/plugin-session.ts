import type { Clock, JsonObject } from '@fairlead/base';
import { type Exit, type ProcessTree, StderrRing } from '@fairlead/process';
import { encodeRequest, frameLimits, LineSplitter, type PluginMethod } from '@fairlead/protocol';
import { keptLimits, runLimits, TAIL_MAX_BYTES } from '../limits.ts';
import { isMeantFor } from './line-faults.ts';

/** Why nothing more is read from a plugin. */
export type OutputEnd = 'eof' | 'part_of_a_line' | 'empty_line' | 'line_too_long' | 'flood';

/** What came of one request. `noise`: lines that came before the answer and are none. */
export type Exchange = { readonly id: number; readonly noise: readonly Uint8Array[] } & (
  | { readonly kind: 'line'; readonly line: Uint8Array }
  | { readonly kind: 'timeout'; readonly part: Uint8Array }
  | { readonly kind: 'ended'; readonly end: OutputEnd; readonly part: Uint8Array; readonly exit: Exit | null }
  | { readonly kind: 'stdin_closed' }
);

/** Times that a run may shorten. Milliseconds. */
export type SessionTimes = { readonly timeoutMs: number; readonly quietMs: number; readonly exitMs: number };

export type SessionOptions = SessionTimes & {
  /** Sends a signal; a process that is gone is no error. */
  readonly kill: (pid: number, signal: 'SIGTERM') => unknown;
};

/** One process of the plugin under test, spoken to as a Runner speaks to it, and a little more patiently. */
export class PluginSession {
  readonly tree: ProcessTree;
  readonly stderr = new StderrRing();
  /** The ids of requests that have had an answer. */
  readonly answered = new Set<number>();
  readonly #clock: Clock;
  readonly #options: SessionOptions;
  readonly #splitter: LineSplitter;
  #lines: Uint8Array[] = [];
  #lineBytes = 0;
  #end: OutputEnd | null = null;
  /** What stands after the last LF, its beginning. */
  #tail: Buffer = Buffer.alloc(0);
  #exit: Exit | null = null;
  #stdinClosed = false;
  /** When the process or its stdin was found gone: what is still in its output may come. */
  #goneAtMs: number | null = null;
  #nextId = 1;
  #wake: () => void = () => {};

  constructor(tree: ProcessTree, clock: Clock, options: SessionOptions) {
    this.tree = tree;
    this.#clock = clock;
    this.#options = options;
    this.#splitter = new LineSplitter({
      maxBytes: frameLimits.maxBytes,
      onLine: (line) => this.#keep(line),
      onFault: (code) => {
        this.#end ??= code === 'plugin_message_too_large' ? 'line_too_long' : 'empty_line';
      },
    });
    tree.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    const ended = (): void => {
      this.#end ??= this.#tail.length > 0 ? 'part_of_a_line' : 'eof';
      this.#splitter.stop();
      this.#wake();
    };
    tree.stdout.once('end', ended).once('close', ended);
    tree.stderr.on('data', (chunk: Buffer) => this.stderr.push(chunk));
    tree.stdin.on('error', () => {
      this.#stdinClosed = true;
      this.#gone();
    });
    void tree.exited.then((exit) => {
      this.#exit = exit;
      this.#gone();
    });
  }

  /** True as long as another request may be answered. */
  get sound(): boolean {
    return this.#end === null && this.#goneAtMs === null;
  }

  /** Sends the next request and waits for its answer, `timeoutMs` at most. */
  ask(method: PluginMethod, params: JsonObject): Promise<Exchange> {
    const request = this.next(method, params);
    this.send(request.bytes);
    return this.answerTo(request.id);
  }

  /** The bytes of the next request, unsent. */
  next(method: PluginMethod, params: JsonObject): { readonly id: number; readonly bytes: Buffer } {
    const id = this.takeId();
    const encoded = encodeRequest(id, method, params);
    if (!encoded.ok) throw new RangeError(`a request that cannot be sent: ${encoded.code}`);
    return { id, bytes: encoded.bytes };
  }

  /** The id of the newest request; 0 before the first. */
  get lastId(): number {
    return this.#nextId - 1;
  }

  /** An id for a request that the wire does not have. */
  takeId(): number {
    this.#nextId += 1;
    return this.#nextId - 1;
  }

  send(bytes: Uint8Array): void {
    if (!this.tree.stdin.destroyed) this.tree.stdin.write(bytes);
  }

  /** Sends bytes cut at these places, each piece by itself. */
  async sendInPieces(bytes: Buffer, cuts: readonly number[]): Promise<void> {
    let from = 0;
    for (const to of [...cuts, bytes.length]) {
      this.send(bytes.subarray(from, to));
      from = to;
      if (to < bytes.length) await this.#until(() => !this.sound, runLimits.pieceMs);
    }
  }

  /** Waits for the answer to a request that was sent. */
  async answerTo(id: number): Promise<Exchange> {
    const noise: Uint8Array[] = [];
    const startedMs = this.#clock.monotonicMs();
    const deadlineMs = startedMs + this.#options.timeoutMs;
    let patienceMs = deadlineMs;
    for (;;) {
      for (let line = this.#take(); line !== undefined; line = this.#take()) {
        if (isMeantFor(line, id)) {
          this.answered.add(id);
          return { kind: 'line', id, line, noise };
        }
        noise.push(line);
        if (noise.length === 1) patienceMs = this.#clock.monotonicMs() + runLimits.graceMs;
      }
      const nowMs = this.#clock.monotonicMs();
      const isOver = this.#end !== null || this.#isDrained(nowMs);
      const [first, ...rest] = noise;
      if (first !== undefined && (isOver || nowMs >= patienceMs)) {
        return { kind: 'line', id, line: first, noise: rest };
      }
      if (isOver) return await this.#endedExchange(id);
      if (nowMs >= deadlineMs) return { kind: 'timeout', id, part: this.#tail, noise: [] };
      const drainedMs = this.#goneAtMs === null ? deadlineMs : this.#goneAtMs + runLimits.drainMs;
      await this.#until(
        () =>
          this.#lines.length > 0 ||
          this.#end !== null ||
          (this.#goneAtMs !== null && drainedMs === deadlineMs),
        Math.min(deadlineMs, patienceMs, drainedMs) - nowMs,
      );
    }
  }

  /** Listens while nothing is asked; resolves early where nothing more can come. */
  async listen(): Promise<void> {
    await this.#until(
      () => this.#end !== null || this.#lines.length >= keptLimits.maxStrayLines,
      this.#options.quietMs,
    );
  }

  /** The lines that nobody has read as an answer, and how the output ended, if it did. */
  takeStrays(): {
    readonly lines: readonly Uint8Array[];
    readonly end: OutputEnd | null;
    readonly part: Uint8Array;
  } {
    const lines = this.#lines;
    this.#lines = [];
    this.#lineBytes = 0;
    return { lines, end: this.#end, part: this.#tail };
  }

  /** Ends stdin and waits for the process's own end: null where it goes on longer than `exitMs`. */
  async endStdin(): Promise<Exit | null> {
    this.tree.stdin.end();
    return await this.#exits();
  }

  /** Asks the process to end, by the signal that service managers send. */
  async terminate(): Promise<Exit | null> {
    try {
      this.#options.kill(this.tree.pid, 'SIGTERM');
    } catch {
      // It has ended in the meantime.
    }
    return await this.#exits();
  }

  /** The process's end, where it has come. */
  get exit(): Exit | null {
    return this.#exit;
  }

  /** Ends the process tree, whatever it does. Idempotent. */
  async close(): Promise<void> {
    this.#splitter.stop();
    await this.tree.end();
  }

  async #exits(): Promise<Exit | null> {
    await this.#until(() => this.#exit !== null, this.#options.exitMs);
    return this.#exit;
  }

  async #endedExchange(id: number): Promise<Exchange> {
    const end = this.#end ?? 'eof';
    // Its status comes a moment after its pipes have ended.
    await this.#until(() => this.#exit !== null, end === 'eof' ? runLimits.drainMs : 0);
    if (end === 'eof' && this.#exit === null && this.#stdinClosed)
      return { kind: 'stdin_closed', id, noise: [] };
    return { kind: 'ended', id, end, part: this.#tail, exit: this.#exit, noise: [] };
  }

  #isDrained(nowMs: number): boolean {
    return this.#goneAtMs !== null && nowMs >= this.#goneAtMs + runLimits.drainMs;
  }

  #gone(): void {
    this.#goneAtMs ??= this.#clock.monotonicMs();
    this.#wake();
  }

  #read(chunk: Buffer): void {
    if (this.#end !== null) return;
    this.#splitter.push(chunk);
    const last = chunk.lastIndexOf(0x0a);
    const rest = chunk.subarray(last + 1);
    const before = last < 0 ? this.#tail : Buffer.alloc(0);
    this.#tail = Buffer.concat([before, rest.subarray(0, TAIL_MAX_BYTES - before.length)]);
    this.#wake();
  }

  #keep(line: Uint8Array): void {
    this.#lines.push(Uint8Array.from(line));
    this.#lineBytes += line.length;
    const isFlood =
      this.#lines.length > keptLimits.maxStrayLines ||
      (this.#lines.length > 1 && this.#lineBytes > keptLimits.maxStrayBytes);
    if (!isFlood) return;
    this.#end = 'flood';
    this.#splitter.stop();
  }

  #take(): Uint8Array | undefined {
    const line = this.#lines.shift();
    this.#lineBytes -= line?.length ?? 0;
    return line;
  }

  /** Waits until it is so, `limitMs` at most. */
  #until(isSo: () => boolean, limitMs: number): Promise<void> {
    if (isSo() || limitMs <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      let isDone = false;
      const done = (): void => {
        if (isDone) return;
        isDone = true;
        timer.cancel();
        this.#wake = () => {};
        resolve();
      };
      // A timer that is overdue fires before what came while this process had no time is read.
      const timer = this.#clock.setTimer(limitMs, () => void setImmediate(done));
      this.#wake = () => {
        if (isSo()) done();
      };
    });
  }
}
