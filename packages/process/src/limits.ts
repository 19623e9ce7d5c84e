// Every number of this package, each with its reason.

const KIB = 1024;
const MIB = 1024 * KIB;

/** Running an `init_script` to learn what environment it makes. */
export const initScriptLimits = Object.freeze({
  /** A version manager is slow the first time; more than this is a prompt that waits for a person. */
  timeoutMs: 30_000,
  /** After the shell has ended, what it wrote is still in the pipe. */
  drainMs: 1_000,
  /** What it may print, noise and environment together: an environment is some KiB, Linux's own limit 2 MiB by default. */
  outputMaxBytes: 4 * MIB,
  /** Kept of its stderr, for the local explanation of a failure. */
  stderrMaxBytes: 4 * KIB,
});

/** The small programs that are run for their answer; each takes milliseconds, and is killed after this. */
export const childLimits = Object.freeze({
  /** Making a process namespace: a machine under load may page bubblewrap in. */
  namespaceMs: 5_000,
  /** `mkfifo`: a plugin waits for it, and an ordinary stream serves as well. */
  mkfifoMs: 2_000,
  /** `ps`: half of `endBudgetMs`, so that the end of a tree has a second look. */
  psMs: 500,
});

/** Ending a process tree. */
export const treeLimits = Object.freeze({
  /** SIGKILL takes milliseconds; what is left after this is stuck in the kernel. */
  endBudgetMs: 1_000,
  /** Between two looks at the process table, at most; the first ones follow faster. */
  pollMs: 20,
  /** The process table is listed while processes fork: only the second look that finds nothing is proof. */
  emptyScans: 2,
  /** What a dead tree wrote last is read before its streams are closed. */
  drainMs: 100,
  /** Processes read from /proc before other work gets its turn: some 3 ms. */
  scanSlice: 256,
});

/** What is kept of a provider's stderr, on the Runner's machine only. */
export const stderrLimits = Object.freeze({
  /** A screenful: what was said last tells most. */
  maxLines: 64,
  lineMaxBytes: KIB,
  totalMaxBytes: 32 * KIB,
});

/** The watchdog of a Runner. */
export const watchdogLimits = Object.freeze({
  /** At close the trees have been ended already, so it ends in some 0.1 s; a Runner's stop has 5 s in all. */
  closeMs: 1_500,
  /** Between a first loss and the next start: whoever kills once is through by then. Doubled with each further loss. */
  restartFirstMs: 100,
  /** The longest such pause: what always dies then costs two processes a minute. */
  restartLastMs: 30_000,
  /** One that lived so long is taken for sound, and its loss for a first one. */
  steadyMs: 60_000,
});

/** How much of a file tells what it is: enough for every magic number and the first line of a script. */
export const IMAGE_HEAD_BYTES = 128;
