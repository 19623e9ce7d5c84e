import { FairleadError, randomId } from '@fairlead/base';
import { hostError } from '../errors.ts';
import { spawnLimits } from '../limits.ts';
import { nextTurn, pendingWakes } from '../sessions/wakes.ts';
import { runTurn } from '../turn/run-turn.ts';
import type { RunningTurn } from '../turn/running-turns.ts';
import type { TurnFloor } from '../turn/turn-floor.ts';
import type { TurnOptions, TurnReport } from '../turn/turn-options.ts';
import { makeChildSession } from './child-session.ts';
import type { SpawnEnd, SpawnRequest } from './spawn.ts';
import { type TaskTaker, taskTaker } from './task-taker.ts';

export interface SpawnerPorts {
  readonly floor: TurnFloor;
  /** Holds a session for a turn; its signal cancels it. */
  readonly occupy: <T>(
    session: string,
    work: { readonly turn: string; readonly run: (signal: AbortSignal) => Promise<T> },
  ) => Promise<T>;
  readonly cancel: (session: string, reason: FairleadError) => Promise<boolean>;
  /** What went wrong where nobody waits. */
  readonly failed: (session: string, error: unknown) => void;
}

type Child = { readonly rootSession: string; readonly done: Promise<unknown> };

/** A child whose turn is on its way. */
type Task = {
  readonly session: string;
  readonly taker: TaskTaker;
  readonly request: SpawnRequest;
  begun: boolean;
};

const IGNORE = `UPDATE wakes SET state = 'ignored', reason = 'session_closed' WHERE session = ? AND state = 'pending'`;

/** Gives tasks of turns to other agents and to workers, each in a session of its own. Nothing of it runs after its root was cancelled. */
export class Spawner {
  readonly #ports: SpawnerPorts;
  readonly #children = new Map<string, Child>();
  /** By root: tasks that run, or are about to. */
  readonly #places = new Map<string, number>();
  /** By turn: how deep it and what it spawns may stand. */
  readonly #maxDepths = new Map<string, number>();

  constructor(ports: SpawnerPorts) {
    this.#ports = ports;
  }

