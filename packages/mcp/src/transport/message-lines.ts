import { checkJsonBounds, isJsonObject, type Json, type JsonBounds, parseJson } from '@fairlead/base';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { wireLimits } from '../limits.ts';

const LINE_FEED = 0x0a;

export interface LineSinks {
  message(message: JSONRPCMessage): void;
  /** A line that is no message, or one too long; only its beginning. */
  stray(line: string): void;
  /** An answer that is too long: the id that stands at its beginning or end. */
  passedOver(id: number): void;
}

const BOUNDS: JsonBounds = Object.freeze({
  maxBytes: wireLimits.messageBytes,
  maxDepth: wireLimits.messageDepth,
  maxNodes: wireLimits.messageNodes,
  maxStringBytes: wireLimits.messageBytes,
  maxKeyBytes: wireLimits.messageBytes,
});

/** Faults that other languages' servers may have in a sound message: a large integer, a lone surrogate. */
const TAKEN_ALL_THE_SAME: ReadonlySet<string> = new Set([
  'integer_out_of_range',
  'duplicate_key',
  'lone_surrogate',
  'number_not_finite',
]);

/** Messages of a program's stdout, one a line. Lines that are none end nothing, and none is kept beyond its bound. */
export class MessageLines {
  readonly #sinks: LineSinks;
  #parts: Buffer[] = [];
  #bytes = 0;
  #head: Buffer | undefined;
  #tail = Buffer.alloc(0);

  constructor(sinks: LineSinks) {
    this.#sinks = sinks;
  }

  push(chunk: Buffer): void {
    let rest = chunk;
    for (let at = rest.indexOf(LINE_FEED); at >= 0; at = rest.indexOf(LINE_FEED)) {
      this.#keep(rest.subarray(0, at));
      rest = rest.subarray(at + 1);
      this.#end();
    }
    this.#keep(rest);
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return;
    this.#bytes += part.length;
    if (this.#bytes <= wireLimits.messageBytes) {
      this.#parts.push(part);
      return;
    }
    const { edgeBytes } = wireLimits;
    if (this.#head === undefined) {
      this.#head = Buffer.concat(this.#parts).subarray(0, edgeBytes);
      this.#parts = [];
    }
    this.#tail = Buffer.from(Buffer.concat([this.#tail, part.subarray(-edgeBytes)]).subarray(-edgeBytes));
  }

  #end(): void {
    const head = this.#head;
    const tail = this.#tail;
    const [first] = this.#parts;
    const line = this.#parts.length === 1 && first !== undefined ? first : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    this.#head = undefined;
    this.#tail = Buffer.alloc(0);
    if (head !== undefined) this.#overlong(head.toString('latin1'), tail.toString('latin1'));
    else this.#line(line.at(-1) === 0x0d ? line.subarray(0, -1) : line);
  }

  #line(line: Buffer): void {
    if (line.length === 0) return;
    const message = readMessage(line);
    if (message === undefined) this.#sinks.stray(line.subarray(0, wireLimits.foreignText).toString('utf8'));
    else this.#sinks.message(message);
  }

  #overlong(head: string, tail: string): void {
    const id =
      /^\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*,/.exec(head)?.[1] ??
      /\}\s*,\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?"id"\s*:\s*(\d{1,15})\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/.exec(
        tail,
      )?.[1];
    if (id === undefined) this.#sinks.stray(head);
    else this.#sinks.passedOver(Number(id));
  }
}

/** Undefined for what is no message of the protocol. What stands in its `params` and `result` is for who handles it. */
function readMessage(line: Buffer): JSONRPCMessage | undefined {
  const parsed = parseJson(line, BOUNDS);
  const value = parsed.ok ? parsed.value : TAKEN_ALL_THE_SAME.has(parsed.fault) ? lenient(line) : undefined;
  if (!isJsonObject(value ?? null)) return undefined;
  const { jsonrpc, id, method, result, error } = value as Readonly<Record<string, Json>>;
  const hasId = typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id));
  if (jsonrpc !== '2.0' || (id !== undefined && id !== null && !hasId)) return undefined;
  const isAnswer = hasId && (result !== undefined || error !== undefined);
  return typeof method === 'string' || isAnswer ? (value as unknown as JSONRPCMessage) : undefined;
}

function lenient(line: Buffer): Json | undefined {
  try {
    const value = JSON.parse(line.toString('utf8')) as Json;
    return checkJsonBounds(value, BOUNDS, 0) === null ? value : undefined;
  } catch {
    return undefined;
  }
}
