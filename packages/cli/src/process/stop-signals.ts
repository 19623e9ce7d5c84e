import type { Clock } from '@fairlead/base';
import { hostLimits } from '../limits.ts';

/** The signals by which a person, npm or an init system ends a program. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The end of a long-running command: asked for once by whatever asks first. */
export type StopRequest = {
  /** Resolves when the end is asked for. */
  readonly asked: Promise<void>;
  readonly isAsked: boolean;
  /** Asks for it, as a signal would. */
  ask(): void;
  /** Stops listening to signals. */
  release(): void;
};

/** Where signals come from and how the process ends at once; the running process has both. */
export type SignalSource = {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
  exit(code: number): void;
};

/**
 * Listens to the process's signals. A later one no longer waits: it ends the process at once, and the watchdog ends the
 * plugins. Under npm one Ctrl-C arrives twice, from the terminal and from npm: what comes within 750 ms is the same wish.
 */
export function stopOnSignals(clock: Clock, source: SignalSource = process): StopRequest {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  let isAsked = false;
  let firstSignalMs: number | null = null;
  const ask = () => {
    isAsked = true;
    resolve();
  };
  const onSignal = () => {
    firstSignalMs ??= clock.monotonicMs();
    if (clock.monotonicMs() - firstSignalMs > hostLimits.sameSignalMs) source.exit(130);
    ask();
  };
  for (const signal of signals) source.on(signal, onSignal);
  return {
    asked,
    get isAsked() {
      return isAsked;
    },
    ask,
    release: () => {
      for (const signal of signals) source.off(signal, onSignal);
    },
  };
}
