import type { Json, JsonObject, Random } from '@fairlead/base';
import type { Platform, TreeOwner } from '@fairlead/process';
import type { Grants } from '../grants/grants.ts';
import type { PeerMemory } from '../memory/peer-memory.ts';
import type { PeerWeb } from '../network/web-requests.ts';
import type { PeerPlugins } from '../plugins/peer-plugins.ts';
import type { ScheduleLine, ScheduleWish } from '../routines/schedule-book.ts';
import type { SlotRow } from '../routines/slot-rows.ts';
import type { SpawnEnd, SpawnRequest } from '../spawn/spawn.ts';
import type { PeerSkills } from './peer-skills.ts';

/** What the built-ins about schedules may do. */
export interface PeerSchedules {
  list(agent: string): Promise<readonly ScheduleLine[]>;
  add(agent: string, id: string, wish: ScheduleWish): Promise<ScheduleLine>;
  modify(agent: string, id: string, wish: ScheduleWish): Promise<ScheduleLine>;
  remove(agent: string, id: string): Promise<void>;
  /** Newest first. */
  history(agent: string, id: string): Promise<readonly SlotRow[]>;
  /** The handler of `agent_schedule`: brings the task to its session. */
  fire(payload: Json): Promise<void>;
}

/** Whose call asks: the session, the agent's id and the tool, as the call's context says them. */
export interface PeerCaller {
  readonly session: string;
  readonly agent: string;
  readonly tool: string;
  /** The very arguments that the tool was handed: they tell its call from others of the same tool that run at the same time. */
  readonly args?: JsonObject;
}

/**
 * What the host hands to its built-in extensions. Each question names a call that runs now; what is refused rejects with a code
 * (`grant_denied`, `context_expired`, `host_not_started`) and nothing was touched.
 */
export interface HostPeer {
  /** All levels together, and the session's folder by its real path. */
  grants(caller: PeerCaller): Promise<Grants & { readonly workspace: string }>;
  /** The real path to open without following a link at its end. */
  path(caller: PeerCaller, kind: 'read' | 'write', path: string): Promise<string>;
  /** The words of a command line, `['sh', '-c', line]` where it needs a shell; empty where it has no word. */
  command(caller: PeerCaller, line: string): Promise<readonly string[]>;
  /** The host's environment without what holds secrets. */
  childEnvironment(): Readonly<Record<string, string>>;
  /** Writes a summary of what stands before the turn. Rejects with `agent_required` for the call of a client. */
  compact(caller: PeerCaller, summary: string): Promise<void>;
  /** For the turn that the call belongs to, never for another: a client's call is `agent_required`. Never rejects for what became of the child. */
  spawn(caller: PeerCaller, request: SpawnRequest): Promise<SpawnEnd>;
  /** All of a tool that the caller may use, for a model; undefined where there is none of this name. */
  describeTool(caller: PeerCaller, name: string): Promise<string | undefined>;
  /** Agents' schedules, by the agent's id. */
  readonly schedules: PeerSchedules;
  readonly plugins: PeerPlugins<PeerCaller>;
  readonly web: PeerWeb<PeerCaller>;
  readonly memory: PeerMemory;
  readonly skills: PeerSkills;
  readonly sandbox: { readonly bubblewrap?: string };
  /** How many MCP servers cannot be had now. */
  readonly failedServers: () => number;
  readonly watchdog: TreeOwner;
  readonly platform: Platform;
  readonly random: Random;
}
