import type { Migration } from './migration.ts';

/** What waits for a person is little beside what was decided, which is kept for 30 days. */
export const openApprovals: Migration = {
  name: '0013-open-approvals',
  statements: [`CREATE INDEX approvals_open ON approvals (seq, principal) WHERE state = 'open'`],
};
