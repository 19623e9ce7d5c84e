import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** One process. `started` tells two holders of one number apart. */
export type ProcessRow = {
  readonly pid: number;
  readonly parent: number;
  /** Z (ended, not yet collected) and X count as dead. */
  readonly state: string;
  readonly started: string;
  readonly command: string;
};

/** True when the process exists and has not ended: a zombie is dead. */
export function pidIsAlive(pid: number): boolean {
  const row = processRow(pid);
  return row !== null && isLive(row);
}

export function isLive(row: ProcessRow): boolean {
  return row.state !== 'Z' && row.state !== 'X';
}

/** Every process of the machine that can be seen. Works with /proc, and through `ps` where there is none. */
export function processTable(): ProcessRow[] {
  const rows: ProcessRow[] = [];
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    return processTableOfPs(['-ax']);
  }
  for (const name of names) {
    if (!/^\d+$/.test(name)) continue;
    const row = rowOfProc(Number(name));
    if (row !== null) rows.push(row);
  }
  return rows.length > 0 ? rows : processTableOfPs(['-ax']);
}

function processRow(pid: number): ProcessRow | null {
  return rowOfProc(pid) ?? (procExists() ? null : (processTableOfPs(['-p', String(pid)])[0] ?? null));
}

/** True when the process's environment, as it was given at its start, holds `NAME=value`. False where that cannot be read. */
export function environmentHolds(pid: number, entry: string): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
    return `\0${environment}`.includes(`\0${entry}\0`);
  } catch {
    return false;
  }
}

function procExists(): boolean {
  return rowOfProc(process.pid) !== null;
}

function rowOfProc(pid: number): ProcessRow | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch {
    return null;
  }
  // The command stands in brackets and may itself hold brackets and spaces: what follows the last one is the rest.
  const close = stat.lastIndexOf(')');
  const fields = stat.slice(close + 2).split(' ');
  return {
    pid,
    state: fields[0] ?? '',
    parent: Number(fields[1]),
    started: fields[19] ?? '',
    command: stat.slice(stat.indexOf('(') + 1, close),
  };
}

/** The same table from `ps`, for systems without /proc. Exported for its test. */
export function processTableOfPs(selection: readonly string[]): ProcessRow[] {
  const columns = ['pid', 'ppid', 'stat', 'lstart', 'comm'].flatMap((name) => ['-o', `${name}=`]);
  const listing = spawnSync('ps', [...selection, ...columns], { encoding: 'utf8' });
  const rows: ProcessRow[] = [];
  for (const line of (listing.stdout ?? '').split('\n')) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\S)\S*\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/.exec(line);
    if (match === null || Number(match[1]) === listing.pid) continue;
    rows.push({
      pid: Number(match[1]),
      parent: Number(match[2]),
      state: match[3] ?? '',
      started: match[4] ?? '',
      command: match[5] ?? '',
    });
  }
  return rows;
}
