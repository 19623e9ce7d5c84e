import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, type JsonObject, randomId, systemRandom } from '@fairlead/base';
import { allBuiltins, builtinTouches } from '@fairlead/builtins';
import { digestKey, Journal } from '@fairlead/dispatch';
import type { Extension } from '@fairlead/extension';
import {
  type PreparedHost,
  prepareHost,
  readAgents,
  readBackends,
  readPolicy,
  readUsageSettings,
} from '@fairlead/host';
import { builtinSource, type Hub, openHub } from '@fairlead/hub';
import { startWatchdog } from '@fairlead/process';
import { openPeer, openStore, type Peer, type Store } from '@fairlead/store';

/** What a host stands on, its hub open and nothing started. Closed in reverse order. */
export type OpenFloor = AsyncDisposable & {
  readonly store: Store;
  readonly peer: Peer;
  readonly prepared: PreparedHost;
  readonly hub: Hub;
};

/** Opens it in a directory, with the built-ins, one extension more, and one agent, `ann`, who does what a script says. */
export async function openFloor(options: {
  readonly folder: string;
  readonly clock: Clock;
  readonly script: JsonObject;
  readonly extension: Extension;
}): Promise<OpenFloor> {
  const { folder, clock, script, extension } = options;
  const random = systemRandom();
  const boot = randomId('boot_', random);
  writeFileSync(join(folder, 'script.json'), JSON.stringify(script));
  await using stack = new AsyncDisposableStack();
  const store = stack.use(await openStore({ path: join(folder, 'fairlead.db'), clock }));
  const journal = stack.use(new Journal({ store, clock, boot }));
  const peer = stack.use(await openPeer({ store, stateDirectory: folder, clock, random }));
  const watchdog = stack.use(startWatchdog({ random, clock }));
  const prepared = await prepareHost({
    ...{ peer, store, journal, clock, random, boot, folder, watchdog },
    stateDirectory: folder,
    env: process.env,
    tables: tables(),
    authority: 'trusted_agent',
    touches: builtinTouches,
    digestKey: digestKey(new Uint8Array(32)),
    secretVariables: [],
    secrets: [],
    platform: process.platform,
    report: () => {},
  });
  const source = (one: Extension) =>
    builtinSource(one, { version: '1.0.0', clock, peer: prepared.builtinPeer });
  const hub = stack.use(
    await openHub({
      ...{ peer, store, clock, agents: prepared.agentDirectory, report: () => {} },
      sources: [...allBuiltins, extension].map(source),
    }),
  );
  const owned = stack.move();
  return { store, peer, prepared, hub, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function tables() {
  const local = { name: 'local', type: 'scripted', file: 'script.json', models: [{ name: 'script' }] };
  const backends = readBackends({ backends: [local] });
  const agents = readAgents({ agents: [{ name: 'ann' }] });
  const policy = readPolicy({ policy: {} });
  const usage = readUsageSettings({}, 'UTC');
  if (!backends.ok || !agents.ok || !policy.ok || !usage.ok) throw new Error('the tables cannot be read');
  return {
    backends: backends.value,
    agents: agents.value,
    policy: policy.value,
    usage: usage.value,
    schedules: [],
  };
}
