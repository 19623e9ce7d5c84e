import type { spawn as nodeSpawn } from 'node:child_process';
import { type Clock, systemClock } from '@fairlead/base';
import { finishes } from '../finishes.ts';
import { childLimits } from '../limits.ts';
import type { ProcessReader, ProcessRow, ProcessTable } from './process-reader.ts';

/**
 * The process table through `ps`, for Unix systems without /proc (macOS). Environments and start times are not to be had there:
 * a tree is then its process group and what descends from it. The table is empty when `ps` is missing or takes more than 0.5 s.
 */
export function psReader(spawn: typeof nodeSpawn, clock: Clock = systemClock()): ProcessReader {
  let next: Promise<ProcessTable> | null = null;
  const table = async (): Promise<ProcessTable> => {
    await new Promise<void>((resolve) => setImmediate(resolve));
    next = null;
    return { rows: await rowsOfPs(spawn, clock), environmentHolds: () => false };
  };
  return {
    read() {
      next ??= table();
      return next;
    },
    row: () => null,
    isCurrent: () => true,
  };
}

async function rowsOfPs(spawn: typeof nodeSpawn, clock: Clock): Promise<Map<number, ProcessRow>> {
  const columns = ['pid', 'ppid', 'pgid', 'stat'].flatMap((name) => ['-o', `${name}=`]);
  const ps = spawn('ps', ['-ax', ...columns], { stdio: ['ignore', 'pipe', 'ignore'] });
  let listing = '';
  ps.stdout?.setEncoding('latin1').on('data', (chunk: string) => {
    listing += chunk;
  });
  const finish = await finishes(ps, childLimits.psMs, clock);
  // Half a listing would show half a tree.
  return finish.kind === 'ended' ? parsePs(listing, ps.pid) : new Map();
}

/** Reads lines of pid, parent, group and state; leaves out `ownPid`, the listing program itself. */
export function parsePs(listing: string, ownPid?: number): Map<number, ProcessRow> {
  const rows = new Map<number, ProcessRow>();
  for (const line of listing.split('\n')) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S)/.exec(line);
    if (match === null || Number(match[1]) === ownPid) continue;
    const group = Number(match[3]);
    const ended = match[4] === 'Z';
    const pid = Number(match[1]);
    rows.set(pid, { pid, parent: Number(match[2]), group, session: group, started: 0, ended });
  }
  return rows;
}
