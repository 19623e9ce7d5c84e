import { type ChildProcess, spawn as nodeSpawn, type SpawnOptions } from 'node:child_process';
import { closeSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { type Random, randomId, systemClock } from '@fairlead/base';
import { machineFiles } from '../executable/file-view.ts';
import { isTextWithoutInterpreter } from '../executable/image.ts';
import { resolveExecutable } from '../executable/resolve-executable.ts';
import { Family } from '../family/family.ts';
import { PROVIDER_VARIABLE } from '../family/provider-variable.ts';
import { sendSignal } from '../family/send-signal.ts';
import type { Platform } from '../platform.ts';
import { hasProc, type ProcessReader, procReader } from '../process-table/process-reader.ts';
import { psReader } from '../process-table/ps-reader.ts';
import { type StderrPipe, StderrPipes } from '../stderr/stderr-pipes.ts';
import type { Watchdog } from '../watchdog/watchdog.ts';
import { inNamespace, namespaceFault } from './bubblewrap.ts';
import { type ProcessTree, SpawnedTree } from './process-tree.ts';

/** What a tree needs of the Runner's watchdog. What it shares is made anew where it is absent. */
export type TreeOwner = Pick<Watchdog, 'token' | 'watch' | 'forget'> &
  Partial<Pick<Watchdog, 'pid' | 'processes' | 'pipes'>>;

export type SpawnTreeOptions = {
  /** The program's file, as `resolveExecutable` found it. */
  readonly path: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** The whole environment; `FAIRLEAD_PROVIDER` is added. */
  readonly env: Readonly<Record<string, string>>;
  readonly watchdog: TreeOwner;
  /** `pid`: in a process namespace of its own, whose end nobody in it survives. Never silently less. */
  readonly isolation: 'none' | 'pid';
  readonly platform: Platform;
  readonly random: Random;
  /** What the program is told as its own name; not with isolation. */
  readonly arg0?: string;
  /** Gives the program descriptor 3 as a pipe to this process, for what it says beside its output: `tree.status`. */
  readonly statusPipe?: boolean;
  /** How long `end` reads on after the last process has ended. Default 100 ms. */
  readonly drainMs?: number;
  /** How long `end` goes on before it counts who is left. Default one second. */
  readonly endBudgetMs?: number;
  readonly spawn?: typeof nodeSpawn;
  /** The bubblewrap program; default `bwrap`, looked up in this process's own PATH. */
  readonly bubblewrap?: string;
};

export type SpawnFault = {
  readonly ok: false;
  readonly code: 'plugin_spawn_failed' | 'plugin_isolation_unavailable' | 'plugin_stdio_unavailable';
  /** For the Runner's own log: it may name paths. */
  readonly localDetail: string;
};

export type SpawnTreeAnswer = { readonly ok: true; readonly tree: ProcessTree } | SpawnFault;

/**
 * Starts a program without a shell, in a session of its own, with pipes for stdin, stdout and stderr, and registers its tree with
 * the watchdog.
 *
 * Codes: `plugin_spawn_failed` the system refused (no such file or cwd, no permission, arguments too long, a script without `#!`)
 * · `plugin_stdio_unavailable` no pipes could be made · `plugin_isolation_unavailable` isolation was asked for and is not to be had.
 */
export async function spawnTree(options: SpawnTreeOptions): Promise<SpawnTreeAnswer> {
  const { path, args, cwd, watchdog, platform, random, spawn = nodeSpawn } = options;
  const head = await machineFiles().head(path);
  if (platform !== 'win32' && head !== null && isTextWithoutInterpreter(head))
    return failed('plugin_spawn_failed', `${path} is a text whose first line names no interpreter (#!)`);

  let command = { path, args };
  if (options.isolation === 'pid') {
    const bubblewrap = await findBubblewrap(options);
    if (!bubblewrap.ok) return bubblewrap;
    command = inNamespace(bubblewrap.path, command, cwd);
  }
  const pipes = watchdog.pipes ?? new StderrPipes({ spawn, temporaryFolder: tmpdir });
  const pipe = platform === 'win32' ? null : await pipes.open();
  const token = `${watchdog.token}.${randomId('', random)}`;
  const spawned = await spawnChild(spawn, command, {
    cwd,
    // Node hands this one on of itself, unless it finds the name here.
    env: { NODE_V8_COVERAGE: undefined, ...options.env, [PROVIDER_VARIABLE]: token },
    detached: true,
    windowsHide: true,
    stdio: [
      'pipe',
      'pipe',
      pipe?.writeFd ?? 'pipe',
      ...(options.statusPipe === true ? ['pipe' as const] : []),
    ],
    ...(options.arg0 === undefined || options.isolation === 'pid' ? {} : { argv0: options.arg0 }),
  });
  if (pipe !== null) closeSync(pipe.writeFd);
  if (!('child' in spawned)) {
    pipe?.reader.destroy();
    return await explain(spawned.error, options);
  }
  return { ok: true, tree: treeOf(spawned, pipe, token, options) };
}

type Spawned = { readonly child: ChildProcess; readonly pid: number };

function spawnChild(
  spawn: typeof nodeSpawn,
  command: { readonly path: string; readonly args: readonly string[] },
  options: SpawnOptions,
): Promise<Spawned | { readonly error: unknown }> {
  return new Promise((resolve) => {
    try {
      const child = spawn(command.path, command.args, options);
      // Stays on: a later failure to signal is told the same way, and must not end this process.
      child.on('error', (error) => resolve({ error }));
      if (child.pid !== undefined) resolve({ child, pid: child.pid });
    } catch (error) {
      resolve({ error });
    }
  });
}

function treeOf(
  { child, pid }: Spawned,
  pipe: StderrPipe | null,
  token: string,
  options: SpawnTreeOptions,
): ProcessTree {
  const { watchdog, platform, spawn = nodeSpawn } = options;
  const reader = watchdog.processes ?? (hasProc() ? procReader() : psReader(spawn));
  watchdog.watch(pid);
  const watchdogPid = watchdog.pid ?? null;
  return new SpawnedTree({
    child,
    pid,
    stdin: child.stdin as Writable,
    stdout: child.stdout as Readable,
    stderr: pipe?.reader ?? (child.stderr as Readable),
    ...(options.statusPipe === true ? { status: child.stdio[3] as Readable } : {}),
    family: new Family({
      root: { pid, started: startOf(reader, pid) },
      mark: Buffer.from(`${PROVIDER_VARIABLE}=${token}`),
      spared: watchdogPid === null ? [process.pid] : [process.pid, watchdogPid],
    }),
    reader,
    // Real processes end in real time: a test that moves its clock by hand would wait for ever.
    clock: systemClock(),
    platform,
    spawn,
    signal: sendSignal,
    forget: () => watchdog.forget(pid),
    ...(options.drainMs === undefined ? {} : { drainMs: options.drainMs }),
    ...(options.endBudgetMs === undefined ? {} : { endBudgetMs: options.endBudgetMs }),
  });
}

function startOf(reader: ProcessReader, pid: number): number {
  return reader.row(pid)?.started ?? 0;
}

async function findBubblewrap(
  options: SpawnTreeOptions,
): Promise<{ readonly ok: true; readonly path: string } | SpawnFault> {
  const { cwd, platform, bubblewrap: command = 'bwrap', spawn = nodeSpawn } = options;
  if (platform !== 'linux')
    return failed('plugin_isolation_unavailable', `there are no process namespaces on ${platform}`);
  const env = { PATH: process.env['PATH'] ?? '' };
  const found = await resolveExecutable({ command, cwd, env, platform });
  if (!found.ok) return failed('plugin_isolation_unavailable', 'bubblewrap (bwrap) is not installed');
  const fault = await namespaceFault(found.path, spawn);
  return fault === null ? found : failed('plugin_isolation_unavailable', fault);
}

async function explain(error: unknown, { path, cwd }: SpawnTreeOptions): Promise<SpawnFault> {
  const code = error instanceof Error ? String(Reflect.get(error, 'code') ?? error.name) : 'unknown';
  if (code === 'EMFILE' || code === 'ENFILE')
    return failed('plugin_stdio_unavailable', `${code}: too many open files`);
  const isFolder = await stat(cwd).then(
    (found) => found.isDirectory(),
    () => false,
  );
  // The system says ENOENT for a missing cwd and for a missing interpreter of an existing script alike.
  if (!isFolder)
    return failed('plugin_spawn_failed', `${code}: the cwd ${cwd} is not a folder that can be entered`);
  const interpreter =
    code === 'ENOENT' ? ' (or the interpreter that its first line names) does not exist' : '';
  return failed('plugin_spawn_failed', `${code}: ${path}${interpreter}`);
}

function failed(code: SpawnFault['code'], localDetail: string): SpawnFault {
  return { ok: false, code, localDetail };
}
