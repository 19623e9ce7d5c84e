import type { JsonObject } from '@fairlead/base';
import { frameLimits } from './limits.ts';

const LF = 0x0a;
const CR = 0x0d;

/** How a stream of lines ends: a line that is none, a line that is too long, or a clean end. */
export type LineFault = 'plugin_malformed_json' | 'plugin_message_too_large' | 'plugin_eof';

/** What a `LineSplitter` needs. */
export type LineSplitterOptions = {
  /** Most bytes of one line, counted without its LF and with its CR. */
  readonly maxBytes: number;
  /** Gets each line without LF and CR, never empty. Its bytes are not written again. */
  readonly onLine: (line: Uint8Array) => void;
  /** Called at most once; no line follows. */
  readonly onFault: (code: LineFault) => void;
};

/**
 * Cuts a byte stream into lines (docs/reference/native-plugin-protocol.md §1). The events are the same however the
 * stream was cut into chunks. The first fault or the end of the stream ends it for good. A line that lies whole in
 * one chunk is handed on as a part of that chunk, without a copy.
 */
export class LineSplitter {
  readonly #options: LineSplitterOptions;
  #ended = false;
  /** The start of a line whose end has not come yet. */
  #held: Uint8Array = EMPTY;
  #heldBytes = 0;

  constructor(options: LineSplitterOptions) {
    this.#options = options;
  }

  /** True after the first fault, the end of the stream, or `stop`. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Takes the next bytes of the stream. Nothing happens once it has ended. */
  push(chunk: Uint8Array): void {
    let start = 0;
    while (start < chunk.length && !this.#ended) {
      const end = chunk.indexOf(LF, start);
      const part = chunk.subarray(start, end < 0 ? chunk.length : end);
      if (this.#heldBytes + part.length > this.#options.maxBytes) {
        this.#end('plugin_message_too_large');
      } else if (end < 0) {
        this.#hold(part);
      } else {
        this.#line(part);
      }
      start += part.length + 1;
    }
  }

  /** The stream has ended: a line without its LF is malformed, otherwise it is a plain end. */
  end(): void {
    if (!this.#ended) this.#end(this.#heldBytes > 0 ? 'plugin_malformed_json' : 'plugin_eof');
  }

  /** Ends it without an event, for an owner that wants no more. */
  stop(): void {
    this.#ended = true;
    this.#held = EMPTY;
    this.#heldBytes = 0;
  }

  #line(part: Uint8Array): void {
    let line = part;
    if (this.#heldBytes > 0) {
      this.#hold(part);
      line = this.#held.subarray(0, this.#heldBytes);
      this.#held = EMPTY;
      this.#heldBytes = 0;
    }
    if (line[line.length - 1] === CR) line = line.subarray(0, line.length - 1);
    if (line.length === 0) this.#end('plugin_malformed_json');
    else this.#options.onLine(line);
  }

  #hold(part: Uint8Array): void {
    const bytes = this.#heldBytes + part.length;
    if (bytes > this.#held.length) {
      // Doubling keeps a line that comes in many small pieces linear.
      const larger = new Uint8Array(Math.min(this.#options.maxBytes, Math.max(bytes, this.#held.length * 2)));
      larger.set(this.#held.subarray(0, this.#heldBytes));
      this.#held = larger;
    }
    this.#held.set(part, this.#heldBytes);
    this.#heldBytes = bytes;
  }

  #end(code: LineFault): void {
    this.stop();
    this.#options.onFault(code);
  }
}

const EMPTY = new Uint8Array(0);

/** The three methods of the protocol; a plugin is asked nothing else. */
export type PluginMethod = 'initialize' | 'tools/list' | 'tools/call';

/** A request as bytes with its LF, or why it cannot be one: nothing is sent then. */
export type EncodedRequest =
  | { readonly ok: true; readonly bytes: Buffer }
  | { readonly ok: false; readonly code: 'plugin_request_invalid' | 'plugin_request_too_large' };

/**
 * Writes one request (docs/reference/native-plugin-protocol.md §2). `id` counts from 1 on each instance. Codes:
 * `plugin_request_invalid` when the parameters cannot be written as JSON, `plugin_request_too_large` above 1 MiB.
 */
export function encodeRequest(id: number, method: PluginMethod, params: JsonObject): EncodedRequest {
  if (!Number.isSafeInteger(id) || id < 1) return { ok: false, code: 'plugin_request_invalid' };
  let written: string | undefined;
  try {
    written = JSON.stringify(params);
  } catch {
    return { ok: false, code: 'plugin_request_invalid' };
  }
  if (written === undefined) return { ok: false, code: 'plugin_request_invalid' };
  const bytes = Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${written}}\n`);
  if (bytes.length - 1 > frameLimits.maxBytes) return { ok: false, code: 'plugin_request_too_large' };
  return { ok: true, bytes };
}
