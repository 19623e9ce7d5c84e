import type { ScopeKind } from '@fairlead/extension';
import { EXTENSIONS_TABLE } from '../activation/activation-event.ts';
import { readActive, readOptOuts } from '../activation/active-set.ts';
import { hubError } from '../errors.ts';
import type { Roster } from '../install/roster.ts';
import type { Instances } from '../instances/instances.ts';
import type { InstanceScope } from '../instances/live-instance.ts';
import { liveLimits } from '../limits.ts';
import { buildSnapshot } from './build-snapshot.ts';
import type { CachedSet, SetVersion } from './cached-set.ts';
import type { Engine } from './engine.ts';
import type { LiveAgent } from './live-agent.ts';
import type { LiveSession } from './live-session.ts';
import { type LiveSet, LiveSetLease } from './live-set.ts';
import type { LiveSnapshot } from './live-snapshot.ts';
import { PreparedInstances } from './prepared-instance.ts';

export interface LiveSetsParts {
  readonly engine: Engine;
  readonly roster: Pick<Roster, 'generation' | 'all' | 'failed' | 'orderOf'>;
  readonly instances: Pick<
    Instances,
    'ensure' | 'of' | 'failureOf' | 'nextRetryMs' | 'pin' | 'narrow' | 'evictions'
  >;
}

/**
 * Builds live sets, and keeps the newest one of each session and agent until something that it was built from has moved: the
 * extensions, an instance, a log, by whoever it was written.
 */
export class LiveSets {
  readonly prepared = new PreparedInstances();
  readonly #engine: Engine;
  readonly #roster: LiveSetsParts['roster'];
  readonly #instances: LiveSetsParts['instances'];

  constructor({ engine, roster, instances }: LiveSetsParts) {
    this.#engine = engine;
    this.#roster = roster;
    this.#instances = instances;
  }

  /**
   * Leases the live set of now, at once where nothing has moved. Rejects with `session_not_open`, or with a code of the store
   * where a log cannot be read.
   */
  lease(session: LiveSession, agent: LiveAgent | undefined): LiveSet | Promise<LiveSet> {
    const cached = session.sets.get(agent?.view.id ?? '');
    if (cached !== undefined && this.#holds(cached, session, agent))
      return new LiveSetLease(
        cached.snapshot,
        session,
        cached.snapshot.isOwn ? this.#pin(session, agent) : undefined,
      );
    const release = this.#pin(session, agent);
    // Until there is a lease that does it.
    session.hold();
    return this.#fresh(session, agent)
      .then(
        (snapshot) => new LiveSetLease(snapshot, session, release),
        (error: unknown) => {
          release();
          throw error;
        },
      )
      .finally(() => session.drop());
  }

  /** From before the first look at instances until the lease ends, none of them is evicted. */
  #pin(session: LiveSession, agent: LiveAgent | undefined): () => void {
    const ofSession = this.#instances.pin(session.scope);
    if (agent === undefined) return ofSession;
    const ofAgent = this.#instances.pin(agent.scope);
    return () => {
      ofSession();
      ofAgent();
    };
  }

