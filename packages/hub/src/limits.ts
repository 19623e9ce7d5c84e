/** The hub's numbers, each with its reason. Budgets of what runs in an extension stand in `@fairlead/extension`. */
export const hubLimits = Object.freeze({
  /** A loader may fetch and unpack; the module itself has 30 s of this. */
  startMs: 60_000,
  /** One instance's `close` with all that its scope owns: a session's end is not held up by one extension. */
  closeMs: 5000,
  /** Instances that end one after another, before the rest is asked to end at the same time: a person waits for it. */
  teardownMs: 10_000,
  /** Calls in flight of a generation that leaves: the longest tool has an hour, and a second to say how it ended. */
  drainMs: 3_602_000,
  /** A carrier's own end: a worker is ended by force after 6 s. */
  endMs: 10_000,
  /** The pause after a first failure, doubled each time. */
  retryMs: 1000,
  /** How long a turn waits for an instance that failed before: one that hangs must not hold up each of them. */
  retryWaitMs: 1000,
  /** The longest pause: somebody who mends a cause should not have to restart the host. */
  retryMaxMs: 300_000,
  /** A worker that lived so long before it died begins anew with the shortest pause. */
  settledMs: 300_000,
  /** Agent and session instances at once; least recently used scopes give way. A host of 200 open sessions with 20 extensions fits. */
  maxInstances: 4096,
  /** Between two readings of one instance's contributions: a list that says `changed` at each look does not spin. */
  rereadMs: 100,
  /** Failures that are kept; the oldest give way. */
  maxFailures: 4096,
  /** UTF-16 units of a failure's reason: one glance of a person. */
  maxReason: 500,
});

const KIB = 1024;
const MIB = 1024 * KIB;

/** A folder of source that is loaded as an extension. */
export const pathLimits = Object.freeze({
  /** More files are a project or a home, named by mistake; each is read at every load. */
  folderFiles: 2000,
  /** Bytes of all its files. */
  folderBytes: 32 * MIB,
  /** Lines that a worker logs before anybody took it. */
  earlyLines: 100,
  /** Folders of which the manifest is kept: more than a host loads, those that it loaded once among them. */
  keptManifests: 256,
  /** Its package.json, which is read for the module's name alone. */
  packageBounds: Object.freeze({
    maxBytes: 256 * KIB,
    maxDepth: 32,
    maxNodes: 16_384,
    maxStringBytes: 64 * KIB,
    maxKeyBytes: KIB,
  }),
});

/** The thread that names who keeps the host's thread: both times together stay under a second. */
export const monitorLimits = Object.freeze({
  /** Milliseconds between two looks. A look reads two numbers. */
  pollMs: 200,
  /** Milliseconds that the host's thread may leave a question unanswered; a busy machine needs some. */
  silenceMs: 500,
  /** MiB of heap: it keeps names. */
  heapMb: 16,
});

/** The logs of what is switched on. */
export const activationLimits = Object.freeze({
  /** Records of a log whose names are all read; of a longer one those alone that are asked for: every turn may read it. */
  maxWholeRecords: 10_000,
  /** Names that are on and not installed in one answer: more than a person reads. */
  maxMissing: 1000,
  /** Switches in one commit: the store takes 499 operations. */
  maxInCommit: 400,
  /** One page of history unless asked otherwise, and the most of one: what a person reads. */
  historyPage: 50,
  maxHistory: 200,
  /** Pages that are looked through for the history of one name. */
  maxHistoryPages: 20,
});

/** Settings of extensions. */
export const settingsLimits = Object.freeze({
  /** Merges kept: one for each extension in each pair of session and agent in use. */
  maxCached: 8192,
  /** Layers kept: one for each database in use. */
  maxLayers: 2048,
  /** One patch: the bound of a call's arguments. */
  maxPatchBytes: 64 * KIB,
  /** A value of the environment this long is masked wherever it stands in a text; a shorter one where it is a whole setting. */
  minMaskedPart: 4,
  /** Reports that are remembered, so that a wrong value is told once and not at every change. */
  maxTold: 1024,
  /** How deep values of the file are looked through for variables: what JSON of an extension may be. */
  maxDepth: 32,
});

/** What an extension may do with the state of agents. */
export const agentStateLimits = Object.freeze({
  /** Newest rows of a table in one answer: one page. */
  maxRows: 200,
  /** One answer, with room for the frame around it. */
  maxAnswerBytes: 768 * KIB,
  /** One written value: the bound of an entry. */
  maxValueBytes: 256 * KIB,
});

/** What an extension may do with sessions. */
export const sessionLimits = Object.freeze({
  /** Entries in one read: one page. */
  maxRead: 200,
  /** One answer, with room for the frame around it; what is older is left for the next read. */
  maxAnswerBytes: 768 * KIB,
  maxTextBytes: 64 * KIB,
  /** One entry with everything around its text. */
  maxEntryBytes: 256 * KIB,
  /** Of the speaker that a messenger names: an address, and a name that people read. */
  maxSpeakerBytes: 256,
  /** Pages that are looked through for entries that can be read. */
  maxPages: 4,
  /** Sessions that one generation of an extension has opened: one for each room of a messenger. */
  maxOpened: 4096,
});

/** What extensions say of themselves in a session. */
export const outputsLimits = Object.freeze({
  /** Rows of one session: 1,000 extensions of eight segments, and more than a person reads. */
  maxRows: 8192,
  /** Statements in one batch: what the store takes. */
  maxInBatch: 1000,
});

/** Live sets and what is called through them. */
export const liveLimits = Object.freeze({
  /** Buildings of one live set while what it is built of keeps moving; the last one stands for those who wait for it. */
  rebuilds: 4,
  /** A session that closes waits so long for its cancelled calls: each has 1 s to say how it ended, and its host some to write it. */
  closeCallsMs: 5000,
  /** A session that was opened, or used, stays open so long at least: who opened it reads a few rows before it leases a live set. */
  keptOpenMs: 60_000,
});

/** What `/extensions` shows. */
export const commandLimits = Object.freeze({
  /** Characters of one text in a line: a line of a terminal has room for a name beside it. */
  maxLine: 120,
  /** UTF-16 units of a text that are looked at for that. */
  maxLooked: 1000,
});

/** What was approved of the tools of servers and plugins. */
export const catalogLimits = Object.freeze({
  /** Rows of one source, its own words not counted. */
  maxTools: 512,
  /** UTF-16 units of the differences of one answer: as JSON they fit into what the command reads, 8 MiB. */
  diffLength: 2 * MIB,
  /** Characters of one line of them, and of a warning: a paragraph of a description. */
  maxDiffLine: 600,
  /** Warnings about one tool: a screen or two of a person who decides. */
  maxWarnings: 200,
  /** Steps of comparing two schemas, and levels: past them what differs counts as wider. */
  schemaSteps: 50_000,
  schemaDepth: 32,
  /** References that lead to references: past them all count as moved. */
  schemaLinks: 100_000,
});
