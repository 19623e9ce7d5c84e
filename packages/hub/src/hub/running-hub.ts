import { type Clock, FairleadError, type Json } from '@fairlead/base';
import type { CallOutcome } from '@fairlead/extension/runtime';
import type { Peer } from '@fairlead/store';
import { type Missing, readMissing } from '../activation/read-missing.ts';
import type { AgentDirectory, HostedAgent } from '../agent-state/agent-directory.ts';
import { dispatchRoutine, type RoutinePlace } from '../dispatch/dispatch-routine.ts';
import { hubError } from '../errors.ts';
import type { ExtensionsPorts } from '../extensions-command/ports.ts';
import type { Failure } from '../failures/failure.ts';
import type { FailureBook } from '../failures/failure-book.ts';
import { faultOf } from '../failures/fault.ts';
import type { ExtensionSource } from '../install/extension-source.ts';
import type { InstallReport, ReplaceReport, UnloadReport } from '../install/install-report.ts';
import type { Registry } from '../install/registry.ts';
import type { Roster } from '../install/roster.ts';
import type { Instances } from '../instances/instances.ts';
import type { Engine } from '../live/engine.ts';
import type { LiveSet } from '../live/live-set.ts';
import type { LiveSets } from '../live/live-sets.ts';
import type { Waiting } from '../live/members.ts';
import type { Outputs, SessionOutputs } from '../outputs/outputs.ts';
import type { Report } from '../report.ts';
import type { SettingsBook } from '../settings/settings-book.ts';
import { type ExtensionRow, rowOfFailed, rowOfInstalled } from './extension-row.ts';
import type { Hub, OpenedSession, RoutineFiring, RoutineScope, SessionUse } from './hub.ts';
import type { LiveAgents } from './live-agents.ts';
import type { OpenSessions } from './open-sessions.ts';
import { publishStatus } from './publish-status.ts';

export interface RunningHubParts {
  readonly peer: Peer;
  readonly clock: Clock;
  readonly directory: AgentDirectory;
  readonly engine: Engine;
  readonly settings: SettingsBook;
  readonly failures: FailureBook;
  readonly roster: Roster;
  readonly instances: Instances;
  readonly registry: Registry;
  readonly sets: LiveSets;
  readonly outputs: Outputs;
  readonly sessions: OpenSessions;
  readonly agents: LiveAgents;
  readonly report: Report;
  readonly started: InstallReport;
}

type Place = { readonly session: string; readonly agent?: HostedAgent | string };

export class RunningHub implements Hub {
  readonly started: InstallReport;
  readonly settings: SettingsBook;
  readonly commandPorts: ExtensionsPorts;
  readonly #parts: RunningHubParts;
  readonly #installed = new Set<() => void>();
  #closed: Promise<void> | undefined;

  constructor(parts: RunningHubParts) {
    this.#parts = parts;
    this.started = parts.started;
    this.settings = parts.settings;
    const { peer, clock, directory, settings, roster, failures } = parts;
    this.commandPorts = {
      peerId: peer.peerId,
      clock,
      agents: directory,
      settings,
      installed: () => roster.all(),
      failed: () => roster.failed(),
      failures: () => failures.all(),
      waiting: (session, agent) => this.#waiting(session, agent),
    };
  }

