import { randomId } from '@fairlead/base';
import type { Hub } from '@fairlead/hub';
import type { Agents } from '../agents/agents.ts';
import type { AgentTables } from '../agents/read-agents.ts';
import type { Seeded } from '../agents/seed-agents.ts';
import { Approvals } from '../approvals/approvals.ts';
import { RunningCalls } from '../calls/running-calls.ts';
import { RunningCommands } from '../commands/running-commands.ts';
import { beyondText } from '../context/beyond-share.ts';
import { SessionEvents } from '../events/session-events.ts';
import { machineLinks } from '../grants/real-path.ts';
import type { LeakDetector } from '../leaks/leak-detector.ts';
import type { Models } from '../models/models.ts';
import { ModelCallGate } from '../models/step/model-call-gate.ts';
import type { HostPlugins } from '../plugins/host-plugins.ts';
import { standsForPlugin } from '../plugins/stands-for-plugin.ts';
import { RateLimiter } from '../policy/rate-limiter.ts';
import { seedSchedules } from '../routines/seed-schedules.ts';
import { HostState } from '../sessions/host-state.ts';
import { IdleSessions } from '../sessions/idle-sessions.ts';
import { OwedWrites } from '../sessions/owed-writes.ts';
import { recoverSessions } from '../sessions/recovery.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { unwritable } from '../sessions/unwritable.ts';
import { feedWakes } from '../sessions/wake-feed.ts';
import { Spawner } from '../spawn/spawner.ts';
import { Offers } from '../turn/offers.ts';
import { RunningTurns } from '../turn/running-turns.ts';
import type { TurnFloor } from '../turn/turn-floor.ts';
import { UsageLedger } from '../usage/usage-ledger.ts';
import type { PeerFloor } from './builtin-peer-of.ts';
import { hostMemory } from './host-memory.ts';
import type { HostOptions } from './host-options.ts';
import { HostRoutines } from './host-routines.ts';
import { hostSkills } from './peer-skills.ts';
import { runJob } from './run-job.ts';
import { RunningHost } from './running-host.ts';
import { Scheduler } from './scheduler.ts';
import { Workspaces } from './workspaces.ts';

export interface StartOptions {
  readonly options: HostOptions;
  readonly hub: Hub;
  readonly agents: Agents;
  readonly sessions: Sessions;
  readonly models: Models;
  readonly plugins: HostPlugins;
  readonly seed: (tables: AgentTables) => Promise<readonly Seeded[]>;
  /** Nothing is answered but what `runOnce` asks. */
  readonly alone: boolean;
  readonly secretVariables: readonly string[];
  /** It knows the values of those variables, and every other secret of the host. */
  readonly leaks: LeakDetector;
  /** Told before anything runs: the built-ins may ask from then on. */
  readonly built: (floor: PeerFloor) => void;
}

/** Lays the floor, brings what the start before left to its end, and begins to answer what waits. */
export async function startHost(start: StartOptions): Promise<RunningHost> {
  const { options, agents, sessions, alone, built, secretVariables } = start;
  await using stack = new AsyncDisposableStack();
  const workspaces = new Workspaces(options.stateDirectory, sessions);
  const floor = await floorOf(start, workspaces, stack);
  const { journal, report, random, clock } = options;
  const recovered = await recoverSessions(floor, { journal });
  const scheduler = new Scheduler({
    ...{ store: floor.store, owed: floor.owed, clock, claimedOnly: alone },
    newTurn: () => randomId('trn_', random),
    isPaused: () => floor.state.pausedAtMs !== null,
    // One that cannot be read now is asked about again; one that is gone is answered by nobody, which the turn says.
    isOwn: async (session) => (await sessions.meta(session).catch(unwritable))?.parent === undefined,
    run: (job, signal) => runJob(floor, job, signal, routines),
    failed: (session, error) => report({ level: 'error', ...saidOf(error), session }),
  });
  const routines = new HostRoutines({
    ...{ floor, report, zone: options.tables.usage.zone, limits: options.tables.usage.schedules },
    woken: (session) => scheduler.wake(session),
  });
  const spawner = new Spawner({
    floor,
    occupy: (session, work) => scheduler.occupy(session, work),
    cancel: (session, reason) => scheduler.cancel(session, reason),
    failed: (session, error) => report({ level: 'warn', ...saidOf(error), session }),
  });
  const commands = new RunningCommands();
  const skills = await hostSkills(options, floor, secretVariables, commands);
  const memory = await hostMemory(options, floor, stack);
  built({ floor, spawner, routines, memory, skills });
  for (const agent of await seedSchedules(agents, options.tables.schedules))
    report({
      level: 'warn',
      code: 'agent_unknown',
      message: `A schedule of fairlead.toml is for ${agent}, who is not here.`,
    });
  if (!alone) await routines.start();
  stack.defer(sessions.onIgnored((session) => scheduler.wake(session)));
  const feed = await feedWakes(floor, (session) => scheduler.wake(session));
  stack.defer(() => feed());
  const idle = new IdleSessions({
    ...{ clock, sessions, store: floor.store, hub: floor.hub },
    isBusy: (session) =>
      scheduler.isAt(session) ||
      spawner.isAt(session) ||
      floor.turns.of(session) !== undefined ||
      floor.owed.has(session) ||
      floor.events.attended(session),
    released: (session) => routines.released(session),
    failed: (error) => report({ level: 'warn', ...saidOf(error) }),
  });
  stack.defer(() => idle.close());
  // One that answers one message is over before anything was left for long.
  if (!alone) idle.start();
  const host = new RunningHost({
    ...{ start, floor, scheduler, spawner, routines, workspaces, commands, recovered, feed },
    owned: stack.move(),
  });
  if (!alone) for (const session of recovered.waiting) scheduler.wake(session);
  return host;
}

async function floorOf(
  { options, hub, agents, sessions, models, leaks, plugins }: StartOptions,
  workspaces: Workspaces,
  stack: AsyncDisposableStack,
): Promise<TurnFloor> {
  const { peer, store, clock, random, boot, journal, tables, authority, digestKey, touches } = options;
  const base = { peer, store, clock, agents, sessions, boot };
  const events = new SessionEvents(peer);
  await events.open();
  stack.defer(() => events.close());
  const approvals = new Approvals(base, random, {
    authority,
    told: (session, approval, state) => events.emit(session, { kind: 'approval', approval, state }),
  });
  stack.defer(() => approvals.close());
  const owed = new OwedWrites(clock);
  return {
    ...base,
    ...{ hub, journal, approvals, authority, digestKey, random, touches, models, events },
    state: await HostState.open(store),
    policy: tables.policy,
    rates: new RateLimiter(clock),
    leaks,
    links: machineLinks,
    stateDirectory: options.stateDirectory,
    ledger: await UsageLedger.open({ store, owed, clock, settings: tables.usage }),
    running: new RunningCalls(),
    owed,
    standsFor: (tool, args) => standsForPlugin(plugins, tool, args),
    gate: new ModelCallGate(tables.usage.modelCalls),
    turns: new RunningTurns(),
    offers: new Offers(),
    leftOut: ({ text, session, turn }) =>
      options.report({
        level: 'warn',
        code: 'context_left_out',
        message: beyondText(text),
        ...{ session, turn },
      }),
    workspace: (session) => workspaces.of(session),
  };
}

/** A fault of the store, or one of ours: its words are safe. Anything else is told by its name alone. */
function saidOf(error: unknown): { readonly code: string; readonly message: string } {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string')
    return { code: error.code, message: error.message };
  return { code: 'turn_failed', message: error instanceof Error ? error.name : 'a value was thrown' };
}
