import type { JsonBounds } from './json/plain-json.ts';

// Every number of this package, each with its reason. Sizes are bytes of UTF-8 unless the name says otherwise.

const KIB = 1024;
const MIB = 1024 * KIB;

/** One text over a worker's port, both ways: holds the largest result with room for what wraps it. */
export const FRAME_MAX_BYTES = MIB;

/** What one result, input or answer may be: as deep and as many as a native plugin's, and at most one frame. */
export const VALUE_BOUNDS: JsonBounds = Object.freeze({
  maxBytes: MIB,
  maxDepth: 32,
  maxNodes: 65_536,
  maxKeyBytes: KIB,
});

/** Arguments of one call: what a person can be shown whole before it runs. The same as a native plugin's. */
export const ARGUMENTS_BOUNDS: JsonBounds = Object.freeze({
  maxBytes: 64 * KIB,
  maxDepth: 16,
  maxNodes: 4096,
  maxKeyBytes: KIB,
});

/** What a fault adds to its message: the start of an answer fits, and what an entry of a session holds. */
export const DETAIL_BOUNDS: JsonBounds = Object.freeze({
  maxBytes: 64 * KIB,
  maxDepth: 8,
  maxNodes: 1024,
  maxKeyBytes: 256,
});

/** One schema: it is shown whole to a model. The same as a native plugin's. */
export const SCHEMA_BOUNDS: JsonBounds = Object.freeze({ ...ARGUMENTS_BOUNDS });

/** Numbers within one schema: the same as a native plugin's, so that one tool list holds both. */
export const schemaLimits = Object.freeze({
  maxProperties: 128,
  maxRequired: 128,
  maxEnum: 128,
  /** Code points. */
  maxLength: 65_536,
  maxItems: 4096,
});

/** What one extension may declare. */
export const manifestLimits = Object.freeze({
  /** More would fill a model's tool list by itself. */
  maxTools: 64,
  /** A person types them. */
  maxCommands: 32,
  maxCaps: 16,
  maxRoutines: 16,
  /** Settings are one object of the schema profile. */
  maxSettings: schemaLimits.maxProperties,
  maxGates: 64,
  /** UTF-16 units of an `about`: it is read by a model at every turn. */
  maxAbout: 1024,
  /** UTF-16 units of a version. */
  maxVersion: 64,
  /** Bytes of the whole manifest: 64 tools with schemas of a common size. */
  maxBytes: MIB,
});

/** Budgets in milliseconds. A hook's stand in the contracts table, beside what they are for. */
export const budgets = Object.freeze({
  /** An instance that opens a store or a connection. */
  openMs: 30_000,
  /** Ending is not allowed to hold up a session's end. */
  closeMs: 5000,
  /** One firing of a hook over every extension: what a person waits for at most before a turn goes on. */
  dispatchMs: 30_000,
  commandMs: 60_000,
  /** Unless the tool says otherwise, from 1 s to 1 h. */
  toolMs: 60_000,
  toolMinMs: 1000,
  toolMaxMs: 3_600_000,
  /** After its deadline a tool may still say how it ended. */
  settleMs: 1000,
  capMs: 30_000,
  routineMs: 600_000,
  /** A module that is loaded, and says what it is. */
  loadMs: 30_000,
});

/** A chain of caps that is longer goes round in a circle. */
export const CAP_MAX_DEPTH = 8;

/** How long the wheel waits before it reads the clock for what is still running; budgets end up to this much early. */
export const WHEEL_TICK_MS = 20;

/** Questions of one carrier to the host that have no answer yet: a loop that forgets to await ends here. */
export const ASKS_MAX = 256;

/** What a context may ask for or say. */
export const contextLimits = Object.freeze({
  /** Entries of one read: one page of a session. */
  maxRead: 200,
  /** Bytes of an appended text; the entry's own bound. */
  maxText: 64 * KIB,
  /** UTF-16 units of one line of progress or log. */
  maxLine: 1000,
  /** Bytes of what is logged beside a line. */
  maxLogData: 8 * KIB,
  /** The shortest interval of a timer: a shorter one is a busy loop. */
  minTimerMs: 10,
  /** The longest delay of a timer: more does not fit a runtime's own timers. */
  maxTimerMs: 2_147_483_647,
  /** Timers, listeners and owned resources of one instance. */
  maxOwned: 1024,
});

/** What comes out of a handler. */
export const outputLimits = Object.freeze({
  /** UTF-16 units of a gate's reason: a model and a person read it in one glance. */
  maxReason: 500,
  /** Messages that one `beforeAgentStart` may add. */
  maxMessages: 16,
  /** Bytes of one text that a hook, a prompt or a tail adds: an entry's own bound. */
  maxText: 64 * KIB,
  /** Segments of one status, and UTF-16 units of a key and of a text: one line of a terminal. */
  maxSegments: 8,
  maxSegmentKey: 32,
  maxSegmentText: 200,
  /** UTF-16 units of a foreign error's message. */
  maxFaultMessage: 200,
  /** UTF-16 units of an error's code: an author may choose one. */
  maxFaultCode: 64,
});

/** A worker of a `path` extension. */
export const workerLimits = Object.freeze({
  /** Megabytes of its old generation: an extension that needs more is a program of its own. */
  heapMb: 256,
  /** Bytes kept of what it printed. */
  outputBytes: 64 * KIB,
  pingMs: 1000,
  /** A thread that answers no ping for so long is blocked for good. A multiple of `pingMs`: unanswered pings are counted. */
  silenceMs: 10_000,
  /** Rejections that nobody handled, per minute, before the worker is ended. */
  maxRejections: 10,
  rejectionWindowMs: 60_000,
  /** UTF-16 units of an error's text in which its place is looked for. */
  stackLength: 16 * KIB,
  /** UTF-16 units of all that is wrong with a literal: some of it, where it is much. */
  maxProblems: 1000,
  /** Between `stop` and the end by force. */
  stopMs: 6000,
});

/** What a worker sends that answers nothing: log lines, asks, changes, pongs. Beyond it the worker is ended. */
export const floodLimits = Object.freeze({
  /** A start that says much at once. */
  burst: 10_000,
  /** Asks of a busy extension take a fifth of it. */
  perSecond: 5000,
  /** UTF-16 units that count as one frame more: a frame of 1 MiB counts as 257. */
  unitsPerToken: 4096,
});

/** Log lines of one extension. More is left out where it is said, and counted. */
export const logLimits = Object.freeze({
  burst: 500,
  perSecond: 100,
});

/** UTF-16 units of one command line. */
export const COMMAND_LINE_MAX = 8192;
