import { httpFloor } from '../floors/http.ts';
import { journalCommitsFloor } from '../floors/journal-commits.ts';
import { pipeFloor } from '../floors/pipe.ts';
import { webSocketFloor } from '../floors/web-socket.ts';
import type { Bench } from '../harness/bench.ts';
import { interleave } from '../harness/interleave.ts';
import { sumOf } from '../harness/measurement.ts';

const CALLS_A_ROUND = 100;

export const httpCall: Bench = {
  name: 'http',
  title: 'one tool call through /api/tools/call, gateway, Runner and plugin',
  async run(context) {
    await using stack = new AsyncDisposableStack();
    const http = await httpFloor(context, CALLS_A_ROUND, stack);
    const webSocket = await webSocketFloor(context, CALLS_A_ROUND, stack);
    const pipe = await pipeFloor(context, CALLS_A_ROUND);
    const commits = await journalCommitsFloor(context, CALLS_A_ROUND, stack);
    const measured = await interleave([http, webSocket, pipe, commits], context.plan(40, 4, 4));
    const floors = sumOf('sum of the floors', Object.values(measured));
    return { measurements: [...Object.values(measured), floors], rows: [] };
  },
};
