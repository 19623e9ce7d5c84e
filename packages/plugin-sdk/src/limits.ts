/**
 * The largest request that is read: 1 MiB without its line feed.
 * The protocol allows no larger frame, so that neither side has to hold more; see
 * docs/reference/native-plugin-protocol.md.
 */
export const FRAME_MAX_BYTES = 1_048_576;

/**
 * How long a plugin that failed may take to end by itself, in milliseconds.
 * An open timer or socket of the author would otherwise keep it alive, and its caller waiting for the deadline of
 * the call.
 */
export const FAILED_EXIT_MS = 1_000;
