import type { JsonBounds } from '@fairlead/base';

/** How long a statement waits for another program's lock. The wait blocks the thread, and only a foreign tool can cause it. */
export const BUSY_TIMEOUT_MS = 2_000;

/** How long a folder lock is tried. Two that start at once can both be turned away on the first try; a held lock stays held. */
export const LOCK_TIMEOUT_MS = 50;

/** Batches that may wait for a commit. All of them are taken within a turn of the event loop, so more means a runaway caller. */
export const MAX_WAITING_BATCHES = 4_096;

/** Batches in one commit: more share a sync without gain, and the thread is blocked meanwhile. */
export const MAX_BATCHES_IN_COMMIT = 256;

/**
 * Commits of a writer alone, one after the other, in a turn of the event loop. A turn costs as much as a tenth of a commit; eight
 * keep the rest of the process waiting for a millisecond or two.
 */
export const MAX_LONE_COMMITS_IN_TURN = 8;

/** Statements in one batch: bounds what one caller can hold the writer for. */
export const MAX_STATEMENTS_IN_BATCH = 1_000;

/** Prepared statements kept. The product's statements are constants, far fewer than this. */
export const MAX_PREPARED_STATEMENTS = 256;

/** Quiet time after which the write-ahead log is copied into the database, outside of any commit's latency. */
export const CHECKPOINT_IDLE_MS = 1_000;

/**
 * Pages in the log (4 MiB) at which a commit copies it itself, for a host that is never quiet. Measured: a sync over blocks
 * that the log has had before costs a third less than one that makes the file longer, so a short log that is used again wins.
 */
export const CHECKPOINT_PAGES = 1_000;

/** The log file is cut to this size after a copy, so one burst does not keep its space for ever. */
export const LOG_FILE_MAX_BYTES = 16 * 1024 * 1024;

/** The page cache, in KiB: holds the hot ends of every table and the whole index of a full journal. */
export const PAGE_CACHE_KIB = 8 * 1024;

/** A key file holds two keys, a signature and a few numbers: a quarter of this. */
export const KEY_FILE_MAX_BYTES = 4_096;

/** What `secret.key` holds: a key as long as the digest that is made with it. */
export const SECRET_KEY_BYTES = 32;

/** `backup.json`: a format and a time, with room for what a later version says about itself. */
export const BACKUP_NOTE_MAX_BYTES = 4_096;

const MIB = 1024 * 1024;

// The numbers from here to CLOCK_LIMIT are part of the commit format: every peer must refuse alike, so they never change.

/** Operations in one commit: an entry per line of a long paste fits, and one commit stays cheap to judge. */
export const MAX_OPS_IN_COMMIT = 500;

/** The canonical text of a commit's operations: one replicated message holds several, and a value is at most a long file. */
export const MAX_COMMIT_BYTES = MIB;

/** How deep a value may nest, itself being 0: arguments of tools nest 16, and recursion stays shallow. */
export const MAX_VALUE_DEPTH = 64;

/** Values inside one operation: more than the text of a commit can usefully hold. */
export const MAX_VALUE_NODES = 65_536;

/** A longer member name is data in the wrong place. */
export const MAX_MEMBER_BYTES = 1_024;

/** A row's key: a path or a URL fits; it stands in three indices. */
export const MAX_ROW_KEY_BYTES = 1_024;

/** Elements of a document's path; deeper structure is a value, written whole. */
export const MAX_PATH_ELEMENTS = 16;

/** One element of a path. */
export const MAX_PATH_ELEMENT_BYTES = 256;

/** Hybrid clocks stay below this: the year 2109, and exact in every language's double. */
export const CLOCK_LIMIT = 2 ** 52;

/** Counter steps in a millisecond of the hybrid clock. */
export const CLOCK_STEPS_PER_MS = 1_024;

/**
 * How far ahead of its own wall clock a writer still follows another's: a time zone set wrong is absorbed, so that an answer
 * sorts behind its question; a year set wrong is not, so that one broken clock does not become everybody's.
 */
export const CLOCK_REACH_MS = 24 * 3_600_000;

/** Rounds in which rights are judged anew before those still in dispute are all refused. Honest histories need two or three. */
export const MAX_STANDING_ROUNDS = 16;

/** Commits that one transaction of `apply` takes: a few milliseconds of the thread, and one signature check for all of a run. */
export const MAX_COMMITS_IN_APPLY = 500;

