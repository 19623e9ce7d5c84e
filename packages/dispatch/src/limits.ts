/** Bindings kept at once: some clients describe every tool of eight providers, and a row is a few hundred bytes. */
export const BINDINGS_MAX = 512;

/** Bindings that were pushed out and stay in the table until they are removed together: a removal costs as much as the new row. */
export const BINDINGS_REMOVED_TOGETHER = 64;

/** Draws of a fresh binding before giving up: a second one is already a sign of broken randomness. */
export const BINDING_DRAWS_MAX = 4;

/** Calls of one Runner that are asked for at the same time: each answer may be 512 KiB, and all of it is memory. */
export const SETTLING_AT_ONCE = 16;

/** Calls that are asked for again when they end; more than Runners can have running. The rest is asked when its Runner registers. */
export const SETTLING_WAITING_MAX = 4_096;

/** How soon a linked Runner that did not answer is asked again: a short standstill is over by then, a long one costs a question in 5 min. */
export const SETTLING_AGAIN = { firstMs: 5_000, lastMs: 300_000 } as const;

/** How long the journal keeps a row. */
export const JOURNAL_MAX_AGE_MS = 30 * 24 * 60 * 60 * 1_000;

/**
 * Rows of effects in the journal, and as many of reads and refusals, so that none of these pushes out an effect: each about 30 MB, and a
 * month of two calls a minute.
 */
export const JOURNAL_MAX_ROWS = 100_000;

/** How long an unknown end that may still be settled is not removed to make room: a Runner's machine is on again the next day. */
export const JOURNAL_UNKNOWN_KEPT_MS = 24 * 60 * 60 * 1_000;

/** Rows written between two prunings; each kind is cut this far below its most, so that it never passes it. */
export const JOURNAL_ROWS_BETWEEN_PRUNES = 500;

/** Rows that one pruning looks at or removes of each kind: a few milliseconds of one commit. Twice what comes in between two. */
export const JOURNAL_ROWS_PER_PRUNE = 1_000;

/** How often an idle journal is pruned, so that old rows go even when nobody calls. */
export const JOURNAL_PRUNE_INTERVAL_MS = 60 * 60 * 1_000;

/** How soon the next pruning follows one that found a full share to remove. */
export const JOURNAL_PRUNE_AGAIN_MS = 1_000;

/** How soon an outcome that the disk did not take is written again: as soon as somebody who made room looks. */
export const JOURNAL_OWED_AGAIN_MS = 1_000;

/** Owed outcomes that one commit takes along: more than one intent adds, and far below what a commit may hold. */
export const JOURNAL_OWED_TOGETHER = 64;

/** Entries of the journal that are shown at once: 1,000 of them are half a megabyte, and nobody reads as many on a screen. */
export const JOURNAL_PAGE_MAX = 500;

/** Entries shown where nobody said how many: a screen. */
export const JOURNAL_PAGE_DEFAULT = 50;

/** Rows that one page looks at, when it shows only some: some 10 ms, in which nothing else is done. */
export const JOURNAL_ROWS_PER_LOOK = 10_000;

/** Characters of a name in the journal: enough to tell Runners apart on one line. */
export const JOURNAL_NAME_MAX_CHARACTERS = 80;

/** The catalog of a project for a model: some twenty tools to choose from, of which the next question goes on. */
export const PROJECT_CATALOG_MAX_BYTES = 8 * 1024;

/** The list of projects: three Runners with 64 projects each have room. */
export const PROJECT_LIST_MAX_BYTES = 64 * 1024;

/** How long the row of a read waits for others to be written with: too short for anybody to look for it in vain. */
export const JOURNAL_READ_ROWS_DELAY_MS = 20;

/** Rows of reads that wait at most; then they are written without waiting longer. */
export const JOURNAL_READ_ROWS_WAITING = 64;

/** The names of all tools: a session may have some hundred, of which each takes 300 bytes. */
export const TOOL_LIST_MAX_BYTES = 64 * 1024;

/** Sessions that `session_list` answers, and where nobody says how many. */
export const SESSIONS_LISTED = { fallback: 20, max: 100 } as const;

/** Entries that `session_read` answers, and where nobody says how many: the end of a talk. */
export const ENTRIES_READ = { fallback: 20, max: 100 } as const;

/** UTF-8 bytes of a message, as an entry holds it. */
export const MESSAGE_MAX_BYTES = 64 * 1024;

/** Names of sessions and agents, ids, and keys of messages. */
export const SESSION_WORD_MAX_BYTES = 256;

/** Agents of a new session. */
export const SESSION_AGENTS_MAX = 64;
