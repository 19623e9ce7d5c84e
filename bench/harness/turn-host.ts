import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, type JsonObject, randomId, systemClock, systemRandom } from '@fairlead/base';
import { digestKey, Journal, type RunnerPort } from '@fairlead/dispatch';
import { defineExtension, type Extension, s } from '@fairlead/extension';
import {
  Agents,
  Approvals,
  beginTurn,
  endTurn,
  entryValue,
  HostState,
  type KnownAgent,
  LeakDetector,
  ModelCallGate,
  Models,
  machineLinks,
  nextTurn,
  pendingWakes,
  postMessage,
  RateLimiter,
  RunningTurns,
  readBackends,
  readPolicy,
  readUsageSettings,
  runTurn,
  SessionEvents,
  Sessions,
  type TurnFloor,
  UsageLedger,
} from '@fairlead/host';
import { builtinSource, type LiveTool, openHub } from '@fairlead/hub';
import { openPeer, openStore } from '@fairlead/store';
import { RunningCalls } from '../../packages/host/src/calls/running-calls.ts';
// Not the package's face: only a host puts one together.
import { peerPlugins } from '../../packages/host/src/plugins/peer-plugins.ts';
import { standsForPlugin } from '../../packages/host/src/plugins/stands-for-plugin.ts';
import { OwedWrites } from '../../packages/host/src/sessions/owed-writes.ts';
import { Offers } from '../../packages/host/src/turn/offers.ts';
import { pinnedAdd } from './pinned-plugin.ts';

export interface TurnHostOptions {
  /** An empty folder. */
  readonly folder: string;
  /** Extensions that are active, each with tools, a gate, a hook on results, a prompt block and a tail. */
  readonly extensions: number;
  /** Turns of the script, the same in every session. */
  readonly turns: number;
  /** Pieces of a turn's last text. */
  readonly pieces?: number;
  /** Called while the tool of a turn runs, and awaited. */
  readonly inTool?: () => Promise<void> | void;
  readonly modelCalls?: number;
  /** The call of each turn is of this plugin’s tool, pinned under the same name. */
  readonly pinned?: { readonly runner: RunnerPort; readonly given: JsonObject };
}

/** A host as far as turns need one, over a store on disk. Everything it opens goes on `stack`. */
export class TurnHost {
  readonly floor: TurnFloor;
  readonly agent: KnownAgent;

  private constructor(floor: TurnFloor, agent: KnownAgent) {
    this.floor = floor;
    this.agent = agent;
  }

  static async open(options: TurnHostOptions, stack: AsyncDisposableStack): Promise<TurnHost> {
    const stateDirectory = join(options.folder, 'state');
    await mkdir(stateDirectory, { mode: 0o700 });
    const clock = systemClock();
    const random = systemRandom();
    const store = stack.use(await openStore({ path: join(stateDirectory, 'fairlead.db'), clock }));
    const peer = stack.use(await openPeer({ store, stateDirectory, clock, random }));
    const models = scriptedModels(options, clock);
    const isModel = (ref: string) => models.refs.includes(ref);
    const agents = new Agents({ peer, clock, isModel });
    const sessions = new Sessions({ peer, store, clock, agents, isModel, leaks: new LeakDetector() });
    const boot = randomId('boot_', random);
    const base = { peer, store, clock, agents, sessions, boot };
    const journal = new Journal({ store, clock, boot });
    stack.defer(() => journal.close());
    const approvals = new Approvals(base, random, { authority: 'trusted_agent' });
    stack.defer(() => approvals.close());
    const events = new SessionEvents(peer);
    await events.open();
    stack.defer(() => events.close());
    const sources = Array.from({ length: options.extensions }, (_, index) =>
      builtinSource(extension(index, options.inTool), { version: '1.0.0', clock }),
    );
    const pins =
      options.pinned === undefined
        ? undefined
        : await pinnedAdd(options.pinned.runner, { store, journal }, stack);
    const running = new RunningCalls();
    if (pins !== undefined) sources.push(pinSource(pins, { clock, running }));
    const report = ({ code, reason }: { readonly code: string; readonly reason: string }) => {
      throw new Error(`${code}: ${reason}`);
    };
    const hub = await openHub({ peer, store, clock, agents: agents.directory, sources, report });
    stack.use(hub);
    // A turn that asks somebody measures that somebody.
    const policy = readPolicy({ policy: { auto_approve: ['e0_look'] } });
    const usage = readUsageSettings({ limits: NO_CEILINGS }, 'UTC');
    if (!policy.ok || !usage.ok) throw new Error('an empty file is refused');
    const owed = new OwedWrites(clock);
    const floor: TurnFloor = {
      ...{ ...base, hub, journal, approvals, events, models, random },
      state: await HostState.open(store),
      authority: 'trusted_agent',
      policy: policy.value,
      rates: new RateLimiter(clock),
      leaks: new LeakDetector(),
      digestKey: digestKey(random(32)),
      links: machineLinks,
      ledger: await UsageLedger.open({ store, owed, clock, settings: usage.value }),
      touches: {},
      running,
      owed,
      ...(pins === undefined
        ? {}
        : { standsFor: (tool: LiveTool, args: JsonObject) => standsForPlugin(pins.plugins, tool, args) }),
      gate: new ModelCallGate(options.modelCalls ?? usage.value.modelCalls),
      turns: new RunningTurns(),
      offers: new Offers(),
      leftOut: () => {},
      workspace: async () => stateDirectory,
    };
    return new TurnHost(floor, await agents.create('bench'));
  }

  newSession(): Promise<string> {
    return this.floor.sessions.create({ agents: [this.agent.id] });
  }

  /** Somebody says something there. */
  async say(session: string): Promise<void> {
    await postMessage(this.floor, { session, text: 'What is there?', from: PERSON });
  }