  async install(sources: readonly ExtensionSource[]): Promise<InstallReport> {
    const report = await this.#parts.registry.install(sources);
    for (const listener of this.#installed) listener();
    return report;
  }

  async replace(name: string, source: ExtensionSource): Promise<ReplaceReport> {
    const report = await this.#parts.registry.replace(name, source);
    for (const listener of this.#installed) listener();
    return report;
  }

  onInstalled(listener: () => void): () => void {
    this.#installed.add(listener);
    return () => void this.#installed.delete(listener);
  }

  unload(name: string): Promise<UnloadReport> {
    return this.#parts.registry.unload(name);
  }

  async openSession(id: string): Promise<OpenedSession> {
    this.#checkOpen();
    return await this.#parts.sessions.open(id);
  }

  closeSession(id: string): Promise<void> {
    return this.#parts.sessions.close(id);
  }

  openSessions(): readonly SessionUse[] {
    return this.#parts.sessions.uses();
  }

  releaseSession(id: string, { unusedMs }: { readonly unusedMs: number }): Promise<boolean> {
    return this.#parts.sessions.release(id, unusedMs);
  }

  async unloadAgent(id: string): Promise<void> {
    const { agents, instances, sessions, settings } = this.#parts;
    const agent = agents.forget(id);
    sessions.forgetAgent(id);
    settings.forget(id);
    await instances.close(agent?.scope ?? { kind: 'agent', key: id, name: id });
  }

  async liveSet({ session, agent }: Place): Promise<LiveSet> {
    this.#checkOpen();
    const { sessions, agents, sets } = this.#parts;
    const found = sessions.of(session);
    const live = found instanceof Promise ? await found : found;
    if (agent === undefined) return sets.lease(live, undefined);
    const hosted = agents.of(agent);
    return sets.lease(live, hosted instanceof Promise ? await hosted : hosted);
  }

  async dispatchRoutine({ scope, ...firing }: RoutineFiring): Promise<CallOutcome<Json>> {
    let place: RoutinePlace;
    try {
      this.#checkOpen();
      place = await this.#placeOf(scope);
    } catch (error) {
      const { code, reason } = faultOf(error, 'session_not_open');
      return { certainty: 'not_started', fault: { code, message: reason } };
    }
    return await dispatchRoutine(this.#parts, { ...firing, place });
  }

  async publish({ session, agent }: Place): Promise<number> {
    this.#checkOpen();
    const { sessions, agents } = this.#parts;
    const live = await sessions.of(session);
    return await publishStatus(this.#parts, live, agent === undefined ? undefined : await agents.of(agent));
  }

  extensions(): readonly ExtensionRow[] {
    const { roster, failures } = this.#parts;
    const byName = Map.groupBy(failures.all(), ({ name }) => name);
    const rows = [
      ...roster.all().map((one) => rowOfInstalled(one, byName.get(one.name) ?? [])),
      ...roster.failed().map((one) => rowOfFailed(one, byName.get(one.name) ?? [])),
    ];
    const place = ({ name }: ExtensionRow) => roster.orderOf(name) ?? Number.POSITIVE_INFINITY;
    return rows.sort((one, other) => place(one) - place(other));
  }

  failures(): readonly Failure[] {
    return this.#parts.failures.all();
  }

  outputs(session: string): Promise<SessionOutputs> {
    return this.#parts.outputs.of(session);
  }

  async missing(session: string): Promise<Missing> {
    const { sessions, roster, report } = this.#parts;
    return await sessions.use(session, (database) => readMissing(database, roster, { report }));
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    const { sessions, agents, registry, engine, failures } = this.#parts;
    await sessions.closeAll();
    await Promise.all(agents.all().map(({ view }) => this.unloadAgent(view.id)));
    await registry.close();
    engine.wheel.close();
    await failures.flush();
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw hubError('hub_closed');
  }

  async #placeOf(scope: RoutineScope): Promise<RoutinePlace> {
    const { sessions, agents } = this.#parts;
    switch (scope.kind) {
      case 'global':
        return { kind: 'global' };
      case 'agent':
        return { kind: 'agent', agent: await agents.of(scope.agent) };
      case 'session':
        return { kind: 'session', session: await sessions.of(scope.session) };
    }
  }

  async #waiting(session: string, agent: string | undefined): Promise<readonly Waiting[]> {
    if (!this.#parts.sessions.isOpen(session)) return [];
    try {
      using set = await this.liveSet(agent === undefined ? { session } : { session, agent });
      return set.waiting;
    } catch (error) {
      // It closes meanwhile, or its agent is another peer's.
      if (error instanceof FairleadError && NOT_LIVE.has(error.code)) return [];
      throw error;
    }
  }
}

const NOT_LIVE: ReadonlySet<string> = new Set(['session_not_open', 'agent_not_here', 'hub_closed']);
