import type { BenchContext } from '../harness/bench.ts';
import { type Call, callBlock } from '../harness/call-block.ts';
import type { Variant } from '../harness/interleave.ts';
import { median } from '../harness/statistics.ts';
import { httpFloor } from './http.ts';
import { type JournalFloor, journalFloor } from './journal-commits.ts';
import { pipeFloor } from './pipe.ts';
import { webSocketFloor } from './web-socket.ts';

/** What a call through gateway and Runner is made of. */
export type CallFloors = {
  readonly http: Call;
  readonly webSocket: Call;
  readonly pipe: Call;
  readonly journal: JournalFloor;
};

export async function openCallFloors(
  context: BenchContext,
  stack: AsyncDisposableStack,
): Promise<CallFloors> {
  return {
    http: await httpFloor(context, stack),
    webSocket: await webSocketFloor(context, stack),
    pipe: await pipeFloor(context),
    journal: await journalFloor(context, stack),
  };
}

/**
 * The parts one after another, over and over, in the order in which a call meets them: each after the others, as in a call,
 * and not while processor, sockets and disk are still warm from its own last time. The sum is of one pass.
 */
export function floorsInTurn(floors: CallFloors, calls: number) {
  const { http, webSocket, pipe, journal } = floors;
  return {
    unit: 'µs',
    async round() {
      const httpUs: number[] = [];
      const webSocketUs: number[] = [];
      const pipeUs: number[] = [];
      const commitsUs: number[] = [];
      const sumUs: number[] = [];
      for (let index = 0; index < calls; index += 1) {
        const id = journal.newId();
        const t0 = performance.now();
        await http(index);
        const t1 = performance.now();
        journal.start(id);
        const t2 = performance.now();
        await webSocket(index);
        const t3 = performance.now();
        await pipe(index);
        const t4 = performance.now();
        journal.settle(id);
        const t5 = performance.now();
        httpUs.push((t1 - t0) * 1000);
        webSocketUs.push((t3 - t2) * 1000);
        pipeUs.push((t4 - t3) * 1000);
        commitsUs.push((t2 - t1 + t5 - t4) * 1000);
        sumUs.push((t5 - t0) * 1000);
      }
      return {
        'HTTP echo': httpUs,
        'WebSocket echo': webSocketUs,
        'bare pipe': pipeUs,
        'two journal commits': commitsUs,
        'floors in turn': sumUs,
      };
    },
  } as const satisfies Variant<string>;
}

/** Each part in a loop of its own; the sum is of the medians of one round. */
export function floorsInLoops(floors: CallFloors, calls: number) {
  const { http, webSocket, pipe, journal } = floors;
  return {
    unit: 'µs',
    async round() {
      const httpUs = await callBlock(calls, http);
      const webSocketUs = await callBlock(calls, webSocket);
      const pipeUs = await callBlock(calls, pipe);
      const commitsUs: number[] = [];
      for (let index = 0; index < calls; index += 1) {
        const id = journal.newId();
        const t0 = performance.now();
        journal.start(id);
        journal.settle(id);
        commitsUs.push((performance.now() - t0) * 1000);
      }
      return {
        'HTTP echo, in a loop': httpUs,
        'WebSocket echo, in a loop': webSocketUs,
        'bare pipe, in a loop': pipeUs,
        'two journal commits, in a loop': commitsUs,
        'floors in loops': [median(httpUs) + median(webSocketUs) + median(pipeUs) + median(commitsUs)],
      };
    },
  } as const satisfies Variant<string>;
}
