import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { handleSnapshot, newHandles, timerCount } from './open-handles.ts';
import { environmentHolds, isLive, type ProcessRow, processTable } from './process-table.ts';
import { watchTimers } from './timer-watch.ts';

type Hook = () => unknown;

/** What the guard needs of `node:test`'s context. */
export type TestLike = {
  after(hook: Hook): void;
};

export type HygieneOptions = {
  /** How long what is ending may take to be gone. Default 20,000 ms: the guard leaves as soon as nothing is left. */
  readonly graceMs?: number;
};

export type Hygiene = {
  /** The test's own temporary folder, which `os.tmpdir()` gives here and in child processes until the test ends. */
  readonly temporaryRoot: string;
  /** `NAME=value` that every process of this test carries in its environment, unless it was started with another one. */
  readonly environmentEntry: string;
  /** What is left at this moment, one line each; empty when nothing is. */
  leftovers(): string[];
};

const TOKEN_NAME = 'FAIRLEAD_TEST_TOKEN';
const FIRST_PAUSE_MS = 2;
const LAST_PAUSE_MS = 25;
/** Of a folder in which others go while it is read. */
const MOST_LOOKS = 100;

/**
 * Call it first in a test. When the test ends, it fails if anything that the test began is still there: a process (found by
 * descent, and by an environment token when it was given to another parent), a socket, server or other handle, a timer that
 * keeps the event loop alive, a file or FIFO in the temporary folder. The failure names what is left; processes are
 * then ended, so that one bad test does not spoil the next.
 *
 * Hooks given to `t.after` afterwards run before the check, the last one first. One guarded test at a time in a process:
 * of two that overlap, each would see the other's.
 */
export function hygiene(t: TestLike, options: HygieneOptions = {}): Hygiene {
  const { graceMs = 20_000 } = options;
  const hooks: Hook[] = [];
  const token = randomBytes(12).toString('hex');
  const environmentEntry = `${TOKEN_NAME}=${token}`;
  const saved = { token: process.env[TOKEN_NAME], temporary: process.env['TMPDIR'] };
  const temporaryRoot = makeTemporaryRoot(saved.temporary);
  process.env[TOKEN_NAME] = token;
  process.env['TMPDIR'] = temporaryRoot;
  // Node opens these at first use; they are not the test's.
  void process.stdout;
  void process.stderr;
  const timers = watchTimers();
  const handlesBefore = handleSnapshot();
  const before = new Set(descendants(environmentEntry).map(identity));

  const processesLeft = (): ProcessRow[] =>
    descendants(environmentEntry).filter((row) => !before.has(identity(row)));
  const timersLeft = (): string[] => {
    const traced = timers.left();
    const untraced = timerCount() - timerCount(handlesBefore) - traced.length;
    return untraced > 0
      ? [...traced, `${untraced} × a timer that was not set through the global functions`]
      : traced;
  };
  const leftovers = (): string[] => [
    ...processesLeft().map((row) => `process ${row.pid} (${row.command}, state ${row.state})`),
    ...newHandles(handlesBefore).lines.map((line) => `handle: ${line}`),
    ...timersLeft().map((line) => `timer: ${line}`),
    ...filesBelow(temporaryRoot).map((line) => `file: ${line}`),
  ];

  const clean = (): void => {
    for (const row of processesLeft()) kill(row.pid);
    for (const handle of newHandles(handlesBefore).handles) {
      const unref: unknown = Reflect.get(handle, 'unref');
      if (typeof unref === 'function') unref.call(handle);
    }
    timers.clear();
  };

  t.after(async () => {
    const errors: unknown[] = [];
    for (let hook = hooks.pop(); hook !== undefined; hook = hooks.pop()) {
      try {
        await hook();
      } catch (error) {
        errors.push(error);
      }
    }
    timers.stop();
    let left = leftovers();
    const end = performance.now() + graceMs;
    for (let pauseMs = FIRST_PAUSE_MS; left.length > 0 && performance.now() < end; ) {
      await new Promise<void>((resolve) => setTimeout(resolve, pauseMs));
      pauseMs = Math.min(pauseMs * 2, LAST_PAUSE_MS);
      left = leftovers();
    }
    if (left.length > 0) clean();
    restore(TOKEN_NAME, saved.token);
    restore('TMPDIR', saved.temporary);
    rmSync(temporaryRoot, { recursive: true, force: true, maxRetries: 3 });
    if (left.length > 0) errors.push(new Error(`left behind by this test:\n  ${left.join('\n  ')}`));
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1) throw new AggregateError(errors, errors.map(String).join('\n'));
  });
  Object.defineProperty(t, 'after', { configurable: true, value: (hook: Hook) => void hooks.push(hook) });

  return { temporaryRoot, environmentEntry, leftovers };
}

function makeTemporaryRoot(outer: string | undefined): string {
  // Short, because a Unix socket's path has some hundred bytes; open to all, because some tests run as another user.
  const root = mkdtempSync(join(realpathSync(outer ?? '/tmp'), 'h-'));
  chmodSync(root, 0o1777);
  return root;
}

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}

function identity(row: ProcessRow): string {
  return `${row.pid} ${row.started}`;
}

/** Live processes that descend from this one or carry the token. */
function descendants(environmentEntry: string): ProcessRow[] {
  const rows = processTable();
  const family = new Set([process.pid]);
  for (let grown = true; grown; ) {
    grown = false;
    for (const row of rows) {
      if (family.has(row.pid) || !family.has(row.parent)) continue;
      family.add(row.pid);
      grown = true;
    }
  }
  family.delete(process.pid);
  return rows.filter(
    (row) =>
      row.pid !== process.pid &&
      isLive(row) &&
      (family.has(row.pid) || environmentHolds(row.pid, environmentEntry)),
  );
}

function filesBelow(root: string): string[] {
  for (let looks = 1; ; looks += 1) {
    try {
      return readdirSync(root, { recursive: true, withFileTypes: true }).map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return relative(root, path) + kindOf(path);
      });
    } catch (error) {
      // A folder went while it was read: look again. One that never can be read is told.
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' || !existsSync(root) || looks === MOST_LOOKS) throw error;
    }
  }
}

function kindOf(path: string): string {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isFIFO()) return ' (a FIFO)';
  if (found?.isSocket()) return ' (a socket)';
  return found?.isDirectory() ? ' (a folder)' : '';
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended in the meantime.
  }
}
