import { spawnSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const SIZE = '6m';

/** A folder on a disk of its own that a test can fill. */
export class SmallDisk implements Disposable {
  readonly #folder: string;

  /** Where nobody comes to dispose of it, because the process is told to end at once. */
  readonly #atExit = () => this.#unmount();

  private constructor(folder: string) {
    this.#folder = folder;
    process.once('exit', this.#atExit);
  }

  /** Mounts one over an empty folder; null, with the reason, where that is not permitted. */
  static mount(folder: string): { readonly disk: SmallDisk } | { readonly reason: string } {
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=0700`, 'tmpfs', folder], {
      encoding: 'utf8',
    });
    if (mounted.status === 0) return { disk: new SmallDisk(folder) };
    return { reason: 'no small disk can be mounted here: it takes root, or a namespace of its own' };
  }

  /** Leaves so many bytes, of which the log of a database in it has none that it could write over; answers whether there are no more now. */
  fill(databasePath: string, leaveBytes: number): boolean {
    this.free();
    const database = new DatabaseSync(databasePath, { timeout: 200 });
    try {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // It is being written just now: then the log keeps its room.
    } finally {
      database.close();
    }
    try {
      writeFileSync(this.#ballast, Buffer.alloc(Math.max(0, this.#free - leaveBytes)));
    } catch (error) {
      // Somebody else has taken the last block.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
    }
    return this.#free <= leaveBytes;
  }

  free(): void {
    rmSync(this.#ballast, { force: true });
  }

  [Symbol.dispose](): void {
    process.off('exit', this.#atExit);
    this.#unmount();
  }

  #unmount(): void {
    spawnSync('umount', ['-l', this.#folder], { stdio: 'ignore' });
  }

  get #free(): number {
    const { bavail, bsize } = statfsSync(this.#folder);
    return bavail * bsize;
  }

  get #ballast(): string {
    return join(this.#folder, 'ballast');
  }
}
