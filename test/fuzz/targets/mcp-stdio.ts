import { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type Json } from '@fairlead/base';
import { StdioTransport } from '../../../packages/cli/src/mcp/stdio-transport.ts';
import { hold, type Target } from '../engine/target.ts';
import { readStrictly } from './second-readers/strict-json.ts';

/** The first byte of an input says how the rest is cut into chunks. */
export const target: Target = {
  name: 'mcp-stdio',
  holds:
    'a line that is a message of the protocol arrives as JSON.parse reads it, every other one is refused in the protocol’s words, however the input is cut; one that is too long is refused before it ends',
  covers: ['packages/cli/src/mcp/stdio-transport.ts'],
  form: 'bytes',
  maxBytes: 8_192,
  words: [
    '{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
    '"params":{}',
    '"result":{}',
    '"error":{}',
    '\r\n',
    '"id":1.5',
    '"id":null',
    'x'.repeat(200),
  ],
  seeds: () => [
    '\x01{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
    '\x07{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}\r\n\n[]\n{"jsonrpc":"2.0","id":"a","result":{}}\n',
    '\x20{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}\nno json\n{"jsonrpc":"1.0","id":3}\n',
    `\x07${'x'.repeat(600)}\n{"jsonrpc":"2.0","id":4,"method":"ping","params":{"a":[1,"b"]}}\n${'y'.repeat(513)}`,
  ],
  open: async () => ({
    run: (input) => {
      const [how = 0] = input;
      const stream = Buffer.from(input.subarray(1));
      judge(read(stream, stream.length || 1), stream);
      judge(read(stream, 1 + (how % 61)), stream);
    },
  }),
};

/** Far below what the command allows, so that inputs come beyond it. */
const LINE_BYTES = 512;
const LINE_DEPTH = 64;

const TOO_LONG: Said = { isMessage: false, value: undefined, code: -32600, id: null };

/** A message that was handed on, or the answer to a line that is none. */
type Event = { readonly message: unknown } | { readonly refusal: Refusal };
type Refusal = { readonly code: unknown; readonly id: unknown };

function judge(events: readonly Event[], stream: Buffer): void {
  const lines = stream.toString('latin1').split('\n');
  const said = lines.flatMap((line, index) => {
    const bytes = Buffer.from(line, 'latin1');
    if (bytes.length > LINE_BYTES) return [TOO_LONG];
    const isWhole = index < lines.length - 1;
    const content = line.endsWith('\r') ? bytes.subarray(0, -1) : bytes;
    return isWhole && content.length > 0 ? [whatIsSaidOf(content)] : [];
  });
  hold(events.length === said.length, 'each line is one message or one refusal');
  for (const [index, event] of events.entries()) {
    const { isMessage, value, code, id } = said[index] as Said;
    const detail = () => JSON.stringify([event, said[index]]);
    if ('message' in event) {
      hold(isMessage !== false, 'what is no message is refused', detail);
      hold(isDeepStrictEqual(event.message, value), 'a message arrives as it was sent', detail);
    } else {
      hold(isMessage !== true, 'a message of the protocol is not refused', detail);
      hold(
        isDeepStrictEqual(event.refusal, { code, id }),
        'a refusal says what is wrong, and of which message',
        detail,
      );
    }
  }
}

/** What must become of a line, and the code and id of its refusal where it is refused. */
type Said = {
  /** Undefined for what is a message only to those who pass over members that the protocol does not know. */
  readonly isMessage: boolean | undefined;
  readonly value: unknown;
  readonly code: number;
  readonly id: unknown;
};

function whatIsSaidOf(line: Uint8Array): Said {
  const strict = readStrictly(line);
  if (strict === undefined || strict.faults.size > 0 || strict.depth > LINE_DEPTH)
    return { isMessage: false, value: undefined, code: -32700, id: null };
  const { value } = strict;
  const given = isJsonObject(value) ? value['id'] : null;
  // A number comes back as it is written again: -0 as 0.
  const id = typeof given === 'number' ? given + 0 : typeof given === 'string' ? given : null;
  return { isMessage: isMessage(value), value, code: -32600, id };
}

/** A request, a notification, or an answer, as the schema of the protocol has them. */
function isMessage(value: Json): boolean | undefined {
  if (!isJsonObject(value)) return false;
  const { jsonrpc, id, method, params, result, error } = value;
  const has = (...names: readonly string[]) => names.every((name) => Object.hasOwn(value, name));
  if (jsonrpc !== '2.0') return false;
  if (has('id') && typeof id !== 'string' && !Number.isInteger(id)) return false;
  if (params !== undefined && !isJsonObject(params)) return false;
  if (typeof method === 'string') return has('result') || has('error') ? undefined : true;
  if (has('method') || !has('id') || has('result') === has('error')) return false;
  if (result !== undefined) return isJsonObject(result) ? true : undefined;
  return error !== undefined && isJsonObject(error) && Number.isSafeInteger(error['code']) ? true : undefined;
}

/** Everything that comes of a stream in chunks of one size. */
function read(stream: Buffer, chunkBytes: number): Event[] {
  const seen: Event[] = [];
  const input = Object.assign(new EventEmitter(), { pause: () => undefined });
  const output = Object.assign(new EventEmitter(), {
    write: (text: string) => {
      const { jsonrpc, id, error } = JSON.parse(text) as { jsonrpc?: unknown; id?: unknown; error?: Words };
      hold(text.endsWith('\n') && text.indexOf('\n') === text.length - 1, 'a refusal is one line');
      hold(jsonrpc === '2.0', 'a refusal is a message of the protocol');
      hold(text.length < 400 + JSON.stringify(id ?? null).length, 'a refusal is short');
      return seen.push({ refusal: { code: error?.code, id } }) > 0;
    },
  });
  const transport = new StdioTransport({
    input: input as unknown as Readable,
    output: output as unknown as Writable,
    lineBytes: LINE_BYTES,
  });
  transport.onmessage = (message) => void seen.push({ message });
  void transport.start();
  for (let at = 0; at < stream.length; at += chunkBytes)
    input.emit('data', stream.subarray(at, at + chunkBytes));
  void transport.close();
  return seen;
}

type Words = { readonly code?: unknown };
