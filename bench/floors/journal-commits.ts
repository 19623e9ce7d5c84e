import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '@fairlead/base';
import { openStore } from '@fairlead/store';
import type { BenchContext } from '../harness/bench.ts';
import type { Variant } from '../harness/interleave.ts';

/**
 * What a call must write whatever the code around it does: its journal row before, and the outcome in that row after, each
 * committed so that it survives a loss of power. Straight on SQLite, in a database with the product's tables and settings.
 */
export async function journalCommitsFloor(
  context: BenchContext,
  calls: number,
  stack: AsyncDisposableStack,
): Promise<Variant & { readonly name: 'two journal commits' }> {
  const path = join(context.folder, 'floor.db');
  await (await openStore({ path, clock: systemClock() })).close();
  const database = new DatabaseSync(path);
  stack.defer(() => database.close());
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  const start = database.prepare(
    `INSERT INTO journal (id, at, principal, action, runner, plugin, tool, binding_present, arguments_digest, boot)
     VALUES (?, ?, ?, 'call', 'local', 'add', 'add', 1, ?, ?)`,
  );
  const settle = database.prepare(`UPDATE journal SET certainty = 'completed', finished = ? WHERE id = ?`);
  const principal = `token:tok_${'A'.repeat(22)}`;
  const digest = 'A'.repeat(43);
  const boot = 'A'.repeat(22);
  let written = 0;
  return {
    name: 'two journal commits',
    unit: 'µs',
    async round() {
      const samples: number[] = [];
      for (let index = 0; index < calls; index += 1) {
        written += 1;
        const id = `call_${String(written).padStart(22, '0')}`;
        const before = performance.now();
        start.run(id, Date.now(), principal, digest, boot);
        settle.run(Date.now(), id);
        samples.push((performance.now() - before) * 1000);
      }
      return samples;
    },
  };
}
