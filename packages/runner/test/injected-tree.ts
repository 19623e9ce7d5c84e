import { Readable, Writable } from 'node:stream';
import type { ProcessTree } from '@fairlead/process';

/** A process tree without a process: what it reads and writes is the test's. */
export type InjectedTree = ProcessTree & {
  /** What was written to its stdin, in whole frames. */
  readonly frames: string[];
  /** Whether frames are taken as soon as they are written; otherwise by `flush`. Starts true. */
  reads: boolean;
  flush(error?: Error): void;
  /** Bytes on its stdout. */
  says(data: string | Uint8Array): void;
  /** An answer to the newest frame. */
  answers(result: unknown): void;
  closesStdout(): void;
  failsReading(): void;
  exits(): void;
  readonly ends: number;
};

export function injectedTree(): InjectedTree {
  const frames: string[] = [];
  const exited = Promise.withResolvers<{ code: number | null; signal: NodeJS.Signals | null }>();
  let taken: ((error?: Error | null) => void) | null = null;
  let ends = 0;
  const stdout = new Readable({ read: () => {} });
  const stderr = new Readable({ read: () => {} });
  const stdin = new Writable({
    write(chunk: Buffer, _encoding, done) {
      frames.push(chunk.toString());
      if (tree.reads) done();
      else taken = done;
    },
  });
  for (const stream of [stdout, stderr, stdin]) stream.on('error', () => {});
  const tree: InjectedTree = {
    pid: 1,
    stdin,
    stdout,
    stderr,
    exited: exited.promise,
    frames,
    reads: true,
    flush(error) {
      taken?.(error ?? null);
      taken = null;
    },
    says: (data) => void stdout.push(typeof data === 'string' ? Buffer.from(data) : data),
    answers(result) {
      const { id } = JSON.parse(frames.at(-1) ?? '{}') as { id: number };
      tree.says(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
    },
    closesStdout: () => void stdout.push(null),
    failsReading: () => void stdout.destroy(new Error('EIO')),
    exits: () => exited.resolve({ code: 0, signal: null }),
    end() {
      ends += 1;
      tree.exits();
      return Promise.resolve({ survivors: 0 });
    },
    get ends() {
      return ends;
    },
  };
  return tree;
}
