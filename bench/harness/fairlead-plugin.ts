import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkSum, pairsOf } from '../floors/pairs.ts';
import { childPath } from './bare-provider.ts';
import type { BenchContext } from './bench.ts';
import type { Call } from './call-block.ts';
import { type RunningHost, startHost } from './fairlead-host.ts';
import { HostClient } from './host-client.ts';
import { type BenchProvider, writeRunnerConfig } from './provider-config.ts';

/** A host with one plugin, and a binding to its one tool. */
export type FairleadPlugin = {
  readonly host: RunningHost;
  readonly stateDirectory: string;
  readonly token: string;
  readonly client: HostClient;
  readonly binding: string;
};

/** Starts a real `fairlead up` whose Runner has the plugin `add`; `stack` ends it. */
export function startFairleadAdd(
  context: BenchContext,
  stack: AsyncDisposableStack,
): Promise<FairleadPlugin> {
  return startFairleadPlugin(context, stack, { id: 'add', args: [childPath('add-plugin.mjs')] });
}

/** The same with another plugin, whose tool has its name. */
export async function startFairleadPlugin(
  context: BenchContext,
  stack: AsyncDisposableStack,
  provider: BenchProvider,
): Promise<FairleadPlugin> {
  const runnerConfig = join(context.folder, 'runner.toml');
  await writeRunnerConfig(runnerConfig, { runner: 'bench', cwd: context.folder, providers: [provider] });
  const stateDirectory = join(context.folder, 'state');
  const host = await startHost(context, { stateDirectory, runnerConfig });
  stack.defer(() => host.stop());
  const client = stack.use(await HostClient.of(host));
  const { id } = provider;
  const described = await client.plugin({ action: 'describe', runner: 'bench', plugin: id, tool: id });
  const { binding } = described as { readonly binding: string };
  const token = (await readFile(host.tokenFile, 'utf8')).trim();
  return { host, stateDirectory, token, client, binding };
}

/** Its tool through `/api/tools/call`. */
export function callOverRoute(context: BenchContext, { client, binding }: FairleadPlugin): Call {
  const pairAt = pairsOf(context.seed);
  return async (index) => {
    const pair = pairAt(index);
    checkSum(await client.plugin({ action: 'call', binding, arguments: { a: pair.a, b: pair.b } }), pair);
  };
}
