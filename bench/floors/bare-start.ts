import { BareProvider } from '../harness/bare-provider.ts';
import type { BenchContext } from '../harness/bench.ts';

/**
 * Starts children together, takes each to the answer of its `tools/list`, and gives how long it took until all had
 * answered, in milliseconds. They are ended outside of that time.
 */
export async function bareStart(
  context: BenchContext,
  childrenArgs: readonly (readonly string[])[],
): Promise<number> {
  const startedMs = performance.now();
  const providers = childrenArgs.map((args) => new BareProvider(context.children, context.signal, args));
  await Promise.all(providers.map((provider) => provider.ready()));
  const tookMs = performance.now() - startedMs;
  await Promise.all(providers.map((provider) => context.children.end(provider.child)));
  return tookMs;
}
