import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, Json, JsonObject } from '@fairlead/base';
import { digestKey, Journal } from '@fairlead/dispatch';
import type { Extension } from '@fairlead/extension';
import { builtinSource, type Hub, openHub } from '@fairlead/hub';
import type { TreeOwner } from '@fairlead/process';
import { readAgents } from '../../src/agents/read-agents.ts';
import type { Entry } from '../../src/entries/entry.ts';
import { readEntry } from '../../src/entries/read-entry.ts';
import type { HeardEvent } from '../../src/events/session-event.ts';
import type { AgentHost } from '../../src/host/agent-host.ts';
import type { HostOptions, HostReport } from '../../src/host/host-options.ts';
import { prepareHost } from '../../src/host/prepare-host.ts';
import type { PreparedHost } from '../../src/host/prepared-host.ts';
import { readBackends } from '../../src/models/configuration/read-backends.ts';
import { readPolicy } from '../../src/policy/read-policy.ts';
import { readSchedules } from '../../src/routines/read-schedules.ts';
import { readUsageSettings } from '../../src/usage/read-limits.ts';
import { type HostFloor, hostFloor } from '../host-floor.ts';
import { ADA } from '../sessions/session-room.ts';

/** A host as `fairlead up` starts it, without its gateway. */
export interface HostRoom {
  readonly floor: HostFloor;
  readonly prepared: PreparedHost;
  readonly host: AgentHost;
  readonly hub: Hub;
  readonly journal: Journal;
  readonly reports: readonly HostReport[];
  /** A session with these agents. */
  session(...agents: readonly string[]): Promise<string>;
  /** Ada says it, and everything that it begins has ended. */
  ask(session: string, text: string): Promise<void>;
  /** Ada says it. */
  say(session: string, text: string): Promise<void>;
  entries(session: string): Promise<readonly Entry[]>;
  /** The same, each in a few words. */
  told(session: string): Promise<readonly string[]>;
  /** Hears a session from now on. */
  hear(session: string): Promise<readonly HeardEvent[]>;
  /** Ends it as a clean stop does. */
  close(): Promise<void>;
  /** Ends what is in memory without a word, as far as that can be done in one process. */
  abandon(): Promise<void>;
}

export interface HostRoomOptions {
  readonly scripts: JsonObject;
  /** `[[agents]]`; default: one `ann`. */
  readonly agents?: readonly JsonObject[];
  /** `[agent_groups]`. */
  readonly groups?: JsonObject;
  readonly extensions?: (prepared: PreparedHost) => readonly Extension[];
  readonly policy?: JsonObject;
  readonly limits?: JsonObject;
  /** `[[schedules]]`. */
  readonly schedules?: readonly JsonObject[];
  readonly secrets?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly touches?: HostOptions['touches'];
  readonly authority?: string;
  readonly floor?: HostFloor;
  readonly boot?: string;
  readonly alone?: boolean;
  readonly clock?: Clock;
  readonly readAgentTables?: HostOptions['readAgentTables'];
  /** `[[backends]]` as the file says them later. */
  readonly readBackendTables?: HostOptions['readBackendTables'];
  readonly secretVariables?: readonly string[];
  /** False: the file names no back end yet. */
  readonly hasBackend?: boolean;
}

type Test = { after(hook: () => unknown): void };

const NO_WATCHDOG = { token: 'none', watch() {}, forget() {} } as unknown as TreeOwner;

