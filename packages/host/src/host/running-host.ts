import { FairleadError, randomId } from '@fairlead/base';
import type { HostedAgent } from '@fairlead/hub';
import type { Off } from '@fairlead/store';
import type { Agents } from '../agents/agents.ts';
import type { AgentTables } from '../agents/read-agents.ts';
import type { Seeded } from '../agents/seed-agents.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { CommandAnswer, CommandLineGiven } from '../commands/command-answer.ts';
import type { CommandPorts, Compacted, RunningTurn } from '../commands/ports.ts';
import type { RunningCommands } from '../commands/running-commands.ts';
import { hostError } from '../errors.ts';
import type { SessionEvents } from '../events/session-events.ts';
import type { Backend } from '../models/configuration/backend.ts';
import type { Models } from '../models/models.ts';
import type { HostPlugins } from '../plugins/host-plugins.ts';
import type { ScheduleLine } from '../routines/schedule-book.ts';
import type { HostState } from '../sessions/host-state.ts';
import { type NewMessage, type PostedEntry, postMessage } from '../sessions/post-entry.ts';
import type { Recovered } from '../sessions/recovery.ts';
import { type NewSession, nowMs, type Sessions } from '../sessions/sessions.ts';
import { unwritable } from '../sessions/unwritable.ts';
import { waitingSessions } from '../sessions/wakes.ts';
import type { Spawner } from '../spawn/spawner.ts';
import { runTurn } from '../turn/run-turn.ts';
import type { TurnFloor } from '../turn/turn-floor.ts';
import { ceilingWords } from '../usage/ceiling-words.ts';
import type { UsageLedger } from '../usage/usage-ledger.ts';
import type { AddedModels, AgentHost, AgentHostStatus, RunOptions, RunReport } from './agent-host.ts';
import { endsInTime } from './ends-in-time.ts';
import { saidOnce } from './first-words.ts';
import type { HostRoutines } from './host-routines.ts';
import { cutShortTurn } from './last-turn.ts';
import { runOnce } from './run-once.ts';
import type { Scheduler } from './scheduler.ts';
import type { StartOptions } from './start-host.ts';
import { summarize } from './summary.ts';
import type { Workspaces } from './workspaces.ts';

export interface RunningParts {
  readonly start: StartOptions;
  readonly floor: TurnFloor;
  readonly scheduler: Scheduler;
  readonly spawner: Spawner;
  readonly routines: HostRoutines;
  readonly workspaces: Workspaces;
  readonly commands: RunningCommands;
  readonly recovered: Recovered;
  readonly feed: Off;
  /** What the start opened, to be closed at the end. */
  readonly owned: AsyncDisposableStack;
}

/** The agents of a host at work. */
export class RunningHost implements AgentHost {
  readonly #parts: RunningParts;
  readonly floor: TurnFloor;
  #halt = new AbortController();
  #closing: Promise<void> | undefined;

  constructor(parts: RunningParts) {
    this.#parts = parts;
    this.floor = parts.floor;
    if (this.floor.state.pausedAtMs !== null) this.#halt.abort(hostError('host_paused'));
  }

  get agents(): Agents {
    return this.floor.agents;
  }

  get sessions(): Sessions {
    return this.floor.sessions;
  }

  get approvals(): Approvals {
    return this.floor.approvals;
  }

  get models(): Models {
    return this.floor.models;
  }

  get ledger(): UsageLedger {
    return this.floor.ledger;
  }

  get events(): SessionEvents {
    return this.floor.events;
  }

  get state(): HostState {
    return this.floor.state;
  }

  get plugins(): HostPlugins {
    return this.#parts.start.plugins;
  }

  get routines(): HostRoutines {
    return this.#parts.routines;
  }

  get recovered(): Recovered {
    return this.#parts.recovered;
  }

  get halted(): AbortSignal {
    return this.#halt.signal;
  }

  async post(message: NewMessage): Promise<PostedEntry> {
    const text = this.floor.leaks.configured(message.text);
    const posted = await postMessage(this.floor, { ...message, text });
    if (posted.woken.length > 0) this.#parts.scheduler.wake(message.session);
    return posted;
  }

