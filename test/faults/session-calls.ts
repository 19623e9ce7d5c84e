import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@fairlead/base';
import { waitFor } from '@fairlead/testing';
import { modelOf } from './agent-configuration.ts';
import type { CallRow, JournalView } from './journal-view.ts';
import type { Fault } from './judge.ts';
import type { Execution } from './ledger.ts';
import type { AgentApi } from './paths/agent-api.ts';
import type { CallPlan } from './plan.ts';
import type { RoundNames } from './round-names.ts';
import { judgeSession } from './session-log.ts';
import type { Told } from './told.ts';

/** Where a call of a round stands besides the journal. */
type Trail = { readonly agent: string; readonly session: string; readonly schedule: string | null };

const READY_MS = 60_000;

/** The calls of one round that stand in sessions: what they need beforehand, where they are found, and what is held against what. */
export class SessionCalls {
  readonly #api: AgentApi;
  readonly #journal: JournalView;
  readonly #trails: ReadonlyMap<number, Trail>;
  readonly #acknowledged = new Set<number>();

  private constructor(api: AgentApi, journal: JournalView, trails: ReadonlyMap<number, Trail>) {
    this.#api = api;
    this.#journal = journal;
    this.#trails = trails;
  }

  /** Makes a session for each call that is to stand in one. */
  static async prepare(
    api: AgentApi,
    journal: JournalView,
    calls: readonly CallPlan[],
    names: RoundNames,
  ): Promise<SessionCalls> {
    const trails = new Map<number, Trail>();
    const standing = [...calls.entries()].filter(([, plan]) => standsInSession(plan));
    for (const [call, plan] of standing) {
      const agent = names.agents[call] as string;
      const session = await newSession(api, agent);
      if (plan.path === 'routine') {
        const model = modelOf(plan.way ?? 'binding', plan.tool);
        await api.patch(`/api/sessions/${session}`, { model });
      }
      const schedule = plan.path === 'routine' ? (names.calls[call] as string) : null;
      trails.set(call, { agent, session, schedule });
    }
    return new SessionCalls(api, journal, trails);
  }

  /** What a path is told of where its call goes. */
  placeOf(call: number): { readonly session?: string; readonly schedule?: string } {
    const trail = this.#trails.get(call);
    if (trail === undefined) return {};
    const { session, schedule } = trail;
    return schedule === null ? { session } : { session, schedule };
  }

  acknowledged(call: number): void {
    this.#acknowledged.add(call);
  }

  has(call: number): boolean {
    return this.#trails.has(call);
  }

  /** Its rows in the journal: those that were for the plugin, and the one that somebody was told of. */
  rowsOf(call: number, told: Told | undefined): readonly CallRow[] {
    const id = told?.kind === 'answered' ? told.call : null;
    return this.#rows(call).filter((row) => row.action === 'call' || row.id === id);
  }

  /** Waits until no turn, message or slot of the round can go on; a schedule that has not fired is taken away. False where that never came. */
  async settle(patienceMs: number): Promise<boolean> {
    try {
      await waitFor(() => this.#isIdle(), { what: 'the end of every turn', timeoutMs: patienceMs });
      for (const [call, { agent, session, schedule }] of this.#trails)
        if (schedule !== null && this.#journal.slotsOf(schedule).length === 0) {
          const line = `/schedule remove agent:${agent} ${schedule}`;
          const removed = await this.#api.command(session, line);
          // It stood there: nothing of it was lost.
          if (removed.kind === 'output') this.#acknowledged.delete(call);
        }
      await waitFor(() => this.#isIdle(), { what: 'the end of every turn', timeoutMs: patienceMs });
      return true;
    } catch {
      return false;
    }
  }

  /** Holds what the session of a call says against everything else that is known of it. */
  async judge(
    call: number,
    { told, executions }: { readonly told: Told; readonly executions: readonly Execution[] },
  ): Promise<readonly Fault[]> {
    const trail = this.#trails.get(call);
    if (trail === undefined) return [];
    const { schedule } = trail;
    const slots = schedule === null ? [] : this.#journal.slotsOf(schedule);
    const entries: JsonObject[] = [];
    let isReadable = true;
    for (const session of this.#sessionsOf(trail)) {
      const read = await this.#api.entries(session);
      if (read === null) isReadable = false;
      else entries.push(...read);
    }
    return judgeSession({
      call,
      entries: isReadable ? entries : null,
      rows: this.#rows(call),
      executions,
      told:
        told.kind === 'answered' && told.call !== null && !told.unsettled
          ? { call: told.call, certainty: told.certainty }
          : null,
      routine: schedule === null ? null : { slots, isAcknowledged: this.#acknowledged.has(call) },
    });
  }

  #isIdle(): boolean {
    try {
      return [...this.#trails.values()].every(
        (trail) =>
          this.#sessionsOf(trail).every((session) => this.#journal.isSessionIdle(session)) &&
          (trail.schedule === null ||
            this.#journal
              .slotsOf(trail.schedule)
              .every(({ state }) => state !== 'claimed' && state !== 'running')),
      );
    } catch {
      // Its gateway has just been started and holds it for a moment.
      return false;
    }
  }

  #rows(call: number): readonly CallRow[] {
    const trail = this.#trails.get(call);
    return trail === undefined
      ? []
      : this.#sessionsOf(trail).flatMap((session) => [...this.#journal.sessionCalls(session)]);
  }

  /** The one that was made for it, and the one that its schedule made. */
  #sessionsOf({ session, schedule }: Trail): readonly string[] {
    const made = schedule === null ? [] : this.#journal.slotsOf(schedule).map((slot) => slot.session);
    return [...new Set([session, ...made.filter((each) => each !== null)])];
  }
}

/** Whether a call stands in a session, by any path. */
function standsInSession({ path, recorded }: CallPlan): boolean {
  return path === 'turn' || path === 'routine' || recorded === true;
}

/** What an agent's script calls the plugin with; what the call really is about lies beside the plugin. */
export function isByAgent({ path }: Pick<CallPlan, 'path'>): boolean {
  return path === 'turn' || path === 'routine';
}

/** It stays there as long as the fleet does: an agent's call that comes late is still the one that it is. */
export function writeOrder(marks: string, agent: string, given: JsonObject): void {
  writeFileSync(join(marks, `${agent}.order`), JSON.stringify(given));
}

async function newSession(api: AgentApi, agent: string): Promise<string> {
  return await waitFor(
    async () => {
      const made = await api.post('/api/sessions', { agents: [agent] });
      return made.kind === 'output' ? String(made.output['id']) : null;
    },
    { what: `a session of ${agent}`, timeoutMs: READY_MS },
  );
}
