import assert from 'node:assert/strict';
import type { Json, JsonObject } from '@fairlead/base';
import { digestKey, Journal } from '@fairlead/dispatch';
import type { Extension } from '@fairlead/extension';
import { builtinSource, type Hub, openHub } from '@fairlead/hub';
import { Agents, type KnownAgent } from '../../src/agents/agents.ts';
import { Approvals } from '../../src/approvals/approvals.ts';
import { RunningCalls } from '../../src/calls/running-calls.ts';
import type { Entry } from '../../src/entries/entry.ts';
import { readEntry } from '../../src/entries/read-entry.ts';
import type { HeardEvent } from '../../src/events/session-event.ts';
import { SessionEvents } from '../../src/events/session-events.ts';
import { machineLinks } from '../../src/grants/real-path.ts';
import { LeakDetector } from '../../src/leaks/leak-detector.ts';
import { readBackends } from '../../src/models/configuration/read-backends.ts';
import type { Model } from '../../src/models/model.ts';
import { Models } from '../../src/models/models.ts';
import { ModelCallGate } from '../../src/models/step/model-call-gate.ts';
import { RateLimiter } from '../../src/policy/rate-limiter.ts';
import { readPolicy } from '../../src/policy/read-policy.ts';
import { HostState } from '../../src/sessions/host-state.ts';
import { OwedWrites } from '../../src/sessions/owed-writes.ts';
import { postMessage } from '../../src/sessions/post-entry.ts';
import { Sessions } from '../../src/sessions/sessions.ts';
import { nextTurn, pendingWakes } from '../../src/sessions/wakes.ts';
import { Offers } from '../../src/turn/offers.ts';
import { runTurn } from '../../src/turn/run-turn.ts';
import { RunningTurns } from '../../src/turn/running-turns.ts';
import type { LeftOut, TurnFloor } from '../../src/turn/turn-floor.ts';
import type { TurnOptions, TurnReport } from '../../src/turn/turn-options.ts';
import { readUsageSettings } from '../../src/usage/read-limits.ts';
import { UsageLedger } from '../../src/usage/usage-ledger.ts';
import { type HostFloor, hostFloor } from '../host-floor.ts';
import { ADA } from '../sessions/session-room.ts';

/** A host as far as turns need one, with one agent `ann` in one session. */
export interface TurnRoom extends TurnFloor {
  readonly host: HostFloor;
  readonly hub: Hub;
  readonly agent: KnownAgent;
  readonly session: string;
  /** What happened in the session, as it happened. */
  readonly heard: HeardEvent[];
  /** What had no room beside the conversation. */
  readonly beyond: LeftOut[];
  /** Says something as Ada. */
  say(text: string): Promise<void>;
  /** The turn that is next. */
  turn(options?: Partial<TurnOptions>): Promise<TurnReport>;
  /** Ada says it and it is answered. */
  ask(text: string, options?: Partial<TurnOptions>): Promise<TurnReport>;
  entries(session?: string): Promise<readonly Entry[]>;
  /** The same, each in a few words. */
  told(session?: string): Promise<readonly string[]>;
}

export interface TurnRoomOptions {
  /** The turns of `default`, or the scripts by name. */
  readonly turns?: readonly Json[];
  readonly scripts?: JsonObject;
  /** Instead of the script: the model `local/fake`. */
  readonly model?: Model;
  /** More of `[[backends]]` and of its model; with a `type` there is no script. */
  readonly backend?: JsonObject;
  readonly backendModel?: JsonObject;
  readonly extensions?: readonly Extension[];
  /** The agent's config. */
  readonly config?: JsonObject;
  /** `[policy]` and `[limits]` of the file. */
  readonly policy?: JsonObject;
  readonly limits?: JsonObject;
  readonly modelCalls?: number;
  readonly secrets?: readonly string[];
  readonly host?: HostFloor;
  readonly boot?: string;
  readonly session?: string;
}

type Test = { after(hook: () => unknown): void };