  async runOnce(options: RunOptions): Promise<RunReport> {
    const report = await runOnce(this.floor, this.#parts.scheduler, options);
    // This host ends with its run: what it owes then is lost, and the next start would answer what was told as cancelled.
    if (this.#parts.start.alone && report.turn === null) await this.floor.owed.behind(options.session);
    // Who listens hears how it went before whoever asked hears that it is over.
    await this.events.caughtUp();
    return report;
  }

  async cancel(session: string): Promise<boolean> {
    return await this.#cancelIn(session, hostError('turn_cancelled'));
  }

  async continueTurn(session: string): Promise<{ readonly turn: string }> {
    const { floor } = this;
    const { scheduler, start } = this.#parts;
    if (scheduler.running(session) !== undefined) throw hostError('turn_running');
    const { turn: resumes, agent } = await cutShortTurn(floor, session);
    const turn = randomId('trn_', floor.random);
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    const flight = scheduler.occupy(session, {
      turn,
      run: (signal) => runTurn(floor, { turn, session, agent, wakes: [], resumes, begun: resolve, signal }),
    });
    await Promise.race([begun, flight]);
    flight.catch((error: unknown) => {
      const code = error instanceof FairleadError ? error.code : 'turn_failed';
      start.options.report({ level: 'error', code, message: 'A turn could not be ended.', session, turn });
    });
    return { turn };
  }

  async command(given: CommandLineGiven): Promise<CommandAnswer> {
    // Most starts of a host answer no line.
    const { runHostCommand } = await import('../commands/run-host-command.ts');
    return await runHostCommand(this.#commandPorts(), given);
  }

  async compact(session: string, { signal }: { readonly signal?: AbortSignal } = {}): Promise<Compacted> {
    const turn = randomId('trn_', this.floor.random);
    return await this.#parts.scheduler.occupy(session, {
      turn,
      run: async (own) => {
        const either = signal === undefined ? own : AbortSignal.any([own, signal]);
        return await summarize(this.floor, { session, turn, signal: either });
      },
    });
  }

  async schedules(): Promise<readonly { readonly agent: HostedAgent; readonly line: ScheduleLine }[]> {
    const planned: { readonly agent: HostedAgent; readonly line: ScheduleLine }[] = [];
    for (const { id, name, isHome } of await this.agents.list()) {
      if (!isHome) continue;
      for (const line of await this.routines.book.list(id)) planned.push({ agent: { id, name }, line });
    }
    return planned;
  }

  async pause(): Promise<boolean> {
    const { state, clock } = this.floor;
    const reason = hostError('host_paused');
    const pausing = state.pause(nowMs(clock));
    this.#halt.abort(reason);
    this.routines.engine.pause();
    const ends = this.#parts.scheduler.cancelAll(reason);
    // Whoever paused hears first whether that stands.
    ends.catch(() => {});
    const changed = await pausing;
    await endsInTime(clock, ends);
    return changed;
  }

  async resume(): Promise<boolean> {
    if (!(await this.floor.state.resume())) return false;
    // Somebody paused meanwhile, and that stands.
    if (this.floor.state.pausedAtMs !== null) return true;
    this.#halt = new AbortController();
    this.routines.engine.resume();
    await this.#wakeWaiting();
    return true;
  }

  async newSession(made: NewSession = {}): Promise<string> {
    const { workspaces } = this.#parts;
    if (made.workspace !== undefined) await workspaces.check(made.workspace);
    const session = await this.sessions.create(made);
    await workspaces.of(session);
    await this.openSession(session);
    return session;
  }

  async openSession(session: string): Promise<void> {
    await this.floor.hub.openSession(session);
    await this.routines.declareIn(session);
  }

  async closeSession(session: string): Promise<void> {
    // First, so that nothing begins there any more.
    await this.sessions.close(session);
    this.routines.leave(session);
    await this.#cancelIn(session, hostError('session_closed'));
    await this.floor.hub.closeSession(session);
  }

  async workspace(session: string): Promise<string> {
    return await this.#parts.workspaces.of(session);
  }

  running(session: string): RunningTurn | undefined {
    const turn = this.floor.turns.of(session);
    if (turn === undefined) return undefined;
    const said = this.events.state(session, turn.turn);
    const { state = 'model', tool } = said ?? {};
    return { turn: turn.turn, agent: turn.agent.id, state, ...(tool === undefined ? {} : { tool }) };
  }

  async reloadAgents(agent?: string): Promise<readonly Seeded[]> {
    const { options } = this.#parts.start;
    const tables = (await options.readAgentTables?.()) ?? options.tables.agents;
    if (agent === undefined) return await this.#seeded(tables);
    const agents = tables.agents.filter(({ name }) => name.toLowerCase() === agent.toLowerCase());
    if (agents.length === 0) throw hostError('agent_unknown');
    return await this.#seeded({ ...tables, agents });
  }

  async addModels(): Promise<AddedModels> {
    const { options, models, secretVariables } = this.#parts.start;
    const { model, ...tables } = (await options.readBackendTables?.()) ?? options.tables.backends;
    const isReady = (backend: Backend) =>
      backend.type === 'scripted' ||
      backend.apiKeyEnv === undefined ||
      secretVariables.includes(backend.apiKeyEnv);
    const known = new Set(models.list().map(({ name }) => name));
    const wasEmpty = known.size === 0;
    const ready = { ...tables, backends: tables.backends.filter(isReady) };
    const added = models.add(model === undefined ? ready : { ...ready, model });
    if (wasEmpty && added.length > 0)
      await this.#seeded((await options.readAgentTables?.()) ?? options.tables.agents);
    const later = tables.backends.filter((backend) => !isReady(backend)).map(({ name }) => name);
    return { added, later, words: added.length === 0 ? [] : await this.firstWords() };
  }

  async status(): Promise<AgentHostStatus> {
    const { store, approvals, turns, state } = this.floor;
    const running = turns.all().flatMap(({ session }) => {
      const turn = this.running(session);
      return turn === undefined ? [] : [{ ...turn, session }];
    });
    return {
      pausedAtMs: state.pausedAtMs,
      agents: (await this.agents.list()).filter(({ isHome }) => isHome).length,
      running,
      waiting: (await waitingSessions(store)).length,
      approvals: await approvals.openCount(),
    };
  }

  async firstWords(): Promise<readonly string[]> {
    return await saidOnce(this.floor.store, this.#ceilings());
  }

  async idle(): Promise<void> {
    const { scheduler, spawner, feed, start } = this.#parts;
    for (;;) {
      await this.routines.engine.idle();
      await scheduler.quiet();
      await spawner.quiet();
      await feed.caughtUp();
      const waits = start.alone || this.state.pausedAtMs !== null ? false : await this.#wakeWaiting();
      if (!waits && scheduler.busy().length === 0) return;
    }
  }

  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    const { scheduler, spawner, owned, start } = this.#parts;
    const reason = hostError('host_stopping');
    scheduler.stop();
    this.#halt.abort(reason);
    const ended = (async () => {
      // A turn whose end the disk does not take would wait for ever.
      await this.floor.owed.close();
      await Promise.all([scheduler.cancelAll(reason), this.routines.close()]);
      await spawner.quiet();
    })();
    if ((await endsInTime(this.floor.clock, ended)) === 'late') {
      const { code } = hostError('host_stopping');
      const message = 'Some turns did not end in time; the next start says so in their sessions.';
      start.options.report({ level: 'warn', code, message });
    }
    await owned.disposeAsync();
  }

  /** Cancels what runs in a session and what its turns gave to others. False where there is nothing. */
  async #cancelIn(session: string, reason: FairleadError): Promise<boolean> {
    const { scheduler, spawner } = this.#parts;
    const ends = Promise.all([scheduler.cancel(session, reason), spawner.cancelOf(session, reason)]);
    const ended = await endsInTime(this.floor.clock, ends);
    // Only what runs is late.
    return ended === 'late' || ended.includes(true);
  }

