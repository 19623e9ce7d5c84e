/**
 * Tables whose rows are counted one by one. `operations` are those that stand in commits, which is what everything replicated is made of;
 * `activations` those of them that say which extensions are on in a session.
 */
export type CountedTable =
  | 'operations'
  | 'activations'
  | 'databases'
  | 'chains'
  | 'stores'
  | 'session_local'
  | 'posted'
  | 'wakes'
  | 'turns'
  | 'usage'
  | 'approvals'
  | 'slots'
  | 'journal'
  | 'tokens';

/** Rows that are kept on purpose. What an action leaves beyond them, or does not leave of them, is a fault of the product. */
export type KeptRows = Readonly<Partial<Record<CountedTable, number>>>;

/** One of either: a call over HTTP, MCP or the command; a token, which is kept when it has ended. */
export const INVOCATION: KeptRows = { journal: 1 };
export const TOKEN: KeptRows = { tokens: 1 };

/**
 * A database of its own, which one author writes to: who that is, its first commit, mode, time, source, agent and host. Beside them each
 * extension that is on, and a row of this machine's.
 */
export function sessionRows(extensions: number): KeptRows {
  return { databases: 1, chains: 1, stores: 2, session_local: 1, operations: 7, activations: extensions };
}

/** What stands in a session has a table of its own there, from the first entry on. */
export const FIRST_ENTRY: KeptRows = { stores: 1 };
/** A message, or the directive of a schedule, and whom it wakes. */
export const MESSAGE: KeptRows = { operations: 1, wakes: 1 };
/** So that a message that is sent again is the same one. */
export const MESSAGE_KEY: KeptRows = { posted: 1 };
export const CLOSED: KeptRows = { operations: 1 };

/** `ack` and `turn_end`. */
export const TURN: KeptRows = { operations: 2, turns: 1 };
/** One request to the model; calls alone are no message. */
export const STEP: KeptRows = { usage: 1 };
/** The last one of a turn, with what the agent says. */
export const LAST_STEP: KeptRows = { usage: 1, operations: 1 };
/** What a model sums up, in the place of what stood there. */
export const SUMMARY: KeptRows = { usage: 1, operations: 1 };
/** Call and result in the session, and one row of the journal, also where it was refused. */
export const CALL: KeptRows = { operations: 2, journal: 1 };
/** What is asked and what was answered, and the row that both are about. */
export const APPROVAL: KeptRows = { operations: 2, approvals: 1 };

/** Its row, that it fired, that it is gone, and the slot. */
export const FIRED_ONCE: KeptRows = { operations: 3, slots: 1 };
/** A memory, or that one is forgotten. */
export const REMEMBERED: KeptRows = { operations: 1 };

/** Several of them together. */
export function together(...parts: readonly KeptRows[]): KeptRows {
  const sum: Partial<Record<CountedTable, number>> = {};
  for (const part of parts)
    for (const [table, count] of Object.entries(part) as [CountedTable, number][])
      sum[table] = (sum[table] ?? 0) + count;
  return sum;
}

export function times(count: number, part: KeptRows): KeptRows {
  return Object.fromEntries(Object.entries(part).map(([table, rows]) => [table, rows * count]));
}
