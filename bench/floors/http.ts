import { childPath } from '../harness/bare-provider.ts';
import type { BenchContext } from '../harness/bench.ts';
import type { Call } from '../harness/call-block.ts';
import { firstLine } from '../harness/first-line.ts';
import { JsonPoster } from '../harness/json-poster.ts';
import { pairsOf } from './pairs.ts';

/** A POST of the call's own body to a bare node:http server, over one kept connection. */
export async function httpFloor(context: BenchContext, stack: AsyncDisposableStack): Promise<Call> {
  const server = context.children.start(process.execPath, [childPath('http-echo.mjs')]);
  const port = await firstLine(server, 'the HTTP echo', context.signal);
  const poster = stack.use(new JsonPoster(`http://127.0.0.1:${port}`, { authorization: 'Bearer none' }));
  const pairAt = pairsOf(context.seed);
  const binding = `wc_pbind_${'A'.repeat(22)}`;
  return async (index) => {
    const { a, b } = pairAt(index);
    const params = { action: 'call', binding, arguments: { a, b } };
    const answer = (await poster.post('/echo', { tool: 'plugin_tool', params })) as { success?: unknown };
    if (answer.success !== true) throw new Error('the HTTP echo answered something else');
  };
}
