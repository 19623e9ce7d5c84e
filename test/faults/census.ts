import { readFileSync } from 'node:fs';
import { environmentHolds, isLive, type ProcessRow, processTable } from '@fairlead/testing';

/**
 * Live processes that carry `NAME=value` in their environment and are neither one of `known` nor descend from one of them. A process of
 * the fleet that was killed is to leave none.
 */
export function strays(entry: string, known: readonly number[]): ProcessRow[] {
  const rows = processTable();
  const family = new Set(known);
  for (let grown = true; grown; ) {
    grown = false;
    for (const row of rows) {
      if (family.has(row.pid) || !family.has(row.parent)) continue;
      family.add(row.pid);
      grown = true;
    }
  }
  return rows.filter((row) => isLive(row) && !family.has(row.pid) && environmentHolds(row.pid, entry));
}

/** One line about a process, for whoever has to find out where it came from. */
export function describeProcess({ pid, parent, state, command }: ProcessRow): string {
  let line = command;
  try {
    line = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() || command;
  } catch {
    // It has just ended.
  }
  return `${line} (${pid}, child of ${parent}, state ${state})`;
}
