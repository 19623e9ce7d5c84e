import type { BenchContext } from '../harness/bench.ts';
import type { Variant } from '../harness/interleave.ts';
import { httpFloor } from './http.ts';
import { journalFloor } from './journal-commits.ts';
import { pipeFloor } from './pipe.ts';
import { webSocketFloor } from './web-socket.ts';

export type CallFloorName =
  | 'HTTP echo'
  | 'WebSocket echo'
  | 'bare pipe'
  | 'two journal commits'
  | 'sum of its floors';

/**
 * What a call through gateway and Runner is made of, each part alone, in the order in which the call meets them, over and over:
 * each part is met as the call meets it, after the others, and not in a loop of its own where processor, sockets and disk
 * are still warm from the time before. The sum is of one pass.
 */
export async function callFloors(
  context: BenchContext,
  stack: AsyncDisposableStack,
  calls: number,
): Promise<Variant<CallFloorName>> {
  const http = await httpFloor(context, stack);
  const webSocket = await webSocketFloor(context, stack);
  const pipe = await pipeFloor(context);
  const journal = await journalFloor(context, stack);
  return {
    unit: 'µs',
    async round() {
      const parts: Record<CallFloorName, number[]> = {
        'HTTP echo': [],
        'WebSocket echo': [],
        'bare pipe': [],
        'two journal commits': [],
        'sum of its floors': [],
      };
      for (let index = 0; index < calls; index += 1) {
        const id = journal.newId();
        const startedMs = performance.now();
        await http(index);
        const httpMs = performance.now();
        journal.start(id);
        const startMs = performance.now();
        await webSocket(index);
        const webSocketMs = performance.now();
        await pipe(index);
        const pipeMs = performance.now();
        journal.settle(id);
        const endedMs = performance.now();
        parts['HTTP echo'].push((httpMs - startedMs) * 1000);
        parts['WebSocket echo'].push((webSocketMs - startMs) * 1000);
        parts['bare pipe'].push((pipeMs - webSocketMs) * 1000);
        parts['two journal commits'].push((startMs - httpMs + endedMs - pipeMs) * 1000);
        parts['sum of its floors'].push((endedMs - startedMs) * 1000);
      }
      return parts;
    },
  };
}
