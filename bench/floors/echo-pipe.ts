import { childPath } from '../harness/bare-provider.ts';
import type { BenchContext } from '../harness/bench.ts';
import { firstLine } from '../harness/first-line.ts';

type Echo = (text: string) => Promise<unknown>;

/** `tools/call` over nothing but the pipes of the child, several at once. Gives each answer's result. */
export async function echoPipe(context: BenchContext): Promise<Echo> {
  const child = context.children.start(process.execPath, [childPath('echo-plugin.mjs')]);
  const waiting = new Map<number, (result: unknown) => void>();
  let id = 0;
  const request = (method: string, params: unknown) => {
    id += 1;
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  };
  request('initialize', { protocolVersion: 'webcodex-plugin-v1' });
  await firstLine(child, 'a bare child', context.signal);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
      const answer = JSON.parse(text.slice(0, end)) as { readonly id: number; readonly result: unknown };
      text = text.slice(end + 1);
      waiting.get(answer.id)?.(answer.result);
      waiting.delete(answer.id);
    }
  });
  return (value) =>
    new Promise((resolve) => {
      request('tools/call', { name: 'echo', arguments: { text: value } });
      waiting.set(id, resolve);
    });
}