export async function turnRoom(t: Test, options: TurnRoomOptions = {}): Promise<TurnRoom> {
  const host = options.host ?? (await hostFloor(t));
  const { peer, store, clock, random, folder } = host;
  const models = modelsOf(host, options);
  const isModel = (ref: string) => models.refs.includes(ref);
  const agents = new Agents({ peer, clock, isModel });
  const sessions = new Sessions({ peer, store, clock, agents, isModel, leaks: new LeakDetector() });
  const boot = options.boot ?? 'boot_1';
  const base = { peer, store, clock, agents, sessions, boot };
  const journal = new Journal({ store, clock, boot });
  const approvals = new Approvals(base, random, { authority: 'trusted_agent' });
  const events = new SessionEvents(peer);
  await events.open();
  const hub = await openHub({
    ...{ peer, store, clock, agents: agents.directory },
    sources: (options.extensions ?? []).map((one) => builtinSource(one, { version: '1.0.0', clock })),
    report: () => {},
  });
  t.after(async () => {
    await hub.close();
    await events.close();
    approvals.close();
    await journal.close();
  });
  const policy = readPolicy({ policy: options.policy ?? {} });
  const usage = readUsageSettings({ limits: options.limits ?? {} }, 'UTC');
  assert.ok(policy.ok && usage.ok);
  const beyond: LeftOut[] = [];
  const owed = new OwedWrites(clock);
  const floor: TurnFloor = {
    ...base,
    ...{ hub, journal, approvals, events, models, random },
    state: await HostState.open(store),
    authority: 'trusted_agent',
    policy: policy.value,
    rates: new RateLimiter(clock),
    leaks: new LeakDetector(options.secrets ?? []),
    digestKey: digestKey(new Uint8Array(32)),
    links: machineLinks,
    ledger: await UsageLedger.open({ store, owed, clock, settings: usage.value }),
    touches: {},
    running: new RunningCalls(),
    owed,
    gate: new ModelCallGate(options.modelCalls ?? 10),
    turns: new RunningTurns(),
    offers: new Offers(),
    leftOut: (left) => void beyond.push(left),
    workspace: async () => folder,
  };
  const known = (await agents.list())[0];
  const agent = known ?? (await agents.create('ann'));
  if (options.config !== undefined) await (await agents.open(agent.id)).doc('config').patch(options.config);
  const session = options.session ?? (await sessions.create({ agents: [agent.id] }));
  const heard: HeardEvent[] = [];
  await events.subscribe(session, {}, (event) => heard.push(event) > 0);
  let minted = 0;
  const room: TurnRoom = {
    ...floor,
    ...{ host, agent, session, heard, beyond },
    async say(text) {
      await postMessage(floor, { session, text, from: ADA });
    },
    async turn(given = {}) {
      const next = nextTurn(await pendingWakes(store, given.session ?? session));
      minted += 1;
      return await runTurn(floor, {
        ...{ turn: `trn_${String(minted).padStart(22, '0')}`, session, agent, wakes: next?.wakes ?? [] },
        signal: new AbortController().signal,
        ...given,
      });
    },
    async ask(text, given) {
      await room.say(text);
      return await room.turn(given);
    },
    async entries(of = session) {
      const entries: Entry[] = [];
      for await (const { id, value } of (await sessions.open(of)).table('entries').scan()) {
        const entry = readEntry(id, value);
        if (entry !== undefined && entry.type !== 'unknown') entries.push(entry);
      }
      return entries;
    },
    async told(of = session) {
      return (await room.entries(of)).map(inFewWords);
    },
  };
  return room;
}

function modelsOf({ clock }: HostFloor, options: TurnRoomOptions): Models {
  const { turns = [], scripts = { default: turns as Json }, backend = {}, backendModel = {} } = options;
  const script = JSON.stringify({ format: 'fairlead-script-v1', scripts });
  const scripted = backend['type'] === undefined ? { type: 'scripted', file: 'script.json' } : {};
  const tables = readBackends({
    backends: [
      {
        name: 'local',
        ...scripted,
        ...backend,
        models: [{ name: 'script', ...backendModel }, { name: 'other' }],
      },
    ],
  });
  assert.ok(tables.ok, JSON.stringify(tables));
  const models = new Models({
    tables: tables.value,
    ...{ folder: '/', env: { KEY: 'key-of-the-test' }, clock },
    readFile: async () => Buffer.from(script),
  });
  const { model } = options;
  if (model === undefined) return models;
  const resolve = models.resolve.bind(models);
  models.resolve = (ref) => ({ ...resolve(ref), model, load: async () => {} });
  return models;
}

function inFewWords(entry: Entry): string {
  switch (entry.type) {
    case 'message':
      return `${entry.from.name ?? entry.from.id}: ${entry.text}${entry.final === false ? ' …' : ''}`;
    case 'ack':
      return `ack ${entry.for.length}`;
    case 'turn_end':
      return `end ${entry.status}${entry.code === undefined ? '' : ` ${entry.code}`} ${entry.steps}`;
    case 'error':
      return `error ${entry.code}`;
    case 'tool_call':
      return `call ${entry.tool} ${JSON.stringify(entry.arguments)}`;
    case 'tool_result':
      return `result ${entry.certainty}${entry.code === undefined ? '' : ` ${entry.code}`}: ${entry.text}`;
    default:
      return entry.type;
  }
}