  /** Gives a task, and waits for its end unless it is `async`. Never rejects. */
  async spawn(by: RunningTurn, call: string, request: SpawnRequest): Promise<SpawnEnd> {
    const { floor } = this.#ports;
    let taker: TaskTaker;
    let session: string;
    let leave: (() => void) | undefined;
    try {
      leave = this.#admit(by);
      taker = await taskTaker(floor, by, request);
      const { agent, worker } = taker;
      const source = `spawn:${worker === undefined ? agent.name : `worker:${worker.name}`}`;
      session = await makeChildSession(floor, { by, call, agent: agent.id, source, text: taskText(request) });
    } catch (error) {
      leave?.();
      return { certainty: 'not_started', ...faultOf(error) };
    }
    const task: Task = { session, taker, request, begun: false };
    const done = this.#run(by, task);
    const child = { rootSession: by.budget.rootSession, done };
    this.#children.set(session, child);
    const forget = () => {
      this.#children.delete(session);
      leave?.();
    };
    done.then(forget, forget);
    if (request.async) {
      done.catch((error: unknown) => this.#ports.failed(session, error));
      return {
        certainty: 'completed',
        session,
        text: `The task was given; it is done in session ${session}.`,
      };
    }
    return await this.#waited(task, done);
  }

  /** Cancels everything that the turns of a session gave away and that still runs, and waits for its end. False where there is nothing. */
  async cancelOf(rootSession: string, reason: FairleadError): Promise<boolean> {
    const running = [...this.#children].filter(([, child]) => child.rootSession === rootSession);
    await Promise.all(running.map(([session]) => this.#ports.cancel(session, reason)));
    return running.length > 0;
  }

  /** Whether a task runs there, or was given away from there. */
  isAt(session: string): boolean {
    return (
      this.#children.has(session) ||
      [...this.#children.values()].some(({ rootSession }) => rootSession === session)
    );
  }

  /** Resolves when no task is under way. */
  async quiet(): Promise<void> {
    while (this.#children.size > 0)
      await Promise.allSettled([...this.#children.values()].map(({ done }) => done));
  }

  /** Takes a place, before anything is waited for, so that no more get in at a time than there are; what it gives leaves it again. */
  #admit({ turn, depth, config, budget: { rootSession }, signal }: RunningTurn): () => void {
    if (signal.aborted) throw signal.reason;
    const limit = this.#maxDepths.get(turn) ?? config.maxDepth;
    if (depth >= limit) throw hostError('spawn_too_deep', `it may go ${limit} deep`);
    const taken = this.#places.get(rootSession) ?? 0;
    if (taken >= spawnLimits.running) throw hostError('spawn_too_many');
    this.#places.set(rootSession, taken + 1);
    return () => {
      const left = (this.#places.get(rootSession) ?? 1) - 1;
      if (left === 0) this.#places.delete(rootSession);
      else this.#places.set(rootSession, left);
    };
  }

  async #run(by: RunningTurn, task: Task): Promise<TurnReport> {
    const { session, taker } = task;
    const { floor, occupy } = this.#ports;
    const { sessions, agents, hub, events, store, owed, random } = floor;
    const off = events.route(session, by.budget.rootSession);
    const turn = randomId('trn_', random);
    try {
      const { config } = await agents.config(taker.agent.id);
      this.#maxDepths.set(
        turn,
        Math.min(this.#maxDepths.get(by.turn) ?? by.config.maxDepth, config.maxDepth),
      );
      const wakes = nextTurn(await pendingWakes(store, session))?.wakes ?? [];
      const options = optionsOf(by, task, { turn, wakes });
      const begun = () => {
        task.begun = true;
      };
      return await occupy(session, {
        turn,
        run: (signal) => runTurn(floor, { ...options, begun, signal: AbortSignal.any([signal, by.signal]) }),
      });
    } finally {
      this.#maxDepths.delete(turn);
      const failed = (error: unknown) => this.#ports.failed(session, error);
      const owes = (fault: unknown) => {
        if (fault !== undefined) failed(fault);
      };
      // Its turn closed it; one that could not begin never will. Nobody comes back to what a full disk refuses of it.
      await owed.writtenNow(session, () => sessions.close(session)).then(owes, failed);
      // What somebody said there meanwhile is answered by nobody.
      const ignored = [{ sql: IGNORE, parameters: [session] }];
      await owed.writtenNow(session, () => store.write(ignored)).then(owes, failed);
      await hub.closeSession(session).catch(failed);
      off();
    }
  }

  /** Until its end, or until nobody waits any more: then for as long as an answer still counts. */
  async #waited(task: Task, done: Promise<TurnReport>): Promise<SpawnEnd> {
    const { clock } = this.#ports.floor;
    const { session } = task;
    const { signal } = task.request;
    const { promise: late, resolve } = Promise.withResolvers<'late'>();
    const arm = () => void clock.setTimer(spawnLimits.settleMs, () => resolve('late'), { unref: true });
    if (signal.aborted) arm();
    else signal.addEventListener('abort', arm, { once: true });
    try {
      const end = await Promise.race([done, late]);
      return end === 'late' ? this.#stillRunning(session, done) : endOf(session, end);
    } catch (error) {
      return { certainty: task.begun ? 'outcome_unknown' : 'not_started', session, ...faultOf(error) };
    } finally {
      signal.removeEventListener('abort', arm);
    }
  }

  #stillRunning(session: string, done: Promise<TurnReport>): SpawnEnd {
    done.catch((error: unknown) => this.#ports.failed(session, error));
    const { code, message } = hostError('spawn_still_running');
    return { certainty: 'outcome_unknown', session, code, text: message };
  }
}

function optionsOf(
  by: RunningTurn,
  { session, taker, request }: Task,
  place: Pick<TurnOptions, 'turn' | 'wakes'>,
): Omit<TurnOptions, 'signal'> {
  const { agent, worker, model } = taker;
  const { maxIterations, tools } = request;
  return {
    ...{ ...place, session, agent, attended: by.attended, preApproved: by.preApproved },
    spawned: {
      ...{ by: by.turn, budget: by.budget, depth: by.depth + 1 },
      ...{ tools: [...by.tools, tools], profiles: by.profiles },
      ...(by.config.runners === undefined ? {} : { runners: by.config.runners }),
    },
    ...(worker === undefined ? {} : { worker }),
    ...(model === undefined ? {} : { model }),
    ...(maxIterations === undefined ? {} : { maxIterations }),
  };
}

function taskText({ task, context }: SpawnRequest): string {
  return context === undefined || context === '' ? task : `${task}\n\nContext: ${context}`;
}

/** However its turn ended, it ended: that is known. */
function endOf(session: string, { status, code, text }: TurnReport): SpawnEnd {
  const end = { certainty: 'completed', session } as const;
  if (status === 'completed' || status === 'silent')
    return { ...end, text: text === '' ? 'It was done without a word.' : text };
  return {
    ...end,
    code: code ?? `turn_${status}`,
    text: text === '' ? `Its turn ended as ${status}.` : text,
  };
}

function faultOf(error: unknown): { readonly code: string; readonly text: string } {
  const { code, message } = error instanceof FairleadError ? error : hostError('turn_failed');
  return { code, text: message };
}
