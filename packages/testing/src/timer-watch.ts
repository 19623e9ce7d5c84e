/** Remembers where each global timer was set, while it watches. */
export type TimerWatch = {
  /** One line for each timer that still keeps the event loop alive. */
  left(): string[];
  /** Clears those, so that a failed test does not keep its file running. */
  clear(): void;
  /** Puts the global functions back. */
  stop(): void;
};

type SetTimer = typeof setTimeout | typeof setInterval;

/** Watches `setTimeout` and `setInterval`. Watches nest: stop them in reverse order. */
export function watchTimers(): TimerWatch {
  const places = new Map<NodeJS.Timeout, { readonly kind: string; readonly place: Error }>();
  const originals = { setTimeout: globalThis.setTimeout, setInterval: globalThis.setInterval };

  const watched = <F extends SetTimer>(kind: string, original: F): F => {
    const wrapper = (...args: unknown[]): NodeJS.Timeout => {
      const timer: NodeJS.Timeout = Reflect.apply(original, globalThis, args);
      const place: Error = { name: '', message: '' };
      Error.captureStackTrace(place, wrapper);
      places.set(timer, { kind, place });
      if (places.size > 10_000) prune();
      return timer;
    };
    // `util.promisify(setTimeout)` finds its other form among the function's own members.
    Object.defineProperties(wrapper, Object.getOwnPropertyDescriptors(original));
    return wrapper as unknown as F;
  };
  const prune = (): void => {
    for (const timer of places.keys()) if (!isActive(timer)) places.delete(timer);
  };

  globalThis.setTimeout = watched('setTimeout', originals.setTimeout);
  globalThis.setInterval = watched('setInterval', originals.setInterval);

  return {
    left() {
      prune();
      return [...places.values()].map(({ kind, place }) => `${kind} ${firstPlace(place)}`);
    },
    clear() {
      for (const timer of places.keys()) clearTimeout(timer);
    },
    stop() {
      Object.assign(globalThis, originals);
    },
  };
}

function isActive(timer: NodeJS.Timeout): boolean {
  return Reflect.get(timer, '_destroyed') !== true && timer.hasRef();
}

function firstPlace(place: Error): string {
  const frame = (place.stack ?? '').split('\n').find((line) => line.includes(' at '));
  return frame === undefined ? 'at an unknown place' : frame.trim();
}
