import type { FairleadError } from '@fairlead/base';
import { hostError } from '../errors.ts';

/** Work that holds a session: a turn, mostly. */
export interface LaneWork<T> {
  /** The turn, by its id. */
  readonly turn: string;
  readonly run: (signal: AbortSignal) => Promise<T>;
}

type Running = { readonly turn: string; readonly controller: AbortController; readonly done: Promise<void> };

/** One session: at most one turn at a time. */
export class TurnLane {
  #running: Running | undefined;
  #section: Promise<unknown> = Promise.resolve();

  /** The turn that holds it. */
  get turn(): string | undefined {
    return this.#running?.turn;
  }

  /** Resolves when what runs now has ended. */
  get ended(): Promise<void> {
    return this.#running?.done ?? Promise.resolve();
  }

  /** One after the other: what decides what runs next, and what must be seen by it. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#section;
    const flight = before.then(work, work);
    this.#section = flight.catch(() => {});
    return await flight;
  }

  /** Holds the session from this moment until the work has ended. Rejects with `turn_running` where something else holds it. */
  async occupy<T>({ turn, run }: LaneWork<T>): Promise<T> {
    if (this.#running !== undefined) throw hostError('turn_running');
    const controller = new AbortController();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#running = { turn, controller, done: promise };
    try {
      return await run(controller.signal);
    } finally {
      this.#running = undefined;
      resolve();
    }
  }

  /** Cancels what runs, or that one turn alone; `ended` says when. False where it does not run. */
  cancel(reason: FairleadError, turn?: string): boolean {
    const running = this.#running;
    if (running === undefined || (turn !== undefined && running.turn !== turn)) return false;
    running.controller.abort(reason);
    return true;
  }
}
