import { isJsonObject, type Json } from '@fairlead/base';
import { type LineFault, LineSplitter, type PluginResponse, readResponse } from '@fairlead/protocol';
import { hold, type Target } from '../engine/target.ts';

const MAX_LINE = 256;

const RESPONSE_FAULTS: ReadonlySet<string> = new Set([
  'plugin_malformed_json',
  'plugin_protocol_error',
  'plugin_response_id_invalid',
  'plugin_duplicate_response_id',
  'plugin_unknown_response_id',
]);

/** The first byte says how the rest is cut into chunks. */
export const target: Target = {
  name: 'frame-decoder',
  holds:
    'lines and faults are those of the whole stream split at its line feeds, however it was cut; one fault ends it; an answer is what JSON.parse says it is',
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

/** Holds what a line was read as against Node's own parser, which takes more than the wire does and nothing else. */
function heldAgainstNode(line: Uint8Array, answer: PluginResponse): void {
  let message: Json | undefined;
  try {
    message = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line)) as Json;
  } catch {
    hold(
      answer.kind === 'fault' && answer.code === 'plugin_malformed_json',
      'what Node cannot read is malformed',
    );
    return;
  }
  if (answer.kind === 'fault') return;
  hold(message !== undefined && isJsonObject(message), 'an answer is an object');
  const { jsonrpc, id, result, error, method } = message;
  hold(jsonrpc === '2.0' && id === 3 && method === undefined, 'an answer is one to this request');
  if (answer.kind === 'result')
    hold(result !== undefined && error === undefined, 'a result is the result alone');
  else {
    hold(result === undefined && error !== undefined && isJsonObject(error), 'an error is the error alone');
    hold(
      Number.isSafeInteger(error['code']) && typeof error['message'] === 'string' && error['message'] !== '',
      'an error has its code and its words',
    );
  }
}

function events(stream: Uint8Array, chunkBytes: number): Event[] {
  const seen: Event[] = [];
  const splitter = new LineSplitter({
    maxBytes: MAX_LINE,
    onLine: (line) => {
      hold(line.length > 0 && line.length <= MAX_LINE, 'a line is neither empty nor too long');
      hold(!line.includes(0x0a), 'a line holds no line feed');
      const answer = readResponse(line, 3);
      if (answer.kind === 'fault')
        hold(RESPONSE_FAULTS.has(answer.code), 'a line that is no answer has a code');
      if (answer.kind === 'result')
        hold(answer.bytes === line.length, 'a result knows the bytes of its line');
      heldAgainstNode(line, answer);
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
