import { type Clock, deadlineAfter } from '@fairlead/base';
import { Family } from '../family/family.ts';
import type { SendSignal } from '../family/send-signal.ts';
import { treeLimits } from '../limits.ts';
import type { ProcessReader } from '../process-table/process-reader.ts';
import { within } from '../within.ts';

export type EndWatchedOptions = {
  /** The roots that are watched still, by number, each with its start. */
  readonly watched: ReadonlyMap<number, number>;
  /** What every process of the trees of this Runner carries in its environment, and nobody else. */
  readonly mark: Buffer;
  /** When this process began: nothing older is one of its trees. */
  readonly since: number;
  readonly reader: ProcessReader;
  readonly signal: SendSignal;
  readonly clock: Clock;
};

/** No process has it: the family of those that were never registered has no root. */
const NOBODY = -1;

/**
 * Ends what a watchdog was to end and has not yet: a watchdog that is killed in the middle leaves whom it has stopped standing for ever.
 * Returns when two looks in a row have found nobody, or after the budget of ending one tree; it looks once in any case.
 */
export async function endWatched(options: EndWatchedOptions): Promise<void> {
  const { watched, mark, since, reader, signal, clock } = options;
  const roots = [...watched].map(([pid, started]) => ({ pid, started }));
  const families = [...roots, { pid: NOBODY, started: since }].map(
    (root) => new Family({ root, mark, spared: [process.pid] }),
  );
  const deadline = deadlineAfter(clock, treeLimits.endBudgetMs);
  let emptyScans = 0;
  do {
    const table = await reader.read();
    const members = families.flatMap((family) => family.members(table));
    for (const member of members) if (reader.isCurrent(member)) signal(member.pid, 'SIGKILL');
    emptyScans = table.rows.size > 0 && members.length === 0 ? emptyScans + 1 : 0;
    if (members.length > 0) await within(clock, treeLimits.pollMs, null);
  } while (emptyScans < treeLimits.emptyScans && !deadline.passed());
}