/** Commits without standing that a database keeps aside. Past it they are refused; whoever has them can send them again. */
export const MAX_DENIED_KEPT = 10_000;

/** Proofs of a fork kept for one database: one is enough to know that a key was used twice. */
export const MAX_FORKS_KEPT = 100;

/** Rows of one page of `tail` or `scan`, and of what an `onWrite` consumer is read at once. */
export const MAX_PAGE_ROWS = 1_000;

/** Writes that a consumer is handed before its cursor is written again; after a crash it sees at most these twice. */
export const CURSOR_WRITES = 64;

/** The cursor is also written when a consumer has been idle this long. */
export const CURSOR_IDLE_MS = 1_000;

/** A consumer that threw is tried again after this, doubled each time. */
export const CONSUMER_RETRY_MS = 1_000;

/** The longest pause between two tries of a consumer. */
export const CONSUMER_RETRY_MAX_MS = 60_000;

/** Public keys kept ready: an author's key object costs 20 µs to make and serves every batch of its chain. */
export const MAX_KEYS_READY = 1_024;

/** Commits that one step of indexing for search takes: a few milliseconds of the thread. */
export const SEARCH_SLICE_COMMITS = 200;

/** Records that one word of a search for the newest brings in, the newest of them: a millisecond each. */
export const SEARCH_POSTINGS = 2_000;

/** Records of a table that are counted, to weigh words by how rare they are: half a millisecond. */
export const SEARCH_COUNTED = 10_000;

/** Candidates whose texts are weighed, where fewer are asked for: a few milliseconds. */
export const SEARCH_WEIGHED = 100;

/** Of those, the candidates that may be looked at: a page. */
export const SEARCH_RANKED = 1_000;

/** Candidates that one step reads: about a millisecond. */
export const SEARCH_FETCHED = 50;

/** After so many milliseconds a search gives the thread back for a moment. */
export const SEARCH_SLICE_MS = 4;

/** Text of one record that is searched, in UTF-16 units: an entry's longest text. */
export const SEARCHED_TEXT_UNITS = 64 * 1024;

/** Commits whose place is not yet written down: what a start after a crash reads again, and spares every commit a page. */
export const MAX_UNPLACED_COMMITS = 128;

/** Rows that one step of a drop removes. */
export const DROP_SLICE_ROWS = 500;

/** Operations of the commits in one replicated message: several of the largest, and a second's worth of a slow line. */
export const MAX_BATCH_BYTES = 4 * MIB;

/** Writes that a consumer is read at once. */
export const FEED_PAGE = Object.freeze({ limit: 64, bytes: 4 * MIB });

/** One replicated message: the largest batch with its headers, and room for a version vector of many thousand authors. */
export const MAX_FRAME_BYTES = 8 * MIB;

/** What a replicated message may hold: a batch of commits, each as deep as a value may be, inside four levels of frame. */
export const frameBounds: JsonBounds = Object.freeze({
  maxBytes: MAX_FRAME_BYTES,
  maxDepth: MAX_VALUE_DEPTH + 6,
  maxNodes: 4 * MIB,
  maxStringBytes: 2 * MIB,
  maxKeyBytes: MAX_MEMBER_BYTES,
});

/** What a header and a signature add to each commit, and a digest to each operation, in a message. */
export const COMMIT_OVERHEAD_BYTES = 640;
export const OP_OVERHEAD_BYTES = 48;

/** Databases that one session keeps in step. */
export const MAX_LINKS = 1_024;

/** Messages that wait to be read; more than one of the largest would only fill memory. */
export const MAX_UNREAD_FRAMES = 8;

/** How long the other side has to say and prove who it is: two messages each way on a slow line. */
export const HANDSHAKE_MS = 10_000;

/** How long a batch may go unanswered: applying the largest takes well under a second, a slow line some. */
export const ACK_MS = 60_000;

/** How long local writes wait for own commits that another peer still has. */
export const TAKE_BACK_MS = 10_000;

/** Bytes that may stand in a socket's buffer before more is asked for. */
export const MAX_SENDING_BYTES = MIB;

/** A difference of wall clocks that is worth a line: below it, the order of what two people write at once surprises nobody. */
export const CLOCK_SKEW_SHOWN_MS = 60_000;

/** How often a backup is begun, 5 ms apart, because a transaction is open just then: each is over in milliseconds. */
export const BACKUP_ATTEMPTS = 2_000;
