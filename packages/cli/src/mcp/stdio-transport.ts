import type { Readable, Writable } from 'node:stream';
import { isJsonObject, type Json, type JsonBounds, parseJson } from '@fairlead/base';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { mcpLimits } from '../limits.ts';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * One MCP client on a pair of streams: a message a line. Each line goes through the bounded scanner before the protocol
 * package sees it; what is no message is answered as such, and the next line is read. The end of the input closes it.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #input: Readable;
  readonly #output: Writable;
  readonly #bounds: JsonBounds;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  /** The rest of a line that was too long is passed over. */
  #isSkipping = false;
  #isClosed = false;

  /** `lineBytes` is the most that one line may have, without its line feed. */
  constructor(options: { readonly input: Readable; readonly output: Writable; readonly lineBytes?: number }) {
    const { input, output, lineBytes = mcpLimits.lineBytes } = options;
    this.#input = input;
    this.#output = output;
    this.#bounds = {
      maxBytes: lineBytes,
      maxDepth: mcpLimits.lineDepth,
      maxNodes: mcpLimits.lineNodes,
      maxStringBytes: lineBytes,
      maxKeyBytes: lineBytes,
    };
  }

  async start(): Promise<void> {
    this.#input.on('data', this.#read);
    this.#input.once('end', this.#end);
    this.#input.once('close', this.#end);
    this.#input.once('error', this.#end);
    // Whoever read our output is gone, and with it everybody who could be answered.
    this.#output.once('error', this.#end);
    this.#output.once('close', this.#end);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) return;
    if (this.#output.write(`${JSON.stringify(message)}\n`)) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#output.removeListener('drain', done);
        this.#output.removeListener('close', done);
        resolve();
      };
      this.#output.once('drain', done);
      this.#output.once('close', done);
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#input.removeListener('data', this.#read);
    this.#input.removeListener('end', this.#end);
    this.#input.removeListener('close', this.#end);
    this.#input.pause();
    this.#pending = [];
    this.onclose?.();
  }

  readonly #end = (): void => {
    void this.close();
  };

  readonly #read = (chunk: Buffer): void => {
    let rest = chunk;
    for (let at = rest.indexOf(LINE_FEED); at >= 0 && !this.#isClosed; at = rest.indexOf(LINE_FEED)) {
      this.#keep(rest.subarray(0, at));
      rest = rest.subarray(at + 1);
      this.#line();
    }
    this.#keep(rest);
  };

  #keep(part: Buffer): void {
    if (this.#isSkipping || part.length === 0) return;
    this.#pendingBytes += part.length;
    if (this.#pendingBytes > this.#bounds.maxBytes) {
      this.#isSkipping = true;
      this.#pending = [];
      this.#refuse(-32600, `A message may have ${this.#bounds.maxBytes} bytes.`);
    } else this.#pending.push(part);
  }

  #line(): void {
    const [first] = this.#pending;
    const line = this.#pending.length === 1 && first !== undefined ? first : Buffer.concat(this.#pending);
    const wasSkipped = this.#isSkipping;
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#isSkipping = false;
    if (wasSkipped) return;
    const text = line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
    if (text.length > 0) this.#message(text);
  }

  #message(line: Buffer): void {
    const parsed = parseJson(line, this.#bounds);
    if (!parsed.ok) {
      this.#refuse(-32700, `The line is not JSON that can be used (${parsed.fault}).`);
    } else if (Array.isArray(parsed.value)) {
      this.#refuse(-32600, 'Batches are not served: send one message a line.');
    } else {
      const message = messageOf(parsed.value);
      if (message === null) this.#refuse(-32600, 'The line is no JSON-RPC message.', parsed.value);
      else this.onmessage?.(message);
    }
  }

  #refuse(code: number, message: string, about: Json = null): void {
    const given = isJsonObject(about) ? about['id'] : null;
    const id = typeof given === 'string' || typeof given === 'number' ? given : null;
    void this.send({ jsonrpc: '2.0', id, error: { code, message } } as unknown as JSONRPCMessage);
  }
}

/** The value where it has the form of a message: a request, a notification, or an answer. Its params are for who handles it. */
function messageOf(value: Json): JSONRPCMessage | null {
  if (!isJsonObject(value) || value['jsonrpc'] !== '2.0') return null;
  const { id, method, params, result, error } = value;
  const hasId = typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id));
  if (id !== undefined && !hasId) return null;
  if (params !== undefined && !isJsonObject(params)) return null;
  const isCall = typeof method === 'string';
  const isAnswer = method === undefined && hasId && (result !== undefined) !== (error !== undefined);
  return isCall || isAnswer ? (value as unknown as JSONRPCMessage) : null;
}
