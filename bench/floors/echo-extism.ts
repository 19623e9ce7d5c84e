import { importPeer } from '../harness/peer-packages.ts';
import { echoModule } from './echo-wasm.ts';

type Plugin = {
  call(name: string, input: string): Promise<{ text(): string } | null>;
  reset(): Promise<boolean>;
  close(): Promise<void>;
};
type CreatePlugin = (
  manifest: { readonly wasm: readonly { readonly data: Uint8Array }[] },
  options: { readonly useWasi: boolean },
) => Promise<Plugin>;

/** A plugin object of Extism 1.0.3 takes 16,383 calls and then no more, unless it is reset. */
const CALLS_BETWEEN_RESETS = 4_096;

/** The text as JSON into a sandboxed plugin in this process and back; `stack` closes it. */
export async function echoExtism(
  folder: string,
  stack: AsyncDisposableStack,
): Promise<(text: string) => Promise<unknown>> {
  const { default: createPlugin } = (await importPeer(folder, '@extism/extism')) as { default: CreatePlugin };
  const plugin = await createPlugin({ wasm: [{ data: echoModule() }] }, { useWasi: false });
  stack.defer(() => plugin.close());
  let calls = 0;
  // A plugin object has one memory: it takes one call at a time.
  let last: Promise<unknown> = Promise.resolve();
  const one = async (text: string) => {
    calls += 1;
    if (calls % CALLS_BETWEEN_RESETS === 0) await plugin.reset();
    const output = await plugin.call('echo', JSON.stringify({ text }));
    return { structuredContent: JSON.parse(output?.text() ?? 'null') as unknown };
  };
  return (text) => {
    const answer = last.then(() => one(text));
    last = answer.catch(() => {});
    return answer;
  };
}