  #holds(
    { version, agentName, retryMs }: CachedSet,
    session: LiveSession,
    agent: LiveAgent | undefined,
  ): boolean {
    return (
      version.generation === this.#roster.generation &&
      version.evictions === this.#instances.evictions &&
      version.session === session.database.changes(EXTENSIONS_TABLE) &&
      (agent === undefined || version.agent === agent.database.changes(EXTENSIONS_TABLE)) &&
      agentName === agent?.view.name &&
      (retryMs === undefined || this.#engine.clock.monotonicMs() < retryMs)
    );
  }

  /** One building at a time for each session and agent. Whoever joins late gets what it would have built itself. */
  #fresh(session: LiveSession, agent: LiveAgent | undefined): Promise<LiveSnapshot> {
    const key = agent?.view.id ?? '';
    const running = session.building.get(key);
    if (running !== undefined) return running;
    const building = this.#build(session, agent).catch((error: unknown) => {
      session.building.delete(key);
      throw error;
    });
    session.building.set(key, building);
    return building;
  }

  async #build(session: LiveSession, agent: LiveAgent | undefined): Promise<LiveSnapshot> {
    for (let round = 1; ; round += 1) {
      const version = this.#version(session, agent);
      const fold = { names: this.#names(), report: this.#engine.report };
      const active = await readActive(session.database, fold);
      const optOuts = agent === undefined ? NONE : await readOptOuts(agent.database, fold);
      await this.#ensure(session, agent, { active, optOuts });
      if (session.isClosing) throw hubError('session_not_open', session.id);
      const hasMoved = !isSame(version, this.#version(session, agent));
      if (hasMoved && round < liveLimits.rebuilds) continue;
      // By the numbers from before the logs were read: what moved since is seen at the next lease.
      const snapshot = this.#put(session, agent, { active, optOuts, version });
      // Within one turn of the loop with the comparison, so that nobody joins a building that is over.
      session.building.delete(agent?.view.id ?? '');
      session.sets.set(agent?.view.id ?? '', {
        snapshot,
        version,
        agentName: agent?.view.name,
        retryMs: this.#retryMs(session, agent),
      });
      return snapshot;
    }
  }

  /** Whose switches count here: those of what is installed. */
  #names(): readonly string[] {
    return [...this.#roster.all(), ...this.#roster.failed()].map(({ name }) => name);
  }

  /** Every instance that takes part. Those that do not any more are evicted when nobody holds them. */
  async #ensure(
    session: LiveSession,
    agent: LiveAgent | undefined,
    { active, optOuts }: Switches,
  ): Promise<void> {
    const on = new Set(active.keys());
    const ensured = [this.#instances.ensure('global', on), this.#instances.ensure(session.scope, on)];
    void this.#instances.narrow(session.scope, on);
    if (agent !== undefined) {
      const ofAgent = this.#agentNames(optOuts);
      ensured.push(this.#instances.ensure(agent.scope, new Set([...ofAgent].filter((name) => on.has(name)))));
      void this.#instances.narrow(agent.scope, ofAgent);
    }
    await Promise.all(ensured);
  }

  /** What an agent's instances stay for: what it has not opted out of, and commands, which no opt-out hides. */
  #agentNames(optOuts: ReadonlySet<string>): Set<string> {
    const names = new Set<string>();
    for (const { name, manifest } of this.#roster.all())
      if (!optOuts.has(name) || manifest.commands.some(({ scope }) => scope === 'agent')) names.add(name);
    return names;
  }

  #put(
    session: LiveSession,
    agent: LiveAgent | undefined,
    { active, optOuts, version }: Switches & { readonly version: SetVersion },
  ): LiveSnapshot {
    const scopes: Readonly<Record<ScopeKind, InstanceScope | undefined>> = {
      global: 'global',
      agent: agent === undefined ? undefined : agent.scope,
      session: session.scope,
    };
    const of = (kind: ScopeKind) => {
      const scope = scopes[kind];
      return scope === undefined ? [] : this.#instances.of(scope);
    };
    return buildSnapshot({
      version: versionText(version),
      engine: this.#engine,
      session,
      agent,
      installed: this.#roster.all(),
      failed: this.#roster
        .failed()
        .map((row) => ({ ...row, order: this.#roster.orderOf(row.name) ?? Number.POSITIVE_INFINITY })),
      active,
      optOuts,
      instances: { global: of('global'), agent: of('agent'), session: of('session') },
      prepared: this.prepared,
      failureOf: (name, kind) => {
        const scope = scopes[kind];
        return scope === undefined ? undefined : this.#instances.failureOf(name, scope);
      },
    });
  }

  #version(session: LiveSession, agent: LiveAgent | undefined): SetVersion {
    return {
      generation: this.#roster.generation,
      evictions: this.#instances.evictions,
      session: session.database.changes(EXTENSIONS_TABLE),
      agent: agent?.database.changes(EXTENSIONS_TABLE) ?? 0,
    };
  }

  #retryMs(session: LiveSession, agent: LiveAgent | undefined): number | undefined {
    const due = [
      this.#instances.nextRetryMs('global'),
      this.#instances.nextRetryMs(session.scope),
      agent === undefined ? undefined : this.#instances.nextRetryMs(agent.scope),
    ].filter((ms) => ms !== undefined);
    return due.length === 0 ? undefined : Math.min(...due);
  }
}

interface Switches {
  readonly active: ReadonlyMap<string, unknown>;
  readonly optOuts: ReadonlySet<string>;
}

const NONE: ReadonlySet<string> = new Set();

function isSame(one: SetVersion, other: SetVersion): boolean {
  return (
    one.generation === other.generation &&
    one.evictions === other.evictions &&
    one.session === other.session &&
    one.agent === other.agent
  );
}

function versionText({ generation, evictions, session, agent }: SetVersion): string {
  return `${generation}.${evictions}.${session}.${agent}`;
}
