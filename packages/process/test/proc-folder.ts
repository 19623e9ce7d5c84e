import { spawnSync } from 'node:child_process';
import { closeSync, constants, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder, waitFor } from '@fairlead/testing';

/** Sorts behind every process's number, so a reading comes to it when it has seen all others. */
const LAST = '99999999';

/** A folder that is read as /proc would be. */
export class ProcFolder {
  readonly root: string;

  constructor(t: { after(hook: () => void): void }) {
    this.root = temporaryFolder(t);
  }

  /** Shows a process, or shows it changed, as proc_pid_stat(5) describes it. */
  show(
    pid: number,
    { session, started, parent = 1 }: { session: number; started: number; parent?: number },
  ): void {
    const folder = join(this.root, String(pid));
    mkdirSync(folder, { recursive: true });
    const middle = Array.from({ length: 13 }, () => 0);
    const fields = ['S', parent, session, session, ...middle, 1, 0, started, 0];
    writeFileSync(join(folder, 'new'), `${pid} (sleep) ${fields.join(' ')}\n`);
    renameSync(join(folder, 'new'), join(folder, 'stat'));
  }

  hide(pid: number): void {
    rmSync(join(this.root, String(pid)), { recursive: true });
  }

  /** The next reading of the table waits at its end. */
  hold(): void {
    mkdirSync(join(this.root, LAST));
    const { status } = spawnSync('mkfifo', [join(this.root, LAST, 'stat')]);
    if (status !== 0) throw new Error('mkfifo failed');
  }

  /** Resolves when the reading waits; it goes on, and later ones do not wait, when the answer is called. */
  async held(): Promise<() => void> {
    const path = join(this.root, LAST, 'stat');
    const fd = await waitFor(() => openWriting(path), { what: 'the table to be read' });
    return () => {
      rmSync(join(this.root, LAST), { recursive: true });
      closeSync(fd);
    };
  }
}

/** Null as long as nobody opens the other end. */
function openWriting(path: string): number | null {
  try {
    return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (error instanceof Error && Reflect.get(error, 'code') === 'ENXIO') return null;
    throw error;
  }
}
