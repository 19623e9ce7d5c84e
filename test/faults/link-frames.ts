import { isJsonObject, type Json } from '@fairlead/base';
import type { LinkFrame } from '@fairlead/protocol';
import type { FrameKind } from './plan.ts';

/** Cuts one direction of a WebSocket connection into its handshake and its frames (RFC 6455, 5.2), each as the bytes that it is. */
export class FrameSplitter {
  #bytes: Buffer = Buffer.alloc(0);
  #isShaken = false;

  /** What is whole now, in order. */
  push(chunk: Buffer): Buffer[] {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    const whole: Buffer[] = [];
    for (;;) {
      const length = this.#isShaken ? frameLength(this.#bytes) : handshakeLength(this.#bytes);
      if (this.#bytes.length < length) return whole;
      this.#isShaken = true;
      whole.push(this.#bytes.subarray(0, length));
      this.#bytes = this.#bytes.subarray(length);
    }
  }
}

/** The JSON of a text frame, null for every other. */
function jsonOf(frame: Buffer): Json {
  if (frame.length < 2 || frame.readUInt8(0) !== 0x81) return null;
  const { at, mask } = headOf(frame);
  const payload = Buffer.from(frame.subarray(at));
  if (mask !== null)
    for (let index = 0; index < payload.length; index += 1)
      payload.writeUInt8(payload.readUInt8(index) ^ mask.readUInt8(index % 4), index);
  return JSON.parse(payload.toString('utf8')) as Json;
}

/** A frame that can be attacked, and the name of its call; '' where it belongs to none of the suite's. */
export type CallFrame = { readonly frame: FrameKind; readonly name: string };

/** Recognises frames on one connection: an answer by the number of its request. */
export class CallFrames {
  readonly #asked = new Map<number, CallFrame>();

  /** What a frame is, null where it is of no interest. */
  recognise(frame: Buffer): CallFrame | null {
    const json = jsonOf(frame);
    if (!isJsonObject(json)) return null;
    // By the types of the link: a member that gets another name there is a complaint of the compiler here, and not a frame that nobody attacks.
    const sent = json as unknown as LinkFrame;
    switch (sent.type) {
      case 'register':
      case 'inventory':
      case 'ended':
        return { frame: sent.type, name: '' };
      case 'result':
        return this.#asked.get(sent.id) ?? null;
      case 'request':
        break;
      default:
        return null;
    }
    const { id, request } = sent;
    if (request.kind === 'outcome') {
      this.#asked.set(id, { frame: 'told', name: '' });
      return { frame: 'outcome', name: '' };
    }
    if (request.kind !== 'tools_call') return null;
    const name = String(request.arguments['name']);
    this.#asked.set(id, { frame: 'result', name });
    return { frame: 'request', name };
  }
}

function handshakeLength(bytes: Buffer): number {
  const end = bytes.indexOf('\r\n\r\n');
  return end < 0 ? Number.POSITIVE_INFINITY : end + 4;
}

function frameLength(bytes: Buffer): number {
  if (bytes.length < 2) return Number.POSITIVE_INFINITY;
  const short = bytes.readUInt8(1) & 0x7f;
  if (bytes.length < (short === 127 ? 10 : short === 126 ? 4 : 2)) return Number.POSITIVE_INFINITY;
  const { at, length } = headOf(bytes);
  return at + length;
}

function headOf(bytes: Buffer): {
  readonly at: number;
  readonly length: number;
  readonly mask: Buffer | null;
} {
  const second = bytes.readUInt8(1);
  const short = second & 0x7f;
  const extended = short === 127 ? 8 : short === 126 ? 2 : 0;
  const length =
    extended === 8 ? Number(bytes.readBigUInt64BE(2)) : extended === 2 ? bytes.readUInt16BE(2) : short;
  const at = 2 + extended;
  return (second & 0x80) === 0
    ? { at, length, mask: null }
    : { at: at + 4, length, mask: bytes.subarray(at, at + 4) };
}
