import { PassThrough, Readable } from 'node:stream';
import { type Plugin, servePlugin } from '../src/index.ts';

/** A stream, and what was written to it so far. */
export function captured(): { readonly stream: PassThrough; text(): string } {
  const stream = new PassThrough();
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    text += chunk;
  });
  return { stream, text: () => text };
}

export interface Served {
  readonly stdout: string;
  readonly stderr: string;
  /** What `servePlugin` rejected with, if it did. */
  readonly failure: unknown;
}

/** Serves `plugin` over the whole of `chunks` and tells what came out. */
export async function served(plugin: Plugin, chunks: Iterable<string | Uint8Array>): Promise<Served> {
  const output = captured();
  const error = captured();
  let failure: unknown;
  await servePlugin(plugin, {
    input: Readable.from(chunks),
    output: output.stream,
    error: error.stream,
  }).catch((cause: unknown) => {
    failure = cause;
  });
  return { stdout: output.text(), stderr: error.text(), failure };
}

/** The line of a `tools/call` request. */
export function callLine(id: number | string, name: string, args: object): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } })}\n`;
}
