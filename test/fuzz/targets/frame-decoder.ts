import { type LineFault, LineSplitter, readResponse } from '@fairlead/protocol';
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
    'lines and faults do not depend on how a stream was cut; one fault ends it; each line is an answer or has a code',
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
      seen.push(`line ${Buffer.from(line).toString('hex')} ${answer.kind}`);
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
