import { PassThrough, Writable } from 'node:stream';
import type { Exit, ProcessTree } from '@fairlead/process';
import { HostilePlugin } from '../src/hostile/hostile-plugin.ts';
import type { Scenario } from '../src/hostile/scenario.ts';
import type { Stage } from '../src/hostile/stage.ts';

/** What a staged process did beside answering. */
export type StagedEvents = { readonly spawned: string[] };

/** What only one staged process can hold: its number, or null where none does. */
export type StagedPort = { heldBy: number | null };

let nextPid = 4_200_000;

/**
 * The hostile plugin in this process: the same scenario on pipes of memory, without the weight of a child. What it starts is
 * only written down, and its number is no process's.
 */
export function stagedPlugin(
  { plays }: Scenario,
  options: {
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly record?: string;
    readonly port?: StagedPort;
  } = {},
): ProcessTree & { readonly events: StagedEvents; terminate(): void } {
  const stdout = new PassThrough({ highWaterMark: 1 << 30 });
  const stderr = new PassThrough({ highWaterMark: 1 << 30 });
  const timers = new Set<NodeJS.Timeout>();
  const events: StagedEvents = { spawned: [] };
  const port = options.port ?? { heldBy: null };
  nextPid += 1;
  const pid = nextPid;
  const exited = Promise.withResolvers<Exit>();
  let isOver = false;
  let isDeaf = false;
  let hearsSigterm = true;
  let stdinIsOpen = true;
  let stdoutIsHeld = false;
  const over = (exit: Exit): void => {
    if (isOver) return;
    isOver = true;
    if (port.heldBy === pid) port.heldBy = null;
    for (const timer of timers) clearTimeout(timer);
    if (!stdoutIsHeld) stdout.end();
    stderr.end();
    exited.resolve(exit);
  };
  const stage: Stage = {
    out: (data) => void (isOver || stdout.writableEnded || stdout.write(data)),
    err: (data) => void (isOver || stderr.write(data)),
    exit: (code) => over({ code, signal: null }),
    closeStdout: () => void stdout.end(),
    closeStdin: () => {
      stdinIsOpen = false;
    },
    stopReading: () => {
      isDeaf = true;
    },
    ignoreSigterm: () => {
      hearsSigterm = false;
    },
    later: (delayMs, then) => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        if (!isOver) then();
      }, delayMs);
      timers.add(timer);
    },
    spawn: (command, args, { holdsStdout = false, ended }) => {
      events.spawned.push([command, ...args].join(' '));
      stdoutIsHeld ||= holdsStdout;
      ended?.();
    },
    bindPort: (then) => {
      port.heldBy ??= pid;
      then(port.heldBy === pid);
    },
    exists: () => false,
    env: options.env ?? {},
    ownMark: String(pid),
    record: options.record ?? null,
  };
  const plugin = new HostilePlugin(stage, plays);
  const stdin = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!stdinIsOpen || isOver) done(new Error('EPIPE'));
      else {
        done();
        // As a pipe: what is written is read a moment later, each piece by itself.
        if (!isDeaf) setImmediate(() => void (isOver || plugin.read(chunk)));
      }
    },
    final(done) {
      done();
      setImmediate(() => void (isOver || plugin.end()));
    },
  });
  stdin.on('error', () => {});
  setImmediate(() => plugin.start());
  return {
    pid,
    stdin,
    stdout,
    stderr,
    exited: exited.promise,
    events,
    terminate: () => {
      if (hearsSigterm) over({ code: null, signal: 'SIGTERM' });
    },
    async end() {
      over({ code: null, signal: 'SIGKILL' });
      for (const stream of [stdin, stdout, stderr]) stream.destroy();
      return { survivors: 0 };
    },
  };
}
