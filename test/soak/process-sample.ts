import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { environmentHolds, isLive, processTable } from '@fairlead/testing';

/** What one process holds. */
export type ProcessSample = {
  readonly residentBytes: number;
  /** Of it what belongs to no file: heaps and stacks. */
  readonly anonymousBytes: number;
  readonly descriptors: number;
  readonly threads: number;
};

/** Reads /proc (Linux). Null when the process has ended. */
export function sampleProcess(pid: number): ProcessSample | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const field = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? Number.NaN);
    return {
      residentBytes: field('VmRSS') * 1024,
      anonymousBytes: field('RssAnon') * 1024,
      descriptors: readdirSync(`/proc/${pid}/fd`).length,
      threads: field('Threads'),
    };
  } catch {
    return null;
  }
}

/** The processes that some roots and their children start; one whose parent ended still counts once it was seen. */
export class ProcessTrees {
  /** What was seen, by number, with the time of its start: a number may be given again. */
  #seen = new Map<number, string>();

  /** How many live now, the roots themselves not counted. */
  count(roots: readonly number[]): number {
    const rows = processTable().filter(isLive);
    const known = new Set(roots);
    for (const { pid, started } of rows) if (this.#seen.get(pid) === started) known.add(pid);
    for (let grew = true; grew; ) {
      grew = false;
      for (const { pid, parent } of rows) {
        if (known.has(pid) || !known.has(parent)) continue;
        known.add(pid);
        grew = true;
      }
    }
    const found = rows.filter(({ pid }) => known.has(pid) && !roots.includes(pid));
    this.#seen = new Map(found.map(({ pid, started }) => [pid, started]));
    return found.length;
  }

  /** Those of the last count that still live. */
  left(): readonly number[] {
    const live = new Map(
      processTable()
        .filter(isLive)
        .map(({ pid, started }) => [pid, started]),
    );
    return [...this.#seen].filter(([pid, started]) => live.get(pid) === started).map(([pid]) => pid);
  }
}

/** Live processes that were started with `NAME=value` in their environment, whoever their parent is by now. */
export function processesWith(entry: string): readonly number[] {
  return processTable()
    .filter((row) => isLive(row) && environmentHolds(row.pid, entry))
    .map(({ pid }) => pid);
}

/** Their numbers, each with its command. */
export function namesOf(pids: readonly number[]): string {
  return processTable()
    .filter(({ pid }) => pids.includes(pid))
    .map(({ pid, command }) => `${pid} ${command}`)
    .join(', ');
}

/** Files below a folder, and their bytes. What vanishes meanwhile does not count. */
export function filesBelow(folder: string): { readonly files: number; readonly bytes: number } {
  let files = 0;
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    files += 1;
    bytes += sizeOf(join(entry.parentPath, entry.name));
  }
  return { files, bytes };
}

/** 0 where there is no such file. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
