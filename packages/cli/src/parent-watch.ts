import { readFileSync } from 'node:fs';
import type { Clock } from '@fairlead/base';

/** A process as the kernel knows it: a number alone may be reused, a number with its start time may not. */
type ProcessIdentity = {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  readonly startTime: string;
};

/** Reads one process; null when it is gone or a zombie, or where the platform has no `/proc`. */
export type ReadProcess = (pid: number) => ProcessIdentity | null;

const shells: ReadonlySet<string> = new Set(['sh', 'dash', 'bash', 'ash', 'busybox', 'zsh']);
const pollMs = 400;

/** Reads `/proc/PID/stat`. The name stands in parentheses and may hold any character, so fields count from the last one. */
export function readProcessFromProc(pid: number): ProcessIdentity | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const nameEnd = stat.lastIndexOf(')');
    const fields = stat.slice(nameEnd + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    return {
      pid,
      name: stat.slice(stat.indexOf('(') + 1, nameEnd),
      parent: Number(fields[1]),
      startTime: fields[19] ?? '',
    };
  } catch {
    return null;
  }
}

/**
 * Under npm or npx a terminal's signals reach npm first, and a SIGKILL of npm reaches nobody else. This watches the npm
 * process (the parent, or its parent where that is a shell) and calls `onGone` once, within a second of its end.
 * Returns a function that stops watching; does nothing when not under npm.
 */
export function watchNpm(options: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly parentPid: () => number;
  readonly clock: Clock;
  readonly onGone: () => void;
  readonly read?: ReadProcess;
}): () => void {
  const { env, parentPid, clock, onGone } = options;
  const read = options.read ?? readProcessFromProc;
  if (env['npm_command'] === undefined && env['npm_execpath'] === undefined) return () => {};
  const firstParent = parentPid();
  const watched: ProcessIdentity[] = [];
  const parent = read(firstParent);
  if (parent !== null) {
    watched.push(parent);
    const grandparent = shells.has(parent.name) ? read(parent.parent) : null;
    if (grandparent !== null) watched.push(grandparent);
  }
  const gone = () =>
    parentPid() !== firstParent ||
    watched.some((process) => read(process.pid)?.startTime !== process.startTime);
  let timer = clock.setTimer(pollMs, poll, { unref: true });
  function poll(): void {
    if (gone()) onGone();
    else timer = clock.setTimer(pollMs, poll, { unref: true });
  }
  return () => timer.cancel();
}
