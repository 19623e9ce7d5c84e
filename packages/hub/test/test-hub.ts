import type { TestContext } from 'node:test';
import type { Extension } from '@fairlead/extension';
import { jsonCarrier, WorkerCarrier } from '@fairlead/extension/runtime';
import type { AgentDirectory, HostedAgent } from '../src/agent-state/agent-directory.ts';
import type { ExtensionLine, Hub, HubOptions } from '../src/hub/hub.ts';
import { openHub } from '../src/hub/open-hub.ts';
import { builtinSource } from '../src/install/builtin-source.ts';
import type { ExtensionSource } from '../src/install/extension-source.ts';
import { type TestPeer, testPeer } from './test-peer.ts';

/** A hub over a peer of its own, on a clock that stands still. */
export interface TestHub extends TestPeer {
  readonly hub: Hub;
  readonly lines: ExtensionLine[];
  /** What extensions logged, as `name: message`. */
  readonly said: () => readonly string[];
  newSession(): Promise<string>;
  newAgent(name: string): Promise<HostedAgent>;
  source(extension: Extension): ExtensionSource;
}

export interface TestHubOptions extends Partial<Omit<HubOptions, 'peer' | 'store' | 'clock' | 'agents'>> {
  readonly seed?: number;
  readonly extensions?: readonly Extension[];
  readonly on?: TestPeer;
}

/** Closed by itself at the end of the test. */
export async function testHub(t: TestContext, options: TestHubOptions = {}): Promise<TestHub> {
  const { seed = 1, extensions = [], on, ...rest } = options;
  const floor = on ?? (await testPeer(t, { seed }));
  const { peer, store, clock, report } = floor;
  const lines: ExtensionLine[] = [];
  const hosted = new Map<string, HostedAgent>();
  const agents: AgentDirectory = {
    resolve: async (nameOrId) =>
      [...hosted.values()].find(({ id, name }) => id === nameOrId || name === nameOrId) ?? null,
    open: (id) => peer.open(id),
  };
  const source = (extension: Extension) => builtinSource(extension, { version: '1.0.0', clock });
  const hub = await openHub({
    peer,
    store,
    clock,
    agents,
    report,
    log: (line) => void lines.push(line),
    sources: extensions.map(source),
    ...rest,
  });
  t.after(() => hub.close());
  return {
    ...floor,
    hub,
    lines,
    said: () => lines.map(({ extension, message }) => `${extension}: ${message}`),
    newSession: async () => (await peer.create('session')).root,
    async newAgent(name) {
      const agent = { id: (await peer.create('agent')).root, name };
      hosted.set(agent.id, agent);
      return agent;
    },
    source,
  };
}

/** The ways in which the contract is held: what an extension does must not depend on where its code runs. */
export const TIERS = ['in the host’s thread', 'behind JSON text', 'in a worker'] as const;
export type TestTier = (typeof TIERS)[number];

let loads = 0;

/** A fixture of the extension package's contract, started in a tier. Its state is the module's, so each start loads it anew. */
export async function tierSource(tier: TestTier, module: URL): Promise<ExtensionSource> {
  loads += 1;
  const { default: extension } = (await import(`${module.href}?load=hub-${loads}`)) as {
    default: Extension;
  };
  const ref = { kind: 'path', name: extension.manifest.name, digest: `d${loads}` } as const;
  if (tier === 'in a worker')
    return {
      ref,
      tier: 'worker',
      builtin: false,
      start: (host, onDeath) => WorkerCarrier.start({ module, host, onDeath }),
    };
  const start: ExtensionSource['start'] =
    tier === 'behind JSON text'
      ? async (host) => jsonCarrier(extension, { host })
      : async (host, onDeath) =>
          builtinSource(extension, { version: '1', clock: CLOCK }).start(host, onDeath);
  return { ref, tier: 'in_process', builtin: false, start };
}

const CLOCK = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  setTimer: (delayMs: number, fire: () => void) => {
    const timer = setTimeout(fire, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
};
