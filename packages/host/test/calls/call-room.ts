import assert from 'node:assert/strict';
import type { JsonObject } from '@fairlead/base';
import { digestKey, Journal } from '@fairlead/dispatch';
import type { Extension } from '@fairlead/extension';
import { builtinSource, type ExtensionSource, type Hub, type LiveSet, openHub } from '@fairlead/hub';
import { hygiene, waitFor } from '@fairlead/testing';
import { Agents, type KnownAgent } from '../../src/agents/agents.ts';
import { Approvals } from '../../src/approvals/approvals.ts';
import type { CallEnd } from '../../src/calls/call-end.ts';
import type { CallFloor } from '../../src/calls/call-floor.ts';
import type { CallPlace } from '../../src/calls/call-place.ts';
import { runCall } from '../../src/calls/run-call.ts';
import { RunningCalls } from '../../src/calls/running-calls.ts';
import type { ToolTouches } from '../../src/calls/tool-touches.ts';
import type { Entry } from '../../src/entries/entry.ts';
import { readEntry } from '../../src/entries/read-entry.ts';
import type { SessionEvent } from '../../src/events/session-event.ts';
import type { Grants } from '../../src/grants/grants.ts';
import { machineLinks } from '../../src/grants/real-path.ts';
import { LeakDetector } from '../../src/leaks/leak-detector.ts';
import { RateLimiter } from '../../src/policy/rate-limiter.ts';
import { readPolicy } from '../../src/policy/read-policy.ts';
import { HostState } from '../../src/sessions/host-state.ts';
import { OwedWrites } from '../../src/sessions/owed-writes.ts';
import { Sessions } from '../../src/sessions/sessions.ts';
import { readUsageSettings } from '../../src/usage/read-limits.ts';
import { UsageLedger } from '../../src/usage/usage-ledger.ts';
import { type HostFloor, hostFloor } from '../host-floor.ts';

const TURN = 'trn_0000000000000000000001';
export const MAY = { id: 'person:1', scopes: ['session:approve'] };

type Test = Parameters<typeof hygiene>[0] & { after(hook: () => unknown): void };

/** A host as far as one call of a tool needs one, with one agent `ann` in one session. */
export interface CallRoom extends CallFloor {
  readonly host: HostFloor;
  readonly hub: Hub;
  readonly agent: KnownAgent;
  readonly session: string;
  readonly place: CallPlace;
  readonly events: SessionEvent[];
  /** Cancels the turn of `place`. */
  readonly cancel: AbortController;
  /** Calls a tool in the turn. */
  call(tool: string, args?: JsonObject, place?: Partial<CallPlace>): Promise<CallEnd>;
  entries(): Promise<readonly Entry[]>;
  /** The entries of calls and approvals, each in a few words. */
  told(): Promise<readonly string[]>;
  /** `certainty code owed` of every call in the journal. */
  journalled(): Promise<readonly string[]>;
  /** The approval that is open, once there is one. */
  asked(): Promise<string>;
  /** Until so many are open. */
  askedFor(count: number): Promise<void>;
  liveSet(): Promise<LiveSet>;
}

export interface CallRoomOptions {
  readonly extensions?: readonly Extension[];
  readonly sources?: readonly ExtensionSource[];
  readonly policy?: JsonObject;
  readonly limits?: JsonObject;
  readonly authority?: string;
  readonly secrets?: readonly string[];
  readonly touches?: ToolTouches;
  readonly grants?: Grants;
  /** A call of a client instead of a turn. */
  readonly client?: boolean;
}

