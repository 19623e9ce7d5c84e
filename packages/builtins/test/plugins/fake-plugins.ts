import type { PeerPinnedTool, PluginEnd, PluginsPeer } from '../../src/peer/plugins-peer.ts';

/** Plugins that answer as a test says; without a word, that no Runner is there. */
export function fakePlugins(
  options: {
    readonly end?: PluginEnd;
    readonly pins?: Readonly<Record<string, readonly PeerPinnedTool[]>>;
    readonly notices?: ReturnType<PluginsPeer['notices']>;
  } = {},
): PluginsPeer & {
  readonly asked: unknown[][];
  change(pins: typeof options.pins): void;
  listeners(): number;
} {
  const asked: unknown[][] = [];
  const listeners = new Set<() => void>();
  let { pins } = options;
  const end: PluginEnd = options.end ?? {
    certainty: 'not_started',
    error: { code: 'runner_unavailable', message: 'No Runner.', recovery: 'Start one.' },
  };
  return {
    asked,
    listeners: () => listeners.size,
    change(now) {
      pins = now;
      for (const listener of listeners) listener();
    },
    async invoke(caller, args) {
      asked.push(['invoke', caller, args]);
      return end;
    },
    async callPinned(caller, pin, args) {
      asked.push(['callPinned', caller, pin, args]);
      return end;
    },
    pinned: async (agent) => pins?.[agent] ?? pins?.['*'] ?? [],
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    notices: () => options.notices ?? [],
  };
}
