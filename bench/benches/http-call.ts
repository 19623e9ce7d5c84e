import { floorsInLoops, floorsInTurn, openCallFloors } from '../floors/call-floors.ts';
import type { Bench } from '../harness/bench.ts';
import { callBlock } from '../harness/call-block.ts';
import { callOverRoute, startFairleadAdd } from '../harness/fairlead-plugin.ts';
import { interleave } from '../harness/interleave.ts';
import { ratioRow, reportRow } from '../harness/row.ts';

const CALLS_A_ROUND = 100;

export const httpCall: Bench = {
  name: 'http',
  title: 'one tool call through /api/tools/call, gateway and Runner to the plugin',
  async run(context) {
    await using stack = new AsyncDisposableStack();
    const call = callOverRoute(context, await startFairleadAdd(context, stack));
    const floors = await openCallFloors(context, stack);
    const measured = await interleave(
      [
        { unit: 'µs', round: async () => ({ '/api/tools/call': await callBlock(CALLS_A_ROUND, call) }) },
        floorsInTurn(floors, CALLS_A_ROUND),
        floorsInLoops(floors, CALLS_A_ROUND),
      ],
      context.plan(40, 4, 8),
    );
    const through = measured['/api/tools/call'];
    return {
      measurements: Object.values(measured),
      rows: [
        ratioRow('/api/tools/call against the sum of its floors', through, measured['floors in turn'], 1.6),
        reportRow(
          '… against the same floors, each in a loop of its own',
          through,
          measured['floors in loops'],
        ),
      ],
    };
  },
};
