import type { Migration } from './migration.ts';

/**
 * What a call can be settled by after its answer was lost, and what a binding needs to outlive a restart.
 * - `journal.runner_instance`: the Runner process that an effect was addressed to; only that one can say what became of it.
 * - `journal.settled_*`: what was learnt later of an invocation whose own end stays `outcome_unknown`. `settled_certainty` is that again
 *   where it was learnt that no more can be.
 * - `bindings.input_schema`: that of the tool as it was described, JSON.
 */
export const settlement: Migration = {
  name: '0003-settlement',
  statements: [
    'ALTER TABLE journal ADD COLUMN runner_instance TEXT',
    `ALTER TABLE journal ADD COLUMN settled_certainty TEXT
      CHECK (settled_certainty IN ('not_started', 'completed', 'outcome_unknown'))`,
    'ALTER TABLE journal ADD COLUMN settled_code TEXT',
    `ALTER TABLE journal ADD COLUMN settled_at INTEGER
      CHECK ((settled_at IS NULL) = (settled_certainty IS NULL) AND (settled_at IS NULL OR certainty = 'outcome_unknown'))`,
    // Looked through whenever a Runner registers. An invocation that ends otherwise never gets into it, so calls do not pay.
    `CREATE INDEX journal_unsettled ON journal (runner_instance)
      WHERE certainty = 'outcome_unknown' AND settled_at IS NULL AND runner_instance IS NOT NULL`,
    'ALTER TABLE bindings ADD COLUMN input_schema TEXT',
  ],
};
