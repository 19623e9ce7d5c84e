import { readFileSync } from 'node:fs';
import type { Clock } from '@fairlead/base';
import { hostLimits } from '../limits.ts';

/** A process as the kernel knows it: a number alone may be reused, a number with its start time may not. */
export type ProcessIdentity = {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  readonly startTime: string;
};

/** Reads one process; null when it is gone or a zombie, or where the platform has no `/proc`. */
export type ReadProcess = (pid: number) => ProcessIdentity | null;

const shells: ReadonlySet<string> = new Set(['sh', 'dash', 'bash', 'ash', 'busybox', 'zsh']);

/**
 * Under npm or npx a terminal's signals reach npm first, and a SIGKILL of npm reaches nobody else. This watches the npm
 * process (the parent, or its parent where that is a shell) and calls `onGone` once, within a second of its end; at
 * once where it ended before this was called. Returns a function that stops watching; does nothing when not under npm.
 */
export function watchNpm(options: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  readonly parentPid: () => number;
  readonly clock: Clock;
  readonly onGone: () => void;
  readonly read?: ReadProcess;
}): () => void {
  const { env, pid, parentPid, clock, onGone, read = readProcessFromProc } = options;
  if (env['npm_command'] === undefined && env['npm_execpath'] === undefined) return () => {};
  const firstParent = parentPid();
  const parent = read(firstParent);
  const grandparentPid = parent !== null && shells.has(parent.name) ? parent.parent : null;
  const watched = [parent, grandparentPid === null ? null : read(grandparentPid)].filter(
    (one) => one !== null,
  );
  const launched = launchedBy(env, pid);
  const isLate =
    launched !== null &&
    (launched.parent !== firstParent ||
      (grandparentPid !== null && launched.grandparent !== null && launched.grandparent !== grandparentPid));
  if (isLate) {
    onGone();
    return () => {};
  }
  const isGone = () =>
    parentPid() !== firstParent || watched.some((one) => read(one.pid)?.startTime !== one.startTime);
  let timer = clock.setTimer(hostLimits.parentPollMs, poll, { unref: true });
  function poll(): void {
    if (isGone()) onGone();
    else timer = clock.setTimer(hostLimits.parentPollMs, poll, { unref: true });
  }
  return () => timer.cancel();
}

/**
 * `FAIRLEAD_LAUNCHER`, written by tools/on-node24 before it becomes this process: its own number, its parent's, and that
 * one's parent's where the system tells. Who was killed while the launcher ran is not this process's parent any more.
 */
function launchedBy(
  env: Readonly<Record<string, string | undefined>>,
  pid: number,
): { readonly parent: number; readonly grandparent: number | null } | null {
  const match = /^(\d+) (\d+) (\d*)$/.exec(env['FAIRLEAD_LAUNCHER'] ?? '');
  // Inherited from some other launcher: it says nothing about this process.
  if (match === null || Number(match[1]) !== pid) return null;
  return { parent: Number(match[2]), grandparent: match[3] === '' ? null : Number(match[3]) };
}

/** Reads `/proc/PID/stat`. The name stands in parentheses and may hold any character, so fields count from the last one. */
export function readProcessFromProc(pid: number): ProcessIdentity | null {
  try {
    return parseProcessStat(pid, readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return null;
  }
}

/** One line of `/proc/PID/stat`; null for a process that has ended and is not collected yet. */
export function parseProcessStat(pid: number, stat: string): ProcessIdentity | null {
  const nameEnd = stat.lastIndexOf(')');
  const fields = stat.slice(nameEnd + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return null;
  const name = stat.slice(stat.indexOf('(') + 1, nameEnd);
  return { pid, name, parent: Number(fields[1]), startTime: fields[19] ?? '' };
}
