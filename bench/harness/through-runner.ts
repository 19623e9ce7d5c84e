import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '@fairlead/base';
import type { RunnerPayload, RunnerRequest } from '@fairlead/protocol';
import type { Runner } from '@fairlead/runner';
import type { BenchContext } from './bench.ts';
import { startBenchRunner } from './bench-runner.ts';
import { within } from './deadline.ts';
import { startLinkStub } from './link-stub.ts';
import { type BenchProvider, writeRunnerConfig } from './provider-config.ts';

const DEADLINE_MS = 30_000;

/** A call of the tool that has its plugin’s name, through a real Runner in this process to the real child; gives its result. */
export async function throughRunner(
  context: BenchContext,
  stack: AsyncDisposableStack,
  provider: BenchProvider,
): Promise<(given: JsonObject) => Promise<unknown>> {
  const configPath = join(context.folder, 'alone.toml');
  await writeRunnerConfig(configPath, { runner: 'bench', cwd: context.folder, providers: [provider] });
  const stateDirectory = join(context.folder, 'alone');
  await mkdir(stateDirectory, { mode: 0o700 });
  const gateway = stack.use(await startLinkStub());
  const runner = stack.use(await startBenchRunner({ configPath, stateDirectory, gatewayUrl: gateway.url }));
  await within(runner.settled, DEADLINE_MS, 'starting the Runner', context.signal);
  const catalog = await ask(runner, { kind: 'tools_list', provider: provider.id });
  const tool = catalog.kind === 'tools_list' ? catalog.tools[0] : undefined;
  if (catalog.kind !== 'tools_list' || catalog.provider_instance === null || tool === undefined) {
    throw new Error(`the Runner has no tool: ${JSON.stringify(catalog)}`);
  }
  const { observation } = tool;
  const { provider_instance } = catalog;
  return async (given) => {
    const payload = await ask(runner, {
      kind: 'tools_call',
      provider: provider.id,
      provider_instance,
      tool: provider.id,
      observation,
      arguments: given,
    });
    return payload.kind === 'tools_call' ? payload.result : null;
  };
}

async function ask(runner: Runner, request: RunnerRequest): Promise<RunnerPayload> {
  const response = await runner.handleRequest(request, DEADLINE_MS);
  if (!('payload' in response)) throw new Error(`the Runner refused: ${JSON.stringify(response)}`);
  return response.payload;
}
