import { readdirSync, readFileSync } from 'node:fs';
import { treeLimits } from '../limits.ts';

/** One line of the machine's process table. */
export type ProcessRow = {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** When it began, in the kernel's ticks since boot: tells two holders of one number apart. 0 where that is not known. */
  readonly started: number;
  /** Ended, but not yet collected by its parent. */
  readonly ended: boolean;
};

/** The process table at one moment. */
export type ProcessTable = {
  readonly rows: ReadonlyMap<number, ProcessRow>;
  /** Whether the environment that the process was started with holds these bytes. False where it cannot be read. */
  environmentHolds(pid: number, bytes: Buffer): boolean;
};

/** Reads the process table. */
export type ProcessReader = {
  /** A table that was read after this call; callers of one tick share it. */
  read(): Promise<ProcessTable>;
  /** One process now; null when there is none, or when a single one cannot be looked at. */
  row(pid: number): ProcessRow | null;
  /** Whether the number of this row still belongs to the same process, and that one lives. */
  isCurrent(row: ProcessRow): boolean;
};

/** Lets other work run between two slices of a long table. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Reads /proc synchronously, which is faster than through threads: some 10 µs a process. A table of more than 256 processes is
 * read in slices, so that no other work waits longer than one.
 */
export function procReader(root = '/proc'): ProcessReader {
  let next: Promise<ProcessTable> | null = null;

  const row = (pid: number): ProcessRow | null => {
    try {
      return parseStat(pid, readFileSync(`${root}/${pid}/stat`, 'latin1'));
    } catch {
      return null;
    }
  };
  const table = async (): Promise<ProcessTable> => {
    // Starts after everybody who asks in this tick has asked.
    await nextTurn();
    next = null;
    const pids = numbersIn(root);
    const rows = new Map<number, ProcessRow>();
    for (let index = 0; index < pids.length; index += 1) {
      if (index > 0 && index % treeLimits.scanSlice === 0) await nextTurn();
      const found = row(pids[index] as number);
      if (found !== null) rows.set(found.pid, found);
    }
    return { rows, environmentHolds: (pid, bytes) => fileHolds(`${root}/${pid}/environ`, bytes) };
  };

  return {
    read() {
      next ??= table();
      return next;
    },
    row,
    isCurrent({ pid, started }) {
      const now = row(pid);
      return now !== null && now.started === started && !now.ended;
    },
  };
}

/** Whether the machine shows its processes under `root`. */
export function hasProc(root = '/proc'): boolean {
  return procReader(root).row(process.pid) !== null;
}

/** Reads one `stat` line, as proc_pid_stat(5) describes it; null when it is not one. */
export function parseStat(pid: number, stat: string): ProcessRow | null {
  // The command stands in brackets and may hold anything, brackets and line ends too; behind its last bracket are only numbers.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, parent, group, session] = fields;
  const threads = Number(fields[17]);
  const started = Number(fields[19]);
  if (state === undefined || session === undefined || !Number.isInteger(started)) return null;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    started,
    // A process whose first thread has ended shows as a zombie while its other threads run on.
    ended: (state === 'Z' && threads <= 1) || state === 'X',
  };
}

function numbersIn(folder: string): number[] {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return [];
  }
  const numbers: number[] = [];
  for (const name of names) {
    const first = name.charCodeAt(0);
    if (first >= 0x31 && first <= 0x39) numbers.push(Number(name));
  }
  return numbers;
}

function fileHolds(path: string, bytes: Buffer): boolean {
  try {
    return readFileSync(path).includes(bytes);
  } catch {
    return false;
  }
}
