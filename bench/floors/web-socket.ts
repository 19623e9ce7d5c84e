import { once } from 'node:events';
import { WebSocket } from 'ws';
import { childPath } from '../harness/bare-provider.ts';
import type { BenchContext } from '../harness/bench.ts';
import type { Call } from '../harness/call-block.ts';
import { within } from '../harness/deadline.ts';
import { firstLine } from '../harness/first-line.ts';
import { checkSum, pairsOf } from './pairs.ts';

type Result = { readonly response: { readonly payload: { readonly result: unknown } } };

/** A frame of the Runner link's shape and size to a bare WebSocket server and back. */
export async function webSocketFloor(context: BenchContext, stack: AsyncDisposableStack): Promise<Call> {
  const server = context.children.start(process.execPath, [childPath('ws-echo.mjs')]);
  const port = await firstLine(server, 'the WebSocket echo', context.signal);
  const socket = new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false });
  stack.defer(() => socket.terminate());
  await within(once(socket, 'open'), 10_000, 'opening the WebSocket', context.signal);
  let waiting: { resolve(result: unknown): void; reject(error: Error): void } | undefined;
  socket.on('message', (bytes: Buffer) => {
    const frame = JSON.parse(bytes.toString('utf8')) as Result;
    waiting?.resolve(frame.response.payload.result);
  });
  socket.on('close', () => waiting?.reject(new Error('the WebSocket echo closed')));
  const pairAt = pairsOf(context.seed);
  const call = `call_${'A'.repeat(22)}`;
  const target = {
    provider: 'add',
    provider_instance: `pin_${'A'.repeat(22)}`,
    tool: 'add',
    observation: 'A'.repeat(43),
  };
  let id = 0;
  return async (index) => {
    const pair = pairAt(index);
    id += 1;
    const request = { kind: 'tools_call', ...target, arguments: { a: pair.a, b: pair.b } };
    const answer = new Promise<unknown>((resolve, reject) => {
      waiting = { resolve, reject };
    });
    socket.send(JSON.stringify({ type: 'request', id, call, deadline_ms: 35_000, request }));
    checkSum(await answer, pair);
  };
}
