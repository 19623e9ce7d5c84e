import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '@fairlead/base';
import { type LineFault, LineSplitter, type PluginResponse, readResponse } from '@fairlead/protocol';
import { hold, type Target } from '../engine/target.ts';
import { readStrictly } from './second-readers/strict-json.ts';

const MAX_LINE = 256;

/** The first byte says how the rest is cut into chunks. */
export const target: Target = {
  name: 'frame-decoder',
  holds:
    'lines and faults are those of the whole stream split at its line feeds, however it was cut; one fault ends it; each line is the answer, or the fault, that the page of the protocol says it is',
  covers: ['packages/protocol/src/framing.ts', 'packages/protocol/src/response.ts'],
  form: 'bytes',
  maxBytes: 4_096,
  words: [
    '{"jsonrpc":"2.0","id":3,"result":',
    '{"jsonrpc":"2.0","id":3,"error":{"code":-1,"message":"m"}}',
    '\r\n',
    '"method":1',
  ],
  seeds: () => [
    '\x01{"jsonrpc":"2.0","id":3,"result":{}}\n',
    '\x03{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"7"}]}}\n',
    '\x05{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"no"}}\r\n{"jsonrpc":"2.0","id":2,"result":1}\n',
    '\x02{"jsonrpc":"2.0","id":4,"result":{}}\n\n',
    `\x07${'x'.repeat(255)}\r\n${'y'.repeat(257)}\n`,
  ],
  open: async () => ({ run }),
};

type Event = string;

function run(input: Uint8Array): void {
  const [how = 0] = input;
  const stream = input.subarray(1);
  const whole = events(stream, stream.length || 1);
  const cut = events(stream, 1 + (how % 61));
  hold(whole.join('\n') === cut.join('\n'), 'the events do not depend on the chunks');
  hold(whole.filter((event) => event.startsWith('fault')).length === 1, 'a stream ends once');
  hold(whole.at(-1)?.startsWith('fault') === true, 'nothing comes after the end');
  hold(
    whole.join('\n') === split(stream).join('\n'),
    'the events are those of the whole stream, split',
    () => `${whole.join(' ')} beside ${split(stream).join(' ')}`,
  );
}

/** The same events with nothing but a text that is split: no chunk, no state. */
function split(stream: Uint8Array): Event[] {
  const lines = Buffer.from(stream).toString('latin1').split('\n');
  const seen: Event[] = [];
  for (const [index, line] of lines.entries()) {
    const isWhole = index < lines.length - 1;
    if (line.length > MAX_LINE) return [...seen, 'fault plugin_message_too_large'];
    if (!isWhole) return [...seen, line === '' ? 'fault plugin_eof' : 'fault plugin_malformed_json'];
    const content = line.replace(/\r$/, '');
    if (content === '') return [...seen, 'fault plugin_malformed_json'];
    seen.push(`line ${Buffer.from(content, 'latin1').toString('hex')}`);
  }
  return seen;
}

/** What the page of the protocol says of a line (§1, and the table of §2 in its order) as the answer to a request with id 3. */
function answerOnPage(line: Uint8Array): PluginResponse {
  const strict = readStrictly(line);
  if (strict === undefined || strict.faults.size > 0) return { kind: 'fault', code: 'plugin_malformed_json' };
  const wrong = { kind: 'fault', code: 'plugin_protocol_error' } as const;
  const message = strict.value;
  if (!isJsonObject(message) || message['jsonrpc'] !== '2.0' || 'method' in message) return wrong;
  const { id, result, error } = message;
  if (!Number.isSafeInteger(id) || Number(id) < 0)
    return { kind: 'fault', code: 'plugin_response_id_invalid' };
  if (Number(id) < 3) return { kind: 'fault', code: 'plugin_duplicate_response_id' };
  if (Number(id) > 3) return { kind: 'fault', code: 'plugin_unknown_response_id' };
  if ((result === undefined) === (error === undefined)) return wrong;
  if (result !== undefined) return { kind: 'result', result, bytes: line.length };
  if (error === undefined || !isJsonObject(error) || !Number.isSafeInteger(error['code'])) return wrong;
  const words = error['message'];
  const bytes = typeof words === 'string' ? Buffer.byteLength(words) : 0;
  return bytes >= 1 && bytes <= 512 ? { kind: 'rpc_error' } : wrong;
}

function events(stream: Uint8Array, chunkBytes: number): Event[] {
  const seen: Event[] = [];
  const splitter = new LineSplitter({
    maxBytes: MAX_LINE,
    onLine: (line) => {
      hold(line.length > 0 && line.length <= MAX_LINE, 'a line is neither empty nor too long');
      hold(!line.includes(0x0a), 'a line holds no line feed');
      const answer = readResponse(line, 3);
      hold(
        isDeepStrictEqual(answer, answerOnPage(line)),
        'a line is what the page of the protocol says it is',
        () => JSON.stringify([answer, answerOnPage(line)]),
      );
      seen.push(`line ${Buffer.from(line).toString('hex')}`);
    },
    onFault: (code: LineFault) => seen.push(`fault ${code}`),
  });
  for (let at = 0; at < stream.length; at += chunkBytes) splitter.push(stream.subarray(at, at + chunkBytes));
  splitter.end();
  splitter.push(stream);
  splitter.end();
  hold(splitter.ended, 'a stream that has ended stays ended');
  return seen;
}
