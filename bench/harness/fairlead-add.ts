import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkSum, pairsOf } from '../floors/pairs.ts';
import { childPath } from './bare-provider.ts';
import type { BenchContext } from './bench.ts';
import type { Call } from './call-block.ts';
import { type RunningHost, startHost } from './fairlead-host.ts';
import { HostClient } from './host-client.ts';
import { writeRunnerConfig } from './provider-config.ts';

/** A host with the plugin `add`, and a binding to its tool. */
export type FairleadAdd = {
  readonly host: RunningHost;
  readonly stateDirectory: string;
  readonly token: string;
  readonly client: HostClient;
  readonly binding: string;
};

/** Starts a real `fairlead up` whose Runner has the plugin `add`; `stack` ends it. */
export async function startFairleadAdd(
  context: BenchContext,
  stack: AsyncDisposableStack,
): Promise<FairleadAdd> {
  const runnerConfig = join(context.folder, 'runner.toml');
  const providers = [{ id: 'add', args: [childPath('add-plugin.mjs')] }];
  await writeRunnerConfig(runnerConfig, { runner: 'bench', cwd: context.folder, providers });
  const stateDirectory = join(context.folder, 'state');
  const host = await startHost(context, { stateDirectory, runnerConfig });
  stack.defer(() => host.stop());
  const client = stack.use(await HostClient.of(host));
  const described = await client.plugin({ action: 'describe', runner: 'bench', plugin: 'add', tool: 'add' });
  const { binding } = described as { readonly binding: string };
  const token = (await readFile(host.tokenFile, 'utf8')).trim();
  return { host, stateDirectory, token, client, binding };
}

/** Its tool through `/api/tools/call`. */
export function callOverRoute(context: BenchContext, { client, binding }: FairleadAdd): Call {
  const pairAt = pairsOf(context.seed);
  return async (index) => {
    const pair = pairAt(index);
    checkSum(await client.plugin({ action: 'call', binding, arguments: { a: pair.a, b: pair.b } }), pair);
  };
}