  /** What extensions declare for agents is declared for new ones, too. */
  async #seeded(tables: AgentTables): Promise<readonly Seeded[]> {
    const seeded = await this.#parts.start.seed(tables);
    await this.routines.declare();
    return seeded;
  }

  /** True where something waits that could be answered now. */
  async #wakeWaiting(): Promise<boolean> {
    const { scheduler } = this.#parts;
    let waits = false;
    for (const session of await waitingSessions(this.floor.store)) {
      const meta = await this.sessions.meta(session).catch(unwritable);
      if (meta === undefined || meta.parent !== undefined) continue;
      scheduler.wake(session);
      waits = true;
    }
    return waits;
  }

  #ceilings(): readonly string[] {
    const { usage } = this.#parts.start.options.tables;
    const unpriced = this.models
      .list()
      .flatMap(({ name, unpriced }) => unpriced.map((model) => `${name}/${model}`));
    return ceilingWords(usage, unpriced);
  }

  #commandPorts(): CommandPorts {
    const { peer, store, clock, agents, sessions, models, ledger, approvals, state, hub } = this.floor;
    const { leaks, policy } = this.floor;
    const { groups } = this.#parts.start.options.tables.agents;
    return {
      ...{ peer, store, clock, agents, sessions, models, ledger, approvals, state, hub, groups },
      ...{ leaks, policy, running: this.#parts.commands },
      ceilings: this.#ceilings(),
      host: this,
    };
  }
}
