import { readFileSync } from 'node:fs';

/** What a child with `--stamp FILE` left there when it gave the answer that it stamps. */
export type Stamp = {
  /** When, on this process's `performance.now()`. */
  readonly atMs: number;
  readonly pid: number;
};

/** Reads a stamp; throws when there is none. */
export function readStamp(file: string): Stamp {
  const { atNs, pid } = JSON.parse(readFileSync(file, 'utf8')) as { atNs: string; pid: number };
  // Both clocks are the system's monotonic one; only their origins differ.
  const originMs = Number(process.hrtime.bigint()) / 1e6 - performance.now();
  return { atMs: Number(atNs) / 1e6 - originMs, pid };
}
