import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, failed, type JsonObject, systemClock, systemRandom } from '@fairlead/base';
import {
  Bindings,
  createTools,
  digestKey,
  type Invocation,
  Journal,
  type Principal,
  Settler,
} from '@fairlead/dispatch';
import { createGateway, createRunnerHub, createTokens, readHostConfig, silentLog } from '@fairlead/gateway';
import { linkLimits } from '@fairlead/protocol';
import { type Runner, startRunner } from '@fairlead/runner';
import { openStore } from '@fairlead/store';
import { type ManualClock, manualClock, repositoryRoot, temporaryFolder, waitFor } from '@fairlead/testing';
import { LinkProxy } from './link-proxy.ts';

/** A gateway and a Runner, whole and real, with a proxy on the link between them and a plugin that counts what it does. */
export type SettlingFloor = AsyncDisposable & {
  readonly proxy: LinkProxy;
  readonly settler: Settler;
  /** The clock of the gateway's end of the link. */
  readonly linkClock: ManualClock;
  /** Resolves when the Runner has registered `count` times. */
  registered(count: number): Promise<void>;
  /** Starts another process of the same Runner in the place of the one that runs. */
  restartRunner(): Promise<void>;
  invoke(params: JsonObject): Promise<Invocation>;
  /** A binding of the tool `work` of one of the two plugins: `quick` refuses while it is busy, `patient` lets sixteen wait. */
  bind(plugin?: 'quick' | 'patient'): Promise<string>;
  /** The file that lets calls go on which wait for it. */
  gate(name: string): string;
  open(gate: string): void;
  /** What the plugins have done, and begun, in order. */
  effects(): string[];
  began(): string[];
  /** The journal's two records of one call: certainty, code, settled certainty, settled code. */
  records(call: string): Promise<readonly unknown[]>;
};

const WHO: Principal = { id: 'token:test', scopes: ['plugin:inspect', 'plugin:invoke', 'plugin:manage'] };
const plugin = join(repositoryRoot, 'test/settling/counting-plugin.mjs');

/** It is closed when the test ends, or before. `timeoutSecs` is what a plugin has for a call: a gate must be open by then. */
export async function settlingFloor(
  t: { after(hook: () => unknown): void },
  options: { readonly timeoutSecs?: number } = {},
): Promise<SettlingFloor> {
  const { timeoutSecs = 120 } = options;
  const folder = temporaryFolder(t);
  const stack = new AsyncDisposableStack();
  t.after(() => stack.disposeAsync());
  const clock = systemClock();
  const random = systemRandom();
  const store = stack.use(await openStore({ path: join(folder, 'fairlead.db'), clock }));
  const journal = stack.use(new Journal({ store, clock, boot: 'boot_1' }));
  const tokens = await createTokens({ store, clock, random });
  const linkClock = manualClock();
  const hub = createRunnerHub({ tokens, clock: linkClock, log: silentLog });
  const bindings = stack.use(await Bindings.open({ store, clock, random }));
  const settler = stack.use(new Settler({ runners: hub, journal }));
  const authority = 'trusted_agent';
  const key = digestKey(random(32));
  const parts = { runners: hub, journal, bindings, settler, clock, random, authority, digestKey: key };
  const tools = createTools(parts);
  const reading = await readHostConfig({ path: join(folder, 'none.toml'), env: {}, flags: { port: 0 } });
  if (!reading.ok) throw new Error(reading.fault.message);
  const { config } = reading;
  const none = async () => failed('not_started', 'extension_unknown', 'There is none.');
  const output = () => failed('not_started', 'extension_unknown', 'There is none.');
  const extensions = { list: () => ({}), output, load: none, reload: none, unload: none };
  const backup = async () => {};
  const rest = {
    extensions,
    backup,
    version: 'test',
    log: silentLog,
    stateDirectory: folder,
    onStop: () => {},
  };
  const gateway = createGateway({ config, hub, tools, tokens, journal, clock, random, ...rest });
  stack.defer(() => gateway.close());
  const { port } = await gateway.listen();
  const proxy = stack.use(await LinkProxy.listen(port));

  const work = join(folder, 'work');
  mkdirSync(work);
  const configPath = join(folder, 'runner.toml');
  const quick = provider('quick', { work, maxQueued: 0, timeoutSecs });
  const patient = provider('patient', { work, maxQueued: 16, timeoutSecs });
  writeFileSync(configPath, `${quick}\n${patient}`);
  const { secret: token } = await tokens.mintRunner({ runner: 'local' });
  let registrations = 0;
  stack.defer(
    hub.listen({
      registered: () => {
        registrations += 1;
      },
      ended: () => {},
    }),
  );
  const start = async (): Promise<Runner> => {
    const runner = await startRunner({
      configPath,
      runnerId: 'local',
      gatewayUrl: proxy.url,
      token,
      stateDirectory: folder,
      env: process.env,
      platform: process.platform,
      clock: impatient(clock, () => proxy.links.at(-1)?.isUp === true),
      random,
      log: () => {},
    });
    await Promise.all([runner.registered, runner.settled]);
    return runner;
  };
  let runner = await start();
  stack.defer(() => runner.close());

  const lines = (file: string) => {
    const path = join(work, file);
    return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  };
  const invoke = async (params: JsonObject) => {
    const [tool] = tools;
    if (tool === undefined) throw new Error('there is no plugin_tool');
    return await tool.invoke({ params, principal: WHO });
  };
  return {
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
    proxy,
    settler,
    linkClock,
    registered: async (count) => {
      await waitFor(() => registrations >= count, { what: `registration ${count}` });
    },
    restartRunner: async () => {
      await runner.close();
      // Lifted only now: a Runner that is about to stop could come back, and answer as it stops.
      proxy.refuses = false;
      runner = await start();
    },
    invoke,
    bind: async (id = 'quick') => {
      const { output } = await invoke({ action: 'describe', runner: 'local', plugin: id, tool: 'work' });
      return String(output?.['binding']);
    },
    gate: (name) => join(folder, `gate-${name}`),
    open: (gate) => writeFileSync(gate, ''),
    effects: () => lines('effects'),
    began: () => lines('began'),
    records: async (call) => {
      const columns = 'certainty, code, settled_certainty, settled_code';
      const [row] = await store.read<JsonObject>(`SELECT ${columns} FROM journal WHERE id = ?`, [call]);
      return Object.values(row ?? {});
    },
  };
}

function provider(
  id: string,
  options: { readonly work: string; readonly maxQueued: number; readonly timeoutSecs: number },
): string {
  const { work, maxQueued, timeoutSecs } = options;
  const words = { command: process.execPath, args: [plugin, work] };
  return [
    '[[plugins.providers]]',
    `id = "${id}"`,
    `name = "Counts, ${id}"`,
    `command = ${JSON.stringify(words.command)}`,
    `args = ${JSON.stringify(words.args)}`,
    `max_queued = ${maxQueued}`,
    `timeout_secs = ${timeoutSecs}`,
  ].join('\n');
}

/** While there is no link, the waits before a new attempt to connect are short. */
function impatient(clock: Clock, isLinked: () => boolean): Clock {
  return {
    ...clock,
    setTimer: (delayMs, fire, options) => {
      const isWait = !isLinked() && linkLimits.reconnectDelaysMs.includes(delayMs);
      return clock.setTimer(isWait ? 10 : delayMs, fire, options);
    },
  };
}
