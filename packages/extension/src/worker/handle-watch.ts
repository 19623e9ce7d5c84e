import { AsyncLocalStorage, createHook, executionAsyncId } from 'node:async_hooks';
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/** Names what an extension opened by itself and did not end. */
export interface HandleWatch {
  /** Runs a piece of the extension: what it opens, now or in what it goes on to do, is watched. */
  run<T>(piece: () => T): T;
  /** Runs something that is not the extension's, inside of such a piece. */
  outside<T>(piece: () => T): T;
  /** One line for each timer, socket, server, process … that is still open, with the place that opened it. */
  left(): Promise<string[]>;
  stop(): void;
}

/** What keeps running or keeps the process alive, as Node names it, and as people do. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['Timeout', 'timer'],
  ['TCPSERVERWRAP', 'TCP server'],
  ['TCPWRAP', 'TCP socket'],
  ['PIPESERVERWRAP', 'pipe server'],
  ['PIPEWRAP', 'pipe'],
  ['UDPWRAP', 'UDP socket'],
  ['PROCESSWRAP', 'child process'],
  ['FSEVENTWRAP', 'file watcher'],
  ['STATWATCHER', 'file watcher'],
  ['FILEHANDLE', 'file'],
  ['SIGNALWRAP', 'signal handler'],
  ['WORKER', 'worker'],
  ['MESSAGEPORT', 'message port'],
  ['HTTPCLIENTREQUEST', 'HTTP request'],
]);

/** Steps between a call and the handle that it opens later: a server listens after its name was looked up. */
const STEPS: ReadonlySet<string> = new Set([
  'TickObject',
  'Immediate',
  'GETADDRINFOREQWRAP',
  'FSREQCALLBACK',
]);

interface Opened {
  readonly kind: string;
  readonly place: string;
}

/** Handles end a few turns after they are told to: so many pauses of 10 ms, while something is left. */
const PAUSES = 20;

/** Watches handles from now on. `everything` watches the whole thread, for one that runs nothing but an extension. */
export function watchHandles(options: { readonly everything?: boolean } = {}): HandleWatch {
  const { everything = false } = options;
  const inside = new AsyncLocalStorage<boolean>();
  const opened = new Map<number, Opened>();
  const steps = new Map<number, string>();
  const hook = createHook({
    init(id, type) {
      const kind = KINDS.get(type);
      if (kind === undefined && !STEPS.has(type)) return;
      if ((inside.getStore() ?? everything) !== true) return;
      // What has no place of its own or of the step before it was not opened by the extension's code.
      const place = placeOf(new Error().stack ?? '') ?? steps.get(executionAsyncId());
      if (place === undefined) return;
      if (kind === undefined) steps.set(id, place);
      else opened.set(id, { kind, place });
    },
    destroy(id) {
      opened.delete(id);
      steps.delete(id);
    },
  }).enable();
  return {
    run: (piece) => inside.run(true, piece),
    outside: (piece) => inside.run(false, piece),
    async left() {
      await inside.run(false, () => nextTurn());
      for (let pauses = 0; opened.size > 0 && pauses < PAUSES; pauses += 1)
        await inside.run(false, () => pause(10));
      return [...opened.values()].map(({ kind, place }) => `${kind} opened at ${place}`);
    },
    stop: () => void hook.disable(),
  };
}

/** The first frame of a stack that is neither Node's nor this package's; undefined where there is none. */
function placeOf(stack: string): string | undefined {
  for (const line of stack.split('\n').slice(1)) {
    const [, file, position] = FRAME.exec(line) ?? [];
    if (file === undefined || position === undefined || file.includes(OWN)) continue;
    return `${file.split('/').at(-1)}:${position}`;
  }
  return undefined;
}

/** A file and a place in it, at the end of a line of a stack. Node's own have no path. */
const FRAME = /(?:\(|\bat (?:async )?)((?:file:\/\/\/|\/|[A-Z]:\\)[^()]*):(\d+:\d+)\)?$/;

/** This package's own folder, whether it runs from `src` or from `dist`. */
const OWN = new URL('..', import.meta.url).pathname;
