// The numbers of the kit, each with its reason. Those of the wire stand in `@fairlead/protocol`.

const MIB = 1024 * 1024;

export const runLimits = Object.freeze({
  /** How long a plugin is listened to while it has nothing to say: a banner or a late second answer comes at once. */
  quietMs: 200,
  /** After a line that is no answer, how long the answer itself is waited for: it tells noise from a bad answer. */
  graceMs: 200,
  /** How long a plugin may take to end once its stdin has ended, or after SIGTERM. */
  exitMs: 2_000,
  /** How long what a plugin started may take to end after it. */
  leftoverMs: 250,
  /** Between two looks at the process table. */
  leftoverPollMs: 25,
  /** Between two pieces of one request: long enough for each to be read by itself. */
  pieceMs: 20,
  /** After the process is gone or its stdin closed, how long its last output may take. */
  drainMs: 250,
  /** Calls that go wrong before no further one is made: the first tells most. */
  maxFailedCalls: 3,
});

export const keptLimits = Object.freeze({
  /** Lines that nobody asked for, of one process; a flood is not read to its end. */
  maxStrayLines: 32,
  /** … and their bytes in all: the longest line and some. */
  maxStrayBytes: 2 * MIB,
  /** Faults told of one clause; the rest is counted. */
  maxFaults: 5,
  /** Bytes of what was seen that are shown. */
  shownBytes: 160,
  /** Tools that were not called, by name. */
  shownTools: 16,
  /** Clauses skipped for one reason that are shown one by one; more say nothing more than their number. */
  shownSkipped: 3,
});

/** A plugin's own text is kept shorter than its line. */
export const TAIL_MAX_BYTES = 512;
