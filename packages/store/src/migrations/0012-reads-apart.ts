import type { Migration } from './migration.ts';

/**
 * What keeps a flood of calls without effect away from the rows of effects.
 * - `journal.is_read`: 1 = it has no effect, however it ends. Such rows and refusals are counted apart.
 */
export const readsApart: Migration = {
  name: '0012-reads-apart',
  statements: [
    'ALTER TABLE journal ADD COLUMN is_read INTEGER NOT NULL DEFAULT 0 CHECK (is_read IN (0, 1))',
    "UPDATE journal SET is_read = 1 WHERE session IS NULL AND action IN ('list', 'describe', 'outcome')",
    // It holds what it asks for, so that counting reads no row. An effect that was carried out never gets into it.
    `CREATE INDEX journal_without_effect ON journal (seq, is_read, certainty)
      WHERE is_read = 1 OR certainty = 'not_started'`,
    // Looked through whenever a person is asked. Calls that nobody could be asked about never get into it.
    `CREATE INDEX journal_same_call ON journal (principal, target, arguments_digest)
      WHERE target IS NOT NULL AND arguments_digest IS NOT NULL`,
  ],
};