export async function hostRoom(t: Test, options: HostRoomOptions): Promise<HostRoom> {
  const floor = options.floor ?? (await hostFloor(t));
  const { peer, store, random, folder } = floor;
  const clock = options.clock ?? floor.clock;
  const boot = options.boot ?? 'boot_1';
  const scripts = { default: [], ...options.scripts };
  writeFileSync(join(folder, 'script.json'), JSON.stringify({ format: 'fairlead-script-v1', scripts }));
  const journal = new Journal({ store, clock, boot });
  const reports: HostReport[] = [];
  const prepared = await prepareHost({
    ...{ peer, store, journal, clock, random, boot, folder, touches: {} },
    stateDirectory: folder,
    env: {},
    tables: tablesOf(options),
    authority: options.authority ?? 'trusted_agent',
    digestKey: digestKey(new Uint8Array(32)),
    secretVariables: options.secretVariables ?? [],
    secrets: options.secrets ?? [],
    watchdog: NO_WATCHDOG,
    platform: 'linux',
    report: (report) => reports.push(report),
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.touches === undefined ? {} : { touches: options.touches }),
    ...(options.readAgentTables === undefined ? {} : { readAgentTables: options.readAgentTables }),
    ...(options.readBackendTables === undefined ? {} : { readBackendTables: options.readBackendTables }),
  });
  const hub = await openHub({
    ...{ peer, store, clock, agents: prepared.agentDirectory },
    sources: (options.extensions?.(prepared) ?? []).map((one) =>
      builtinSource(one, { version: '1.0.0', clock, peer: prepared.builtinPeer }),
    ),
    report: () => {},
  });
  const host = await prepared.start(hub, { alone: options.alone ?? false });
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    await host.close();
    await hub.close();
    await journal.close();
  };
  t.after(close);
  const room: HostRoom = {
    ...{ floor, prepared, host, hub, journal, reports, close },
    async session(...agents) {
      return await host.newSession({ agents });
    },
    async say(session, text) {
      await host.post({ session, text, from: ADA });
    },
    async ask(session, text) {
      await room.say(session, text);
      await host.idle();
    },
    async entries(of) {
      const entries: Entry[] = [];
      for await (const { id, value } of (await host.sessions.open(of)).table('entries').scan()) {
        const entry = readEntry(id, value);
        if (entry !== undefined && entry.type !== 'unknown') entries.push(entry);
      }
      return entries;
    },
    async told(of) {
      return (await room.entries(of)).map(inFewWords);
    },
    async hear(of) {
      const heard: HeardEvent[] = [];
      await host.events.subscribe(of, {}, (event) => heard.push(event) > 0);
      return heard;
    },
    async abandon() {
      await close();
    },
  };
  return room;
}

function tablesOf({
  agents = [{ name: 'ann' }],
  groups = {},
  policy = {},
  limits = {},
  schedules = [],
  hasBackend = true,
}: HostRoomOptions) {
  const scripted = { name: 'local', type: 'scripted', file: 'script.json' };
  const backends = readBackends({
    backends: hasBackend ? [{ ...scripted, models: [{ name: 'script' }, { name: 'other' }] }] : [],
  });
  const read = readAgents({ agents: agents as Json, agent_groups: groups });
  const policies = readPolicy({ policy });
  const usage = readUsageSettings({ limits }, 'UTC');
  assert.ok(backends.ok && policies.ok && usage.ok, JSON.stringify([backends, policies, usage]));
  assert.ok(read.ok, JSON.stringify(read));
  const planned = readSchedules({ schedules }, 'UTC');
  assert.ok(planned.ok, JSON.stringify(planned));
  const rest = { policy: policies.value, usage: usage.value, schedules: planned.value };
  return { agents: read.value, backends: backends.value, ...rest };
}

function inFewWords(entry: Entry): string {
  const who = entry.from.name ?? entry.from.id;
  switch (entry.type) {
    case 'message':
      return `${who}: ${entry.text}${entry.final === false ? ' …' : ''}`;
    case 'directive':
      return `${who} asks: ${entry.text}`;
    case 'ack':
      return `ack ${who} ${entry.for.length}${entry.resumes === undefined ? '' : ' resumes'}`;
    case 'turn_end':
      return `end ${entry.status}${entry.code === undefined ? '' : ` ${entry.code}`}`;
    case 'error':
      return `error ${entry.code}`;
    case 'tool_call':
      return `call ${entry.tool}`;
    case 'tool_result':
      return `result ${entry.certainty}${entry.code === undefined ? '' : ` ${entry.code}`}: ${entry.text}`;
    default:
      return entry.type;
  }
}
