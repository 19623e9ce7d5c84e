import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Readable } from 'node:stream';
import { systemRandom } from '@fairlead/base';
import { environmentHolds, manualClock, pidIsAlive, processTable, waitFor } from '@fairlead/testing';
import {
  type ProcessTree,
  type SpawnTreeOptions,
  spawnTree,
  startWatchdog,
  type TreeOwner,
  type Watchdog,
  type WatchdogOptions,
} from '../src/index.ts';
import { StderrPipes } from '../src/stderr/stderr-pipes.ts';

type Test = { after(hook: () => unknown): void };

/** A watchdog that is closed with the test. */
export function testWatchdog(t: Test, options: Partial<WatchdogOptions> = {}): Watchdog {
  const watchdog = startWatchdog({ random: systemRandom(), ...options });
  t.after(() => watchdog.close());
  return watchdog;
}

/** The owner of a tree whose stderr is a pipe for certain: a `mkfifo` that takes its time is waited for. */
export function patientOwner(t: Test): TreeOwner {
  const watchdog = testWatchdog(t);
  return {
    token: watchdog.token,
    watch: (pid) => watchdog.watch(pid),
    forget: (pid) => watchdog.forget(pid),
    get pid() {
      return watchdog.pid;
    },
    processes: watchdog.processes,
    pipes: new StderrPipes({ spawn, temporaryFolder: tmpdir, clock: manualClock() }),
  };
}

/** What most trees of these tests have in common: `sh -c` in the root folder, with a plain environment. */
export function shellOptions(
  watchdog: Watchdog,
  script: string,
  over: Partial<SpawnTreeOptions> = {},
): SpawnTreeOptions {
  return {
    path: '/bin/sh',
    args: ['-c', script],
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '' },
    watchdog,
    isolation: 'none',
    platform: process.platform,
    random: systemRandom(),
    // What is looked at is that everybody is ended, not that the machine has time for it within one second.
    endBudgetMs: 20_000,
    ...over,
  };
}

/** A tree that runs a shell script; it is ended with the test. */
export async function shellTree(
  t: Test,
  script: string,
  over: Partial<SpawnTreeOptions> & { readonly owner?: Watchdog } = {},
): Promise<ProcessTree> {
  const { owner = testWatchdog(t), ...options } = over;
  const answer = await spawnTree(shellOptions(owner, script, options));
  if (!answer.ok) throw new Error(`${answer.code}: ${answer.localDetail}`);
  t.after(() => answer.tree.end());
  return answer.tree;
}

/**
 * A process in a session of its own that carries the mark of this watchdog's trees and was never registered; it needs `setsid`.
 * It sleeps when this resolves: in the middle of an exec its environment looks empty.
 */
export async function strayOf(t: Test, watchdog: Watchdog): Promise<ChildProcess> {
  const mark = `${watchdog.token}.unregistered`;
  const env = { PATH: process.env['PATH'] ?? '', FAIRLEAD_PROVIDER: mark };
  const stray = spawn('setsid', ['sleep', '60'], { env, stdio: 'ignore' });
  t.after(() => stray.kill('SIGKILL'));
  await once(stray, 'spawn');
  const { pid = 0 } = stray;
  const sleeps = () => processTable().some((row) => row.pid === pid && row.command === 'sleep');
  await waitFor(() => sleeps() && environmentHolds(pid, `FAIRLEAD_PROVIDER=${mark}`), {
    what: 'the unregistered process to sleep',
  });
  return stray;
}

/** The first line of a stream. */
export function firstLine(stream: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    stream.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    stream.once('end', () => reject(new Error(`ended after ${JSON.stringify(text)}`)));
  });
}

/** Everything a stream gives. */
export async function wholeText(stream: Readable): Promise<string> {
  let text = '';
  for await (const chunk of stream) text += chunk;
  return text;
}

export function gone(pid: number): Promise<unknown> {
  return waitFor(() => !pidIsAlive(pid), { what: `process ${pid} to be gone` });
}

/** The kernel's letter for what a living process does; `T`: it is stopped. */
export function processState(pid: number): string {
  return /\) (\w) /.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1] ?? '';
}
