import { createExecutor, type ExecutorOptions, observeTool, type RunnerPort } from '@fairlead/dispatch';
import type { RunnerHub } from '@fairlead/gateway';
import type { PluginPorts } from '@fairlead/host';

/** The way to the Runners, and who hears that one was told to start its plugins anew. */
export type WatchedRunners = RunnerPort & Pick<PluginPorts, 'onReload'>;

/** Every reload goes through this: a plugin is another process after it, also where it failed in the middle. */
export function watchReloads(runners: RunnerPort): WatchedRunners {
  const listeners = new Set<(runner: string) => void>();
  return {
    runners: () => runners.runners(),
    async request(runner, instanceId, request, options) {
      const answer = await runners.request(runner, instanceId, request, options);
      if (request.kind === 'reload' || request.kind === 'config_reload')
        for (const listener of listeners) listener(runner);
      return answer;
    },
    onReload(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Plugins as the agents of a host reach them. */
export function pluginPortsOf(
  hub: Pick<RunnerHub, 'listen'>,
  executor: ExecutorOptions & { readonly runners: WatchedRunners },
): PluginPorts {
  const { runners } = executor;
  return {
    runners: hub,
    onReload: (listener) => runners.onReload(listener),
    async see({ runner, plugin, tool }) {
      const found = runners.runners().find((connected) => connected.runner === runner);
      if (found === undefined) return { ok: false, code: 'runner_unavailable' };
      const seen = await observeTool(runners, found, { plugin, tool });
      if ('code' in seen) return { ok: false, code: seen.code };
      const { definition, observed } = seen;
      return { ok: true, definition, observed };
    },
    executor: (bindings) => createExecutor(bindings === undefined ? executor : { ...executor, bindings }),
  };
}
