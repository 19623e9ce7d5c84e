import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestLike } from '@fairlead/testing';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { type Disk, machineDisk } from '../src/disk.ts';
import { openPinnedFolder } from '../src/folder.ts';
import { type Root, rememberRoot } from '../src/root.ts';
import { type SafeDeleteOptions, type SafeDeletion, safeDelete } from '../src/safe-delete.ts';
import type { BackendName, BackendReport, TrashBackend } from '../src/trash-backend.ts';

/** The machine's own file system, with what a test puts in place of it. */
export function diskWith(replaced: Partial<Disk> = {}): Disk {
  return { ...machineDisk(openPinnedFolder), ...replaced };
}

/** A system's error of that code. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: said the test`), { code });
}

/** Folders of one test: `root` to delete in, `data` for the trash, `bin` for programs, `outside` that must stay as it is. */
export interface Scene {
  readonly rootPath: string;
  readonly data: string;
  readonly bin: string;
  readonly outside: string;
  /** Makes a file below the root, with its folders. */
  file(path: string, text?: string): string;
  /** Names below a folder of the trash. */
  trashed(kind: 'files' | 'info'): string[];
  /** Writes a shell script that `PATH = bin` finds. */
  program(name: string, script: string): void;
  /** `safeDelete` in this root. */
  remove(path: string, options: Partial<SafeDeleteOptions>): Promise<SafeDeletion>;
  root(): Promise<Root>;
}

export function scene(t: TestLike): Scene {
  hygiene(t);
  const folder = temporaryFolder(t);
  const [rootPath, data, bin, outside] = ['root', 'data', 'bin', 'outside'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  for (const path of [rootPath, bin, outside]) mkdirSync(path);
  writeFileSync(join(outside, 'kept.txt'), 'kept');

  async function root(): Promise<Root> {
    const found = await rememberRoot(diskWith(), rootPath);
    if (found === null) throw new Error('the root of the test is not there');
    return found;
  }

  return {
    rootPath,
    data,
    bin,
    outside,
    file(path, text = 'text') {
      const whole = join(rootPath, path);
      mkdirSync(join(whole, '..'), { recursive: true });
      writeFileSync(whole, text);
      return whole;
    },
    trashed(kind) {
      const path = join(data, 'Trash', kind);
      return existsSync(path) ? readdirSync(path).sort() : [];
    },
    program(name, script) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(bin, name), 0o755);
    },
    async remove(path, options) {
      return safeDelete(path, {
        root: await root(),
        style: 'posix',
        disk: diskWith(),
        backends: [],
        ...options,
      });
    },
    root,
  };
}

/** A back end that reports what it is told to, after it has done `act`. Counts its runs. */
export function fakeBackend(
  report: BackendReport,
  act: () => void | Promise<void> = () => {},
  name: BackendName = 'gio',
): TrashBackend & { runs: number } {
  const backend = {
    name,
    runs: 0,
    async run(): Promise<BackendReport> {
      backend.runs += 1;
      await act();
      return report;
    },
  };
  return backend;
}
