import { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { StdioTransport } from '../../../packages/cli/src/mcp/stdio-transport.ts';
import { hold, type Target } from '../engine/target.ts';

/** The first byte of an input says how the rest is cut into chunks. */
export const target: Target = {
  name: 'mcp-stdio',
  holds:
    'each line is one message or one refusal in the protocol’s words, however the input is cut; a long line costs no memory',
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
  ],
  seeds: () => [
    '\x01{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
    '\x07{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}\r\n\n[]\n{"jsonrpc":"2.0","id":"a","result":{}}\n',
    '\x20{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}\nno json\n{"jsonrpc":"1.0","id":3}\n',
  ],
  open: async () => ({
    run: (input) => {
      const [how = 0] = input;
      const stream = Buffer.from(input.subarray(1));
      const whole = read(stream, stream.length || 1);
      hold(
        whole.join('\n') === read(stream, 1 + (how % 61)).join('\n'),
        'what is read does not depend on the chunks',
      );
      const lines = stream
        .toString('latin1')
        .split('\n')
        .slice(0, -1)
        .map((line) => line.replace(/\r$/, ''));
      hold(
        whole.length === lines.filter((line) => line !== '').length,
        'each line is one message or one refusal',
      );
    },
  }),
};

function read(stream: Buffer, chunkBytes: number): string[] {
  const seen: string[] = [];
  const input = Object.assign(new EventEmitter(), { pause: () => undefined });
  const output = Object.assign(new EventEmitter(), {
    write: (text: string) => {
      const refusal = JSON.parse(text) as {
        jsonrpc?: unknown;
        id?: unknown;
        error?: { code?: unknown; message?: unknown };
      };
      hold(text.endsWith('\n') && text.indexOf('\n') === text.length - 1, 'a refusal is one line');
      hold(refusal.jsonrpc === '2.0' && 'id' in refusal, 'a refusal is a message of the protocol');
      hold(
        refusal.error?.code === -32700 || refusal.error?.code === -32600,
        'a refusal has a code of the protocol',
      );
      hold(text.length < 400 + chunkOf(refusal.id), 'a refusal is short');
      return seen.push(`refused ${text}`) > 0;
    },
  });
  const transport = new StdioTransport({
    input: input as unknown as Readable,
    output: output as unknown as Writable,
  });
  transport.onmessage = (message) => {
    const { jsonrpc, id } = message as { jsonrpc?: unknown; id?: unknown };
    hold(jsonrpc === '2.0', 'a message is one of the protocol');
    hold(id === undefined || typeof id === 'string' || Number.isInteger(id), 'an id is a text or an integer');
    seen.push(`message ${JSON.stringify(message)}`);
  };
  void transport.start();
  for (let at = 0; at < stream.length; at += chunkBytes)
    input.emit('data', stream.subarray(at, at + chunkBytes));
  void transport.close();
  return seen;
}

/** An id comes back as it was sent. */
function chunkOf(id: unknown): number {
  return JSON.stringify(id ?? null).length;
}
