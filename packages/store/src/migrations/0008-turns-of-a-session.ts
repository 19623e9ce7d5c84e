import type { Migration } from './migration.ts';

/** A turn begins by counting those that its agent had in the session: a session of today must not look through those of years. */
export const turnsOfASession: Migration = {
  name: '0008-turns-of-a-session',
  statements: ['CREATE INDEX turns_of_a_session ON turns (session, agent)'],
};
