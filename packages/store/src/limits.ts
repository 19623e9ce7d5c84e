/** How long a statement waits for another program's lock. The wait blocks the thread, and only a foreign tool can cause it. */
export const BUSY_TIMEOUT_MS = 2_000;

/** How long a folder lock is tried. Two that start at once can both be turned away on the first try; a held lock stays held. */
export const LOCK_TIMEOUT_MS = 50;

/** Batches that may wait for a commit. All of them are taken within a turn of the event loop, so more means a runaway caller. */
export const MAX_WAITING_BATCHES = 4_096;

/** Batches in one commit: more share a sync without gain, and the thread is blocked meanwhile. */
export const MAX_BATCHES_IN_COMMIT = 256;

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