  /** Answers it. */
  async turn(session: string): Promise<void> {
    const { floor, agent } = this;
    const next = nextTurn(await pendingWakes(floor.store, session));
    const turn = randomId('trn_', floor.random);
    const signal = new AbortController().signal;
    const report = await runTurn(floor, { turn, session, agent, wakes: next?.wakes ?? [], signal });
    if (report.status !== 'completed') throw new Error(`the turn ended ${report.status}: ${report.text}`);
  }

  /** What such a turn writes, and nothing else of it: its five commits. */
  async fiveCommits(session: string): Promise<void> {
    const { floor, agent } = this;
    const { store, peer, clock, random, journal, sessions } = floor;
    const next = nextTurn(await pendingWakes(store, session));
    const turn = randomId('trn_', random);
    const call = randomId('call_', random);
    const from = { kind: 'agent', id: agent.id, name: agent.name } as const;
    await beginTurn(floor, { turn, session, agent, model: 'local/script', wakes: next?.wakes ?? [] });
    const database = await sessions.open(session);
    const target = `ext:e0/e0_look#${'x'.repeat(43)}`;
    const digest = 'x'.repeat(43);
    const place = { session, turn, extension: 'e0', tier: 'in_process', target };
    const intent = journal.sessionIntent(
      {
        id: call,
        principal: `agent:${agent.id}`,
        action: 'e0_look',
        bindingPresent: false,
        argumentsDigest: digest,
      },
      place,
    );
    const asked = {
      turn,
      step: 0,
      index: 0,
      tool: 'e0_look',
      extension: 'e0',
      tier: 'in_process',
      target,
      digest,
    } as const;
    const write = async (body: Parameters<typeof entryValue>[0], rows: readonly Row[]) => {
      const value = entryValue(body, from, clock);
      await peer.transaction((tx) => {
        tx.on(database).append('entries', value);
        for (const { sql, parameters = [] } of rows) tx.write(sql, parameters, 1);
      });
    };
    await write({ type: 'tool_call', call, arguments: { at: 'here' }, ...asked }, intent);
    await store.write([journal.sessionEnd(call, { certainty: 'completed', code: null, text: 'saw here' })]);
    const result = { call, certainty: 'completed', error: false, text: 'saw here', ms: 1, bytes: 8 } as const;
    await write({ type: 'tool_result', ...result, redacted: [], hooks: [], turn }, [
      journal.resultStands(call),
    ]);
    await endTurn(floor, {
      ...{ turn, session, agent, status: 'completed', nanousd: null, steps: 2 },
      usage: { input: 1000, output: 100, cached: 0, written: 0, reasoning: 0 },
      entries: [{ type: 'message', text: LAST_TEXT, mentions: [], turn, step: 1 }],
    });
  }
}

type Row = ReturnType<Journal['sessionEnd']>;

const PERSON = { kind: 'person', id: 'bench' } as const;
const LAST_TEXT = 'There is what you asked for. '.repeat(20);
const NO_CEILINGS = Object.fromEntries(
  ['turn', 'session', 'agent_day', 'day'].flatMap((name) => [
    [`${name}_tokens`, 0],
    [`${name}_usd`, 0],
  ]),
);

/** The extension of pins, with what a host hands it. */
function pinSource(
  { plugins, extension }: Awaited<ReturnType<typeof pinnedAdd>>,
  { clock, running }: { readonly clock: Clock; readonly running: RunningCalls },
) {
  const peer = {
    plugins: peerPlugins<{ readonly session: string; readonly agent: string; readonly tool: string }>(
      plugins,
      {
        nameOf: async () => 'bench',
        callOf({ session, agent, tool }, args) {
          const call = running.of(session, agent, tool, args);
          if (call === undefined) throw new Error('the call is over');
          return call;
        },
      },
    ),
  };
  return builtinSource(extension, { version: '1.0.0', clock, peer });
}

function scriptedModels({ turns, pinned, pieces = 1 }: TurnHostOptions, clock: Clock): Models {
  const chunk = Math.ceil(LAST_TEXT.length / pieces);
  const usage = { input: 1000, output: 100 };
  const calls = [{ tool: 'e0_look', arguments: pinned?.given ?? { at: 'here' } }];
  const turn = {
    steps: [
      { calls, usage },
      { text: LAST_TEXT, chunk, usage },
    ],
  };
  const script = {
    format: 'fairlead-script-v1',
    scripts: { default: Array.from({ length: turns }, () => turn) },
  };
  const tables = readBackends({ backends: [{ name: 'local', type: 'scripted', file: 'script.json' }] });
  if (!tables.ok) throw new Error(tables.problem);
  return new Models({
    tables: tables.value,
    ...{ folder: '/', env: {}, clock },
    readFile: async () => Buffer.from(JSON.stringify(script)),
  });
}

function extension(index: number, inTool: TurnHostOptions['inTool']): Extension {
  const name = `e${index}`;
  const args = { at: s.string('Where to look.'), deep: s.boolean({ default: false }) };
  const tool = (what: string) => ({
    about: `${what} at a place, and says what is there. What it finds it says in one line.`,
    args,
    effect: 'read' as const,
    async run({ at }: { readonly at: string }) {
      await inTool?.();
      return `saw ${at}`;
    },
  });
  return defineExtension({
    name,
    version: '1.0.0',
    tools: {
      [`${name}_look`]: tool('Looks'),
      [`${name}_list`]: tool('Lists'),
      [`${name}_find`]: tool('Finds'),
    },
    on: { toolCall: () => undefined, toolResult: () => undefined },
    prompt: () => `Use ${name} where it helps.`,
    tail: () => `${name} has seen nothing yet.`,
  });
}
