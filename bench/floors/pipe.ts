import { BareProvider, childPath } from '../harness/bare-provider.ts';
import type { BenchContext } from '../harness/bench.ts';
import type { Call } from '../harness/call-block.ts';
import { checkSum, pairsOf } from './pairs.ts';

/** `tools/call` over nothing but the pipes of the same child that the product calls. */
export async function pipeFloor(context: BenchContext): Promise<Call> {
  const provider = new BareProvider(context.children, context.signal, [childPath('add-plugin.mjs')]);
  await provider.ready();
  const pairAt = pairsOf(context.seed);
  return async (index) => {
    const pair = pairAt(index);
    checkSum(
      await provider.request('tools/call', { name: 'add', arguments: { a: pair.a, b: pair.b } }),
      pair,
    );
  };
}
