/** How long Git may take, in milliseconds: long enough for a large working tree, far below any call's deadline. */
export const GIT_TIMEOUT_MS = 5_000;

/**
 * The largest status that is reported, in bytes. A call's result may have 512 KiB, but a model has to read this; beyond it
 * a status is refused as a whole, because half of one would pass for a clean rest.
 */
export const STATUS_MAX_BYTES = 32_768;

/** What Git may print for it: its lines carry modes and object names beside the paths, up to thirty times as much. */
export const GIT_OUTPUT_MAX_BYTES = 1_048_576;

/** The longest branch name that is reported, in bytes. Git itself draws the line at a file name's length. */
export const BRANCH_MAX_BYTES = 512;

/** The longest head: a SHA-256 object name in hexadecimal. */
export const HEAD_MAX_BYTES = 64;
