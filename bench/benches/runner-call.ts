import { mcpStdioFloor } from '../floors/mcp-stdio.ts';
import { pipeFloor } from '../floors/pipe.ts';
import type { Bench } from '../harness/bench.ts';
import { interleave } from '../harness/interleave.ts';

const CALLS_A_ROUND = 200;

export const runnerCall: Bench = {
  name: 'calls',
  title: 'one tool call of a Runner to a real child',
  async run(context) {
    await using stack = new AsyncDisposableStack();
    const pipe = await pipeFloor(context, CALLS_A_ROUND);
    const mcp = await mcpStdioFloor(context, CALLS_A_ROUND, stack);
    const measured = await interleave([pipe, mcp], context.plan(60, 5, 5));
    return { measurements: Object.values(measured), rows: [] };
  },
};
