import { FairleadError, type JsonObject } from '@fairlead/base';
import { extensionErrors } from '@fairlead/extension/runtime';
import { filterEnvironment, runtimeNames, sensitiveNames } from '@fairlead/process';
import type { Agents } from '../agents/agents.ts';
import { policyOfTool } from '../calls/policy-of-tool.ts';
import type { RunningCall } from '../calls/running-calls.ts';
import { describeTool } from '../context/describe-tool.ts';
import { hostError } from '../errors.ts';
import { commandLineOf } from '../grants/command-words.ts';
import type { Grants } from '../grants/grants.ts';
import { judgePath } from '../grants/in-place.ts';
import { realPath } from '../grants/real-path.ts';
import { allowsCommand } from '../grants/shell-grant.ts';
import type { HostMemory } from '../memory/host-memory.ts';
import { peerMemory } from '../memory/peer-memory.ts';
import { peerWeb } from '../network/web-requests.ts';
import type { HostPlugins } from '../plugins/host-plugins.ts';
import { peerPlugins } from '../plugins/peer-plugins.ts';
import type { Spawner } from '../spawn/spawner.ts';
import type { TurnFloor } from '../turn/turn-floor.ts';
import type { HostOptions } from './host-options.ts';
import type { HostPeer, PeerCaller, PeerSchedules } from './host-peer.ts';
import type { HostRoutines } from './host-routines.ts';
import { type HostSkills, peerSkills } from './peer-skills.ts';
import { summarizeBefore } from './summary.ts';

/** What of a host that has started its built-ins' questions need. */
export interface PeerFloor {
  readonly floor: TurnFloor;
  readonly spawner: Spawner;
  readonly routines: HostRoutines;
  readonly memory: HostMemory;
  readonly skills: HostSkills;
}

/** What the host hands to its built-in extensions; `started` answers undefined until there is a floor. */
export function builtinPeerOf(
  options: HostOptions,
  parts: {
    readonly secretVariables: readonly string[];
    readonly agents: Agents;
    readonly plugins: HostPlugins;
  },
  started: () => PeerFloor | undefined,
): HostPeer {
  const { env, platform, watchdog, random, bubblewrap } = options;
  const { secretVariables, agents, plugins } = parts;
  const here = (): PeerFloor => {
    const floor = started();
    if (floor === undefined) throw hostError('host_not_started');
    return floor;
  };
  return {
    async grants(caller) {
      const { floor } = here();
      const { place } = callOf(floor, caller);
      const grants = await grantsOf(floor, caller);
      return { ...grants, workspace: (await realPath(place.workspace, floor.links)) ?? place.workspace };
    },
    async path(caller, kind, path) {
      const { floor } = here();
      const { place } = callOf(floor, caller);
      const grants = await grantsOf(floor, caller);
      const verdict = await judgePath(grants, kind, path, place.workspace, floor.links);
      if (!verdict.isGranted) throw hostError('grant_denied', kind);
      return verdict.path;
    },
    async command(caller, line) {
      const { floor } = here();
      const read = commandLineOf(line);
      if (read.kind === 'empty') return [];
      const { shell } = await grantsOf(floor, caller);
      if (!allowsCommand(shell, read.argv)) throw hostError('grant_denied', 'shell');
      return read.argv;
    },
    childEnvironment: () =>
      filterEnvironment(env, [...sensitiveNames(secretVariables), ...runtimeNames()], platform),
    async compact(caller, summary) {
      const { floor } = here();
      const { place } = ownCallOf(floor, caller);
      if (place.turn === undefined) throw hostError('agent_required');
      await summarizeBefore(floor, {
        session: place.session,
        turn: place.turn.turn,
        by: place.from,
        summary,
      });
    },
    async spawn(caller, request) {
      try {
        const { floor, spawner } = here();
        const { call, place } = ownCallOf(floor, caller);
        const turn = floor.turns.of(caller.session);
        // A client's call that comes meanwhile has no part in what the turn may do.
        if (turn === undefined || place.turn?.turn !== turn.turn) throw hostError('agent_required');
        return await spawner.spawn(turn, call, request);
      } catch (error) {
        const { code, message } = error instanceof FairleadError ? error : hostError('turn_failed');
        return { certainty: 'not_started', code, text: message };
      }
    },
    async describeTool(caller, name) {
      const { place } = callOf(here().floor, caller);
      const { set } = place;
      const allowed = [...set.tools.values()].filter((tool) => place.allowed(tool));
      return describeTool(set, name, new Set(allowed.map((tool) => tool.name)));
    },
    schedules: peerSchedules(() => here().routines),
    memory: peerMemory(() => {
      const { floor, memory, skills } = here();
      const { agents: all, links, workspace } = floor;
      return { memory, agents: all, links, workspace, commands: skills.commands };
    }),
    skills: peerSkills(here),
    plugins: peerPlugins(plugins, {
      callOf: (caller: PeerCaller, args) => callOf(here().floor, caller, args),
      nameOf: async (agent) => (await agents.find(agent))?.name,
    }),
    web: peerWeb({
      ...{ settings: options.tables.web, env, clock: options.clock },
      grant: async (caller: PeerCaller) => (await grantsOf(here().floor, caller)).network,
    }),
    ...{ watchdog, platform, random },
    sandbox: bubblewrap === undefined ? {} : { bubblewrap },
    failedServers: options.failedServers ?? (() => 0),
  };
}

function expired(): FairleadError {
  return new FairleadError('context_expired', extensionErrors.context_expired.message);
}

/** The call that asks. One that has ended asks no more. */
function callOf(
  { running }: TurnFloor,
  { session, agent, tool }: PeerCaller,
  args?: JsonObject,
): RunningCall {
  const call = running.of(session, agent, tool, args);
  if (call === undefined) throw expired();
  return call;
}

/** That call and no other of the same tool. */
function ownCallOf({ running }: TurnFloor, { session, agent, tool, args }: PeerCaller): RunningCall {
  const call = running.own(session, agent, tool, args);
  if (call === undefined) throw expired();
  return call;
}

async function grantsOf(floor: TurnFloor, caller: PeerCaller): Promise<Grants> {
  const { place } = callOf(floor, caller);
  const tool = place.set.tools.get(caller.tool);
  if (tool === undefined) throw expired();
  return await place.grants(caller.tool, policyOfTool(floor, tool));
}

function peerSchedules(routines: () => HostRoutines): PeerSchedules {
  return {
    list: async (agent) => await routines().book.list(agent),
    add: async (agent, id, wish) => await routines().book.add(agent, id, wish),
    modify: async (agent, id, wish) => await routines().book.modify(agent, id, wish),
    remove: async (agent, id) => await routines().book.remove(agent, id),
    history: async (agent, id) => await routines().history(agent, id),
    fire: async (payload) => await routines().fireSchedule(payload),
  };
}
