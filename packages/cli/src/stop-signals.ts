/** The signals by which a person, npm or an init system ends a program. */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** The end of a long-running command: asked for once by whatever asks first. */
export type StopRequest = {
  /** Resolves when the end is asked for. */
  readonly asked: Promise<void>;
  /** Asks for it, as a signal would. */
  ask(): void;
  /** Stops listening to signals. */
  release(): void;
};

/** Listens to the process's signals. The second one no longer waits: it ends the process at once. */
export function stopOnSignals(): StopRequest {
  let asks = 0;
  let resolve: () => void = () => {};
  const asked = new Promise<void>((settle) => {
    resolve = settle;
  });
  const onSignal = () => {
    asks += 1;
    if (asks > 1) process.exit(130);
    resolve();
  };
  for (const signal of signals) process.on(signal, onSignal);
  return {
    asked,
    ask: resolve,
    release: () => {
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}
