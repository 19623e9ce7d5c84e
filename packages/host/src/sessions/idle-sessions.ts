import type { Clock, Timer } from '@fairlead/base';
import type { Hub } from '@fairlead/hub';
import type { Store } from '@fairlead/store';
import { idleLimits } from '../limits.ts';
import type { Sessions } from './sessions.ts';
import { waitingSessions } from './wakes.ts';

export interface IdleSessionsPorts {
  readonly clock: Clock;
  readonly store: Store;
  readonly hub: Pick<Hub, 'openSessions' | 'releaseSession'>;
  readonly sessions: Pick<Sessions, 'inMemory' | 'forget'>;
  /** Whether something goes on there, or somebody listens. Answered at once: it is asked again before anything is given back. */
  readonly isBusy: (session: string) => boolean;
  /** Nothing of it is in memory any more. */
  readonly released: (session: string) => void;
  /** A look that failed; the next one tries again. */
  readonly failed: (error: unknown) => void;
}

type Due = { readonly id: string; readonly unusedMs: number };

/**
 * Lets go of sessions in which nothing goes on: of their instances, then of their database. They are not closed by it, and whoever comes
 * has them opened again.
 */
export class IdleSessions {
  readonly #ports: IdleSessionsPorts;
  #timer: Timer | undefined;
  #sweeping: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(ports: IdleSessionsPorts) {
    this.#ports = ports;
  }

  /** Looks every now and then, until `close`. */
  start(): void {
    if (this.#isClosed) return;
    this.#timer = this.#ports.clock.setTimer(
      idleLimits.sweepMs,
      () => {
        this.#sweeping = this.sweep()
          .catch((error: unknown) => this.#ports.failed(error))
          .finally(() => this.start());
      },
      { unref: true },
    );
  }

  /** Resolves when a look that is under way has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#sweeping;
  }

  /** Lets go of what was left for long enough, and of what is more than there may be, the ones used longest ago first. */
  async sweep(): Promise<void> {
    const due = this.#due();
    if (due.length === 0) return;
    const waiting = new Set(await waitingSessions(this.#ports.store));
    const leaving = due.filter(({ id }) => !waiting.has(id));
    for (let from = 0; from < leaving.length && !this.#isClosed; from += idleLimits.atOnce)
      await Promise.all(leaving.slice(from, from + idleLimits.atOnce).map((one) => this.#release(one)));
  }

  #due(): readonly Due[] {
    const { clock, isBusy } = this.#ports;
    const now = clock.monotonicMs();
    const idle = [...this.#lastUses()]
      .filter(([id]) => !isBusy(id))
      .sort(([, one], [, other]) => one - other);
    const over = idle.length - idleLimits.kept;
    return idle
      .map(([id, usedMs], index) => {
        const unusedMs = index < over ? idleLimits.leastMs : idleLimits.releaseAfterMs;
        return { id, usedMs, unusedMs };
      })
      .filter(({ usedMs, unusedMs }) => now - usedMs >= unusedMs);
  }

  /** By session, whatever of it is in memory; those in use are not among them. */
  #lastUses(): ReadonlyMap<string, number> {
    const { hub, sessions } = this.#ports;
    const uses = new Map<string, number>();
    const inUse = new Set<string>();
    for (const { id, usedMs, isInUse } of [...hub.openSessions(), ...sessions.inMemory()]) {
      if (isInUse) inUse.add(id);
      uses.set(id, Math.max(usedMs, uses.get(id) ?? usedMs));
    }
    for (const id of inUse) uses.delete(id);
    return uses;
  }

  async #release({ id, unusedMs }: Due): Promise<void> {
    const { hub, sessions, isBusy, released } = this.#ports;
    if (isBusy(id) || !(await hub.releaseSession(id, { unusedMs }))) return;
    // Whatever came meanwhile has it opened again, and its handle is in use.
    if (!isBusy(id) && sessions.forget(id, { unusedMs })) released(id);
  }
}
