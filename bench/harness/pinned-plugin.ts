import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, type JsonObject, type Random, systemClock, systemRandom } from '@fairlead/base';
import { allBuiltins } from '@fairlead/builtins';
import {
  Bindings,
  createExecutor,
  digestKey,
  type Journal,
  observeTool,
  PLUGIN_CAPABILITY,
  type RunnerPort,
} from '@fairlead/dispatch';
import type { Extension } from '@fairlead/extension';
import { HostPlugins } from '@fairlead/host';
import { outcomeOf } from '@fairlead/protocol';
import type { Runner } from '@fairlead/runner';
import type { Store } from '@fairlead/store';
import { childPath } from './bare-provider.ts';
import type { BenchContext } from './bench.ts';
import { startBenchRunner } from './bench-runner.ts';
import { within } from './deadline.ts';
import { startLinkStub } from './link-stub.ts';
import { writeRunnerConfig } from './provider-config.ts';

const DEADLINE_MS = 30_000;
const PLUGIN = 'add';

/** A Runner in this process with the adding plugin, and the way to it without a link. */
export async function addingRunner(context: BenchContext, stack: AsyncDisposableStack): Promise<RunnerPort> {
  const configPath = join(context.folder, 'pinned.toml');
  const provider = { id: PLUGIN, args: [childPath('add-plugin.mjs')] };
  await writeRunnerConfig(configPath, { runner: 'bench', cwd: context.folder, providers: [provider] });
  const stateDirectory = join(context.folder, 'pinned-runner');
  await mkdir(stateDirectory, { mode: 0o700 });
  const gateway = stack.use(await startLinkStub());
  const runner = stack.use(await startBenchRunner({ configPath, stateDirectory, gatewayUrl: gateway.url }));
  await within(runner.settled, DEADLINE_MS, 'starting the Runner', context.signal);
  return portTo(runner);
}

/** One call of its tool, and nothing around it. */
export async function bareCall(port: RunnerPort, given: JsonObject): Promise<() => Promise<void>> {
  const [found] = port.runners();
  const seen =
    found === undefined ? undefined : await observeTool(port, found, { plugin: PLUGIN, tool: PLUGIN });
  if (found === undefined || seen === undefined || 'code' in seen) throw new Error('the Runner has no tool');
  const { observation, providerInstance } = seen.observed;
  const request = {
    ...({ kind: 'tools_call', provider: PLUGIN, provider_instance: providerInstance } as const),
    ...{ tool: PLUGIN, observation, arguments: given },
  };
  return async () => {
    const { certainty } = await port.request('bench', found.instanceId, request, { budgetMs: DEADLINE_MS });
    if (certainty !== 'completed') throw new Error(`the call ended ${certainty}`);
  };
}

/** What a host needs to have that tool pinned. */
export async function pinnedAdd(
  port: RunnerPort,
  parts: { readonly store: Store; readonly journal: Journal },
  stack: AsyncDisposableStack,
): Promise<{ readonly plugins: HostPlugins; readonly extension: Extension }> {
  const { store, journal } = parts;
  const [clock, random]: [Clock, Random] = [systemClock(), systemRandom()];
  const plugins = await HostPlugins.open({
    ...{ store, clock, random, report: () => {} },
    pins: [{ runner: 'bench', plugin: PLUGIN, tool: PLUGIN, name: 'e0_look' }],
  });
  const bindings = stack.use(await Bindings.open({ store, clock, random }));
  const ports = { runners: port, journal, settler: { report: async () => null }, clock, random };
  const executor = { ...ports, authority: 'trusted_agent', digestKey: digestKey(random(32)) };
  const disconnect = plugins.connect({
    runners: { listen: () => () => {} },
    onReload: () => () => {},
    async see(pin) {
      const [found] = port.runners();
      const seen = found === undefined ? undefined : await observeTool(port, found, pin);
      return seen === undefined || 'code' in seen
        ? { ok: false, code: 'runner_unavailable' }
        : { ok: true, definition: seen.definition, observed: seen.observed };
    },
    executor: (own) => createExecutor({ ...executor, bindings: own ?? bindings }),
  });
  stack.defer(disconnect);
  await plugins.settled();
  const extension = allBuiltins.find(({ manifest }) => manifest.name === 'plugins');
  if (extension === undefined) throw new Error('there is no extension of plugins');
  return { plugins, extension };
}

function portTo(runner: Runner): RunnerPort {
  const here = {
    runner: 'bench',
    instanceId: runner.instanceId,
    capabilities: [PLUGIN_CAPABILITY],
    projects: [],
  };
  return {
    runners: () => [here],
    request: async (_runner, _instance, request, { budgetMs }) =>
      outcomeOf(await runner.handleRequest(request, budgetMs)),
  };
}
