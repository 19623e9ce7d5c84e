import type { Readable, Writable } from 'node:stream';
import type { Clock, Json, JsonObject, Timer } from '@fairlead/base';
import { encodeRequest, frameLimits, LineSplitter, readResponse } from '@fairlead/protocol';
import { limits } from '../limits.ts';

/** The pipes of one process, as a connection needs them. */
export type ProviderPipes = {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly exited: Promise<unknown>;
};

/** How one request ended. Every `fault` with `handed` or `retired` has ended the connection. */
export type RequestEnd =
  | { readonly kind: 'result'; readonly result: Json; readonly bytes: number }
  | { readonly kind: 'rpc_error' }
  | {
      readonly kind: 'fault';
      readonly code: string;
      /** True once the frame was given to the writer: the plugin may have seen it. */
      readonly handed: boolean;
      /** True where the connection can take no further request. */
      readonly retired: boolean;
    };

export type ConnectionEvents = {
  /** The connection ended while nothing was in flight. */
  readonly onIdleFault: (code: string) => void;
  /** Bytes were handled and no request is in flight any more: the next one may be sent. */
  readonly onIdle: () => void;
};

type Pending = {
  readonly id: number;
  readonly done: (end: RequestEnd) => void;
  timer: Timer | null;
  /** The whole frame has left this process. */
  flushed: boolean;
  /** The answer that came before that. */
  early: Buffer | null;
  /** Lines after `early`: the connection ends once the answer was delivered. */
  stray: boolean;
};

/**
 * JSON-RPC over one process's pipes, one request at a time, each under one absolute deadline that spans encoding, write,
 * flush and answer. The first fault ends it for good. It does not end the process: its owner does.
 * Rules: docs/reference/native-plugin-protocol.md §1, §2, §9 and §13.
 */
export class ProviderConnection {
  readonly #pipes: ProviderPipes;
  readonly #clock: Clock;
  readonly #events: ConnectionEvents;
  readonly #splitter: LineSplitter;
  #nextId = 1;
  #pending: Pending | null = null;
  #fault: string | null = null;
  #exited = false;
  /** Runs once the process or its stdin is gone: what is still in its output may come. */
  #closing: Timer | null = null;

  constructor(pipes: ProviderPipes, clock: Clock, events: ConnectionEvents) {
    this.#pipes = pipes;
    this.#clock = clock;
    this.#events = events;
    this.#splitter = new LineSplitter({
      maxBytes: frameLimits.maxBytes,
      onLine: (line) => this.#line(line),
      onFault: (code) => this.#end(code),
    });
    pipes.stdout.on('data', (chunk: Buffer) => this.#data(chunk));
    pipes.stdout.on('end', () => this.#splitter.end());
    pipes.stdout.on('error', () => this.#end('plugin_stdout_failed'));
    pipes.stdin.on('error', this.#writeFailed);
    void pipes.exited.then(() => this.#processExited());
  }

  /** The code that ended the connection, or null while it works. */
  get fault(): string | null {
    return this.#fault;
  }

  get busy(): boolean {
    return this.#pending !== null;
  }

  /**
   * Sends one request; `done` is called once, never before this returns unless nothing was sent. Nothing may be in
   * flight. `deadlineAtMs` is on the clock's monotonic time.
   */
  request(
    method: 'initialize' | 'tools/list' | 'tools/call',
    params: JsonObject,
    deadlineAtMs: number,
    done: (end: RequestEnd) => void,
  ): void {
    const remainingMs = deadlineAtMs - this.#clock.monotonicMs();
    if (remainingMs <= 0) {
      done(refused('plugin_timeout', false));
      return;
    }
    const id = this.#nextId;
    const frame = encodeRequest(id, method, params);
    if (!frame.ok) {
      done(refused(frame.code, false));
      return;
    }
    // A process that has ended answers nothing, even where its last output still drains.
    if (this.#exited) this.#end('plugin_eof');
    else if (this.#closing !== null) this.#end('plugin_stdin_failed');
    if (this.#fault !== null) {
      done(refused(this.#fault, true));
      return;
    }
    this.#nextId = id + 1;
    const pending: Pending = { id, done, timer: null, flushed: false, early: null, stray: false };
    this.#pending = pending;
    pending.timer = this.#clock.setTimer(remainingMs, this.#expired);
    this.#pipes.stdin.write(frame.bytes, this.#written);
  }

  /** Ends the connection by its owner's decision. A request in flight ends with `code`. */
  close(code: string): void {
    this.#end(code);
  }

  readonly #expired = (): void => this.#end('plugin_timeout');

  readonly #writeFailed = (): void => {
    if (this.#fault !== null || this.#closing !== null) return;
    this.#closing = this.#clock.setTimer(limits.writeFaultMs, () => this.#end('plugin_stdin_failed'));
  };

  readonly #written = (error?: Error | null): void => {
    if (error) {
      this.#writeFailed();
      return;
    }
    const pending = this.#pending;
    if (pending === null) return;
    pending.flushed = true;
    if (pending.early === null) return;
    this.#answer(pending, pending.early);
    if (pending.stray) this.#end('plugin_unexpected_message');
    else if (this.#fault === null && this.#pending === null) this.#events.onIdle();
  };

  #data(chunk: Buffer): void {
    if (this.#fault !== null) return;
    this.#splitter.push(chunk);
    // Only now, so that a second line of the same chunk is seen before anything more is sent.
    if (this.#fault === null && this.#pending === null) this.#events.onIdle();
  }

  #line(line: Uint8Array): void {
    if (this.#fault !== null) return;
    const pending = this.#pending;
    if (pending === null) {
      // Read only to tell noise from a message that nobody asked for.
      const read = readResponse(line, this.#nextId);
      const noise = read.kind === 'fault' && read.code === 'plugin_malformed_json';
      this.#end(noise ? 'plugin_malformed_json' : 'plugin_unexpected_message');
    } else if (pending.flushed) this.#answer(pending, line);
    else if (pending.early === null) pending.early = Buffer.from(line);
    else pending.stray = true;
  }

  #answer(pending: Pending, line: Uint8Array): void {
    const read = readResponse(line, pending.id);
    if (read.kind === 'fault') {
      this.#end(read.code);
      return;
    }
    this.#pending = null;
    pending.timer?.cancel();
    pending.done(read);
  }

  #processExited(): void {
    this.#exited = true;
    if (this.#fault !== null) return;
    this.#closing?.cancel();
    this.#closing = this.#clock.setTimer(limits.outputDrainMs, () => this.#end('plugin_eof'));
  }

  #end(code: string): void {
    if (this.#fault !== null) return;
    this.#fault = code;
    this.#closing?.cancel();
    const pending = this.#pending;
    this.#pending = null;
    if (pending === null) {
      this.#events.onIdleFault(code);
      return;
    }
    pending.timer?.cancel();
    pending.done({ kind: 'fault', code, handed: true, retired: true });
  }
}

function refused(code: string, retired: boolean): RequestEnd {
  return { kind: 'fault', code, handed: false, retired };
}