export async function callRoom(t: Test, options: CallRoomOptions = {}): Promise<CallRoom> {
  hygiene(t);
  const host = await hostFloor(t);
  const { peer, store, clock, random, folder } = host;
  const isModel = () => true;
  const agents = new Agents({ peer, clock, isModel });
  const sessions = new Sessions({ peer, store, clock, agents, isModel, leaks: new LeakDetector() });
  const base = { peer, store, clock, agents, sessions, boot: 'boot_1' };
  const journal = new Journal({ store, clock, boot: 'boot_1' });
  const { authority = 'trusted_agent', extensions = [], sources = [] } = options;
  const events: SessionEvent[] = [];
  const approvals = new Approvals(base, random, {
    authority,
    told: (_session, approval, state) => void events.push({ kind: 'approval', approval, state }),
  });
  const hub = await openHub({
    ...{ peer, store, clock, agents: agents.directory, report: () => {} },
    sources: [...extensions.map((one) => builtinSource(one, { version: '1.0.0', clock })), ...sources],
  });
  t.after(async () => {
    await hub.close();
    approvals.close();
    await journal.close();
  });
  const policy = readPolicy({ policy: options.policy ?? {} });
  const usage = readUsageSettings({ limits: options.limits ?? {} }, 'UTC');
  assert.ok(policy.ok && usage.ok, JSON.stringify([policy, usage]));
  const owed = new OwedWrites(clock);
  const floor: CallFloor = {
    ...base,
    ...{ hub, journal, approvals, random, authority },
    state: await HostState.open(store),
    policy: policy.value,
    rates: new RateLimiter(clock),
    leaks: new LeakDetector(options.secrets ?? []),
    digestKey: digestKey(new Uint8Array(32)),
    links: machineLinks,
    ledger: await UsageLedger.open({ store, owed, clock, settings: usage.value }),
    touches: options.touches ?? {},
    running: new RunningCalls(),
    owed,
  };
  const agent = await agents.create('ann');
  const session = await sessions.create({ agents: [agent.id] });
  await hub.openSession(session);
  const liveSet = () => hub.liveSet({ session, agent });
  const set = await liveSet();
  t.after(() => set[Symbol.dispose]());
  const cancel = new AbortController();
  const { config } = await agents.config(agent.id);
  const person = { kind: 'client', id: 'token:1' } as const;
  const place: CallPlace = {
    ...{ session, set, agent, config, workspace: folder, signal: cancel.signal },
    database: await sessions.open(session),
    principal: options.client === true ? person.id : `agent:${agent.id}`,
    from: options.client === true ? person : { kind: 'agent', id: agent.id, name: agent.name },
    ...(options.client === true
      ? {}
      : { turn: { turn: TURN, root: TURN, rootSession: session, step: () => 2 } }),
    grants: async () => options.grants ?? {},
    attended: () => true,
    allowed: () => true,
    emit: (event) => void events.push(event),
  };
  let minted = 0;
  const room: CallRoom = {
    ...floor,
    ...{ host, agent, session, place, events, cancel, liveSet },
    async call(tool, args = {}, given = {}) {
      minted += 1;
      const call = `call_${String(minted).padStart(22, '0')}`;
      return await runCall(floor, { ...place, ...given }, { call, index: 0, tool, arguments: args });
    },
    async entries() {
      const entries: Entry[] = [];
      for await (const { id, value } of place.database.table('entries').scan()) {
        const entry = readEntry(id, value);
        assert.notEqual(entry?.type, 'unknown', JSON.stringify(value));
        if (entry !== undefined && entry.type !== 'unknown') entries.push(entry);
      }
      return entries;
    },
    told: async () => (await room.entries()).map(inFewWords),
    async journalled() {
      const rows = await store.read<Record<string, string | null>>(
        'SELECT certainty, code, result_owed, text IS NOT NULL AS text FROM journal ORDER BY seq',
      );
      return rows.map(({ certainty, code, result_owed, text }) =>
        [certainty, code, result_owed ? 'owed' : null, text ? 'text' : null].filter(Boolean).join(' '),
      );
    },
    async asked() {
      await room.askedFor(1);
      return (await approvals.open())[0]?.id ?? '';
    },
    async askedFor(count) {
      await waitFor(async () => (await approvals.open()).length >= count, { what: 'the question' });
    },
  };
  return room;
}

function inFewWords(entry: Entry): string {
  switch (entry.type) {
    case 'tool_call':
      return `call ${entry.tool} ${JSON.stringify(entry.arguments)}`;
    case 'tool_result':
      return `result ${entry.certainty}${entry.code === undefined ? '' : ` ${entry.code}`}: ${entry.text}`;
    case 'approval_request':
      return `asked ${JSON.stringify(entry.arguments)}`;
    case 'approval_decision':
      return `${entry.decision} via ${entry.via}`;
    default:
      return entry.type;
  }
}
