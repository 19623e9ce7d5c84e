import { mcpStdioFloor } from '../floors/mcp-stdio.ts';
import { checkSum, pairsOf } from '../floors/pairs.ts';
import { pipeFloor } from '../floors/pipe.ts';
import { childPath } from '../harness/bare-provider.ts';
import type { Bench, BenchContext } from '../harness/bench.ts';
import { type Call, callBlock } from '../harness/call-block.ts';
import { interleave } from '../harness/interleave.ts';
import { ratioRow } from '../harness/row.ts';
import { throughRunner } from '../harness/through-runner.ts';

const CALLS_A_ROUND = 200;

export const runnerCall: Bench = {
  name: 'calls',
  title: 'one tool call of a Runner to a real child',
  async run(context) {
    await using stack = new AsyncDisposableStack();
    const runner = await adding(context, stack);
    const pipe = await pipeFloor(context);
    const mcp = await mcpStdioFloor(context, stack);
    const measured = await interleave(
      [
        { unit: 'µs', round: async () => ({ 'Runner call': await callBlock(CALLS_A_ROUND, runner) }) },
        { unit: 'µs', round: async () => ({ 'bare pipe': await callBlock(CALLS_A_ROUND, pipe) }) },
        { unit: 'µs', round: async () => ({ 'MCP SDK v2 stdio': await callBlock(CALLS_A_ROUND, mcp) }) },
      ],
      context.plan(60, 6, 8),
    );
    const call = measured['Runner call'];
    return {
      measurements: Object.values(measured),
      rows: [
        ratioRow('Runner call against a bare pipe', call, measured['bare pipe'], 1.5),
        ratioRow('Runner call against the MCP SDK', call, measured['MCP SDK v2 stdio'], 0.5),
      ],
    };
  },
};

async function adding(context: BenchContext, stack: AsyncDisposableStack): Promise<Call> {
  const call = await throughRunner(context, stack, { id: 'add', args: [childPath('add-plugin.mjs')] });
  const pairAt = pairsOf(context.seed);
  return async (index) => {
    const pair = pairAt(index);
    checkSum(await call({ a: pair.a, b: pair.b }), pair);
  };
}
