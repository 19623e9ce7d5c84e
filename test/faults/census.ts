import { readFileSync } from 'node:fs';
import { isLive, type ProcessRow, processTable } from '@fairlead/testing';

/** A process that may live after a round, and what of its children may. */
export type Root = {
  readonly pid: number;
  /** It may have so many watchdogs, and so many plugins. */
  readonly watchdogs: number;
  readonly plugins: number;
};

/** What is looked for. */
export type Census = {
  /** Stands in the environment of every process of the fleet. */
  readonly mark: string;
  readonly roots: readonly Root[];
  /** Stands in the command line of its watchdogs, and in that of its plugins. */
  readonly watchdog: string;
  readonly plugin: string;
};

/** A process that is not to be there, in one line for whoever has to find out where it came from. */
export type LeftBehind = { readonly pid: number; readonly text: string };

/**
 * Each live process of a fleet that is not to be there: it carries the mark or descends from one that may live, and is
 * neither such a one nor a child that such a one may have. Of several such children the youngest may stay. One that may live is named, too,
 * where it stands still.
 */
export function leftBehind({ mark, roots, watchdog, plugin }: Census): LeftBehind[] {
  const rows = processTable().filter(isLive);
  const allowed = new Set(roots.map(({ pid }) => pid));
  for (const { pid, watchdogs, plugins } of roots) {
    const children = rows
      .filter(({ parent }) => parent === pid)
      .sort((left, right) => Number(right.started) - Number(left.started));
    const take = (part: string, count: number) => {
      const those = children.filter((child) => commandLine(child).includes(part));
      for (const child of those.slice(0, count)) allowed.add(child.pid);
    };
    take(watchdog, watchdogs);
    take(plugin, plugins);
  }
  const family = new Set(roots.map(({ pid }) => pid));
  for (let grown = true; grown; ) {
    grown = false;
    for (const row of rows) {
      if (family.has(row.pid) || !family.has(row.parent)) continue;
      family.add(row.pid);
      grown = true;
    }
  }
  return rows.flatMap((row) => {
    const { pid } = row;
    if (allowed.has(pid)) return row.state === 'T' ? [{ pid, text: `stopped: ${describe(row)}` }] : [];
    return family.has(pid) || carries(pid, mark) ? [{ pid, text: describe(row) }] : [];
  });
}

function carries(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark);
  } catch {
    return false;
  }
}

function describe(row: ProcessRow): string {
  const { pid, parent, state } = row;
  return `${commandLine(row)} (${pid}, child of ${parent}, state ${state})`;
}

function commandLine({ pid, command }: ProcessRow): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() || command;
  } catch {
    // It has just ended.
    return command;
  }
}
