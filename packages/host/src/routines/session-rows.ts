import type { Sessions } from '../sessions/sessions.ts';
import type { RoutineDatabase } from './routine-rows.ts';

/** The routines of a session, which need not be in memory for them: its database is opened for each look. */
export function sessionRows(sessions: Pick<Sessions, 'hold'>, root: string): RoutineDatabase {
  return {
    root,
    latest: (table) => ({
      async get(key) {
        using held = await sessions.hold(root);
        return await held.database.latest(table).get(key);
      },
      async heads(after, limit) {
        using held = await sessions.hold(root);
        return await held.database.latest(table).heads(after, limit);
      },
    }),
  };
}
