import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { randomId, systemClock, systemRandom } from '@fairlead/base';
import { openStore } from '@fairlead/store';
import type { BenchContext } from '../harness/bench.ts';

/** What a call must write whatever the code around it does. Each is one commit that survives a loss of power. */
export type JournalFloor = {
  /** Writes a journal row before the call. */
  start(id: string): void;
  /** Writes the outcome into that row after it. */
  settle(id: string): void;
  /** An id as the journal's are. */
  newId(): string;
};

/** The two commits of a call straight on SQLite, in a database with the product's tables. */
export async function journalFloor(
  context: BenchContext,
  stack: AsyncDisposableStack,
): Promise<JournalFloor> {
  const path = join(context.folder, 'floor.db');
  await (await openStore({ path, clock: systemClock() })).close();
  const database = new DatabaseSync(path);
  stack.defer(() => database.close());
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  const start = database.prepare(
    `INSERT INTO journal (id, at, principal, action, binding_present, arguments_digest, boot)
     VALUES (?, ?, ?, 'call', 1, ?, ?)`,
  );
  const settle = database.prepare(`UPDATE journal SET certainty = 'completed', finished = ? WHERE id = ?`);
  const random = systemRandom();
  const principal = `token:tok_${'A'.repeat(22)}`;
  const digest = 'A'.repeat(43);
  const boot = `boot_${'A'.repeat(22)}`;
  return {
    start: (id) => void start.run(id, Date.now(), principal, digest, boot),
    settle: (id) => void settle.run(Date.now(), id),
    newId: () => randomId('call_', random),
  };
}
