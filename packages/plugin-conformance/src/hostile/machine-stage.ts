import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { appendFileSync, closeSync, existsSync, writeSync } from 'node:fs';
import { createServer } from 'node:net';
import { HostilePlugin } from './hostile-plugin.ts';
import type { Scenario } from './scenario.ts';
import type { SpawnedProgram, Stage } from './stage.ts';

/**
 * Plays a scenario as this process, on its own stdin and stdout. `record` names a file: FILE then holds the bytes of its stdin,
 * FILE.pids one process number a line, and it does not end when its stdin does, so that whoever runs it must end it.
 */
export function playScenario({ plays }: Scenario, record: string | null = null): void {
  const note = (suffix: string, data: string | Uint8Array): void => {
    if (record !== null) appendFileSync(record + suffix, data);
  };
  note('.pids', `${process.pid}\n`);
  const plugin = new HostilePlugin(
    machineStage(record, (pid) => note('.pids', `${pid}\n`)),
    plays,
  );
  plugin.start();
  process.stdin.on('data', (chunk: Buffer) => {
    note('', chunk);
    plugin.read(chunk);
  });
  process.stdin.on('error', () => {});
  process.stdin.on('end', () => plugin.end());
  // What has lost its pipes goes on: only its end, or whoever runs it, ends it.
  setInterval(() => {}, 1 << 30);
}

function machineStage(record: string | null, notePid: (pid: string | number) => void): Stage {
  return {
    out: (data) => writeWhole(1, Buffer.from(data as string)),
    err: (data) => writeWhole(2, Buffer.from(data)),
    exit: (code) => process.exit(code),
    closeStdout: () => closeSync(1),
    closeStdin: () => {
      process.stdin.destroy();
      closeSync(0);
    },
    stopReading: () => void process.stdin.pause(),
    ignoreSigterm: () => void process.on('SIGTERM', () => {}),
    later: (delayMs, then) => void setTimeout(then, delayMs),
    spawn: (command, args, options) => startProgram(command, args, options, notePid),
    bindPort,
    exists: existsSync,
    env: process.env,
    ownMark: randomBytes(8).toString('hex'),
    record,
  };
}

/** Below the ports that systems give away by themselves; the same in one folder, so that runs in others do not meet. */
function bindPort(then: (isBound: boolean) => void): void {
  const mark = createHash('sha256').update(process.cwd()).digest().readUInt16BE();
  createServer()
    .once('error', () => then(false))
    .listen({ host: '127.0.0.1', port: 20_000 + (mark % 10_000) }, () => then(true));
}

function startProgram(
  command: string,
  args: readonly string[],
  { detached = false, holdsStdout = false, printsPid = false, ended }: SpawnedProgram,
  notePid: (pid: string | number) => void,
): void {
  const stdout = holdsStdout ? 1 : printsPid ? 'pipe' : 'ignore';
  const child = spawn(command, args, { detached, stdio: ['ignore', stdout, 'ignore'] });
  if (!printsPid && child.pid !== undefined) notePid(child.pid);
  child.stdout?.once('data', (pid: Buffer) => {
    notePid(pid.toString().trim());
    child.stdout?.destroy();
  });
  if (ended !== undefined) child.once('exit', ended);
}

/** Synchronous, so that what was written is in the pipe before anything else happens. */
function writeWhole(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      // A pipe that is full for the moment; nothing else is waited for.
      if (!(error instanceof Error && Reflect.get(error, 'code') === 'EAGAIN')) throw error;
    }
  }
}
