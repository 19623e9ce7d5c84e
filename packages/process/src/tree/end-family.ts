import { type Clock, deadlineAfter } from '@fairlead/base';
import type { Family } from '../family/family.ts';
import type { SendSignal } from '../family/send-signal.ts';
import { treeLimits } from '../limits.ts';
import type { ProcessReader } from '../process-table/process-reader.ts';
import { within } from '../within.ts';

export type EndFamilyOptions = {
  readonly family: Family;
  readonly reader: ProcessReader;
  readonly signal: SendSignal;
  readonly clock: Clock;
  /** How long it goes on, milliseconds. */
  readonly budgetMs: number;
  /** Leader of the process group. */
  readonly pid: number;
  /** Until the leader is collected its number is nobody else's, and the group may be signalled. */
  readonly isCollected: () => boolean;
  /** Resolves when the leader is collected. */
  readonly collected: Promise<unknown>;
};

/**
 * Ends a process tree with SIGKILL; there is no grace. Returns how many members still lived when the budget was over: 0 once
 * two looks in a row have found nobody, and 1 where the last look showed nothing at all.
 *
 * The group is stopped before the first look: while nobody in it can end or fork, descent shows who belongs to it.
 */
export async function endFamily(options: EndFamilyOptions): Promise<number> {
  const { family, reader, signal, clock, budgetMs, pid, isCollected, collected } = options;
  const deadline = deadlineAfter(clock, budgetMs);
  if (!isCollected()) signal(-pid, 'SIGSTOP');
  let emptyScans = 0;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, treeLimits.pollMs)) {
    const table = await reader.read();
    // Somebody always runs: a table without rows is one that could not be read, and proves nothing.
    const seen = table.rows.size > 0;
    const members = family.members(table);
    if (!isCollected()) signal(-pid, 'SIGKILL');
    for (const member of members) if (reader.isCurrent(member)) signal(member.pid, 'SIGKILL');
    emptyScans = seen && members.length === 0 ? emptyScans + 1 : 0;
    if (emptyScans >= treeLimits.emptyScans && isCollected()) return 0;
    if (deadline.passed()) return seen ? members.length : 1;
    if (seen && members.length === 0 && isCollected()) continue;
    await within(clock, Math.min(pauseMs, deadline.remainingMs()), isCollected() ? null : collected);
  }
}
