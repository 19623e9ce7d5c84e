// Every number of this package, each with its reason.

const KIB = 1024;
const MIB = 1024 * KIB;

export const fsLimits = Object.freeze({
  /** UTF-16 units of a file that one call shows: some 12,000 tokens. */
  shownMax: 50_000,
  /** How far into a file a range may lie: reading on takes a second or two. */
  scannedMaxBytes: 256 * MIB,
  /** A file to edit stands in memory several times. */
  editedMaxBytes: 8 * MIB,
  /** Edits of one call: more is a new file. */
  edits: 64,
});

export const calculateLimits = Object.freeze({
  /** UTF-16 units of an expression: with functions of constant cost its time is bounded by its length. */
  expressionMax: 1000,
  /** Significant digits of a result: what a double holds without its last noise. */
  precision: 14,
});

export const spawnLimits = Object.freeze({
  /** A child does the work of many steps. */
  timeoutMs: 300_000,
  /** The same as an agent's own bound. */
  maxIterations: 1000,
  tools: 64,
});

export const shellLimits = Object.freeze({
  timeoutMs: 30_000,
  /** Bytes of output that one call shows: some 3,000 tokens. */
  outputMaxBytes: 10_000,
  /** Of those, what stderr has for itself when stdout would take all. */
  stderrMinBytes: 3_000,
  /** Which part of a text that is cut is its end: what went wrong is said there. */
  tailShare: 0.4,
  /** From the abort to the answer: the hub waits one second, and what was printed must arrive within it. */
  partialMs: 700,
  /** Of what bubblewrap says about itself: two short lines. */
  statusMaxBytes: 4 * KIB,
  /** Notes that were said once: a session has at most three. */
  saidMax: 4096,
});

export const scheduleLimits = Object.freeze({
  /** A wake-up sooner than this is a turn that should go on. */
  onceMinSecs: 30,
  /** Thirty days: what is longer is a date, and a plan. */
  onceMaxSecs: 2_592_000,
});

export const pluginsLimits = Object.freeze({
  /** The longest call of a plugin, its margin, and what the executor needs itself. */
  toolMs: 130_000,
  /** Beyond a tool's own time: the executor ends the call, not this. */
  marginMs: 8000,
  /** Seconds of a tool whose Runner was not seen yet: it is refused anyway. */
  unseenSecs: 120,
  /** Characters of a description: what an extension may say of a tool. */
  about: 1024,
  /** Segments of a status line. */
  notices: 8,
  /** UTF-16 units of structured content: an entry holds less. */
  data: 64 * KIB,
});

export const webLimits = Object.freeze({
  /** Of an answer to `web_fetch`: what of it is HTML is parsed whole. */
  pageMaxBytes: 2 * MIB,
  /** From the name to the end of the last answer. */
  fetchMs: 30_000,
  /** UTF-16 units that one call shows: some 12,000 tokens. */
  shownMax: 50_000,
  /** UTF-16 units of a title. */
  titleMax: 300,
  /** UTF-16 units of one address of a page, and of its base: what browsers and servers agree on. A longer link is left as its words. */
  addressMax: 2048,
  /** UTF-16 units of all addresses of a page, made whole: a page of 2 MiB that names its own whole says no more. */
  addressesMax: 2 * MIB,
  /** UTF-16 units of all tags of a page: some times what one of 2 MiB can say with whole addresses. */
  tagsMax: 8 * MIB,
  /** UTF-16 units that Markdown may add to the text of a page: addresses, marks and indents. */
  growthMax: 8 * MIB,
  /** What may be sent: as much as anybody is shown before approving. */
  bodyMax: 64 * KIB,
  urlMax: 8 * KIB,
  /** A page of 2 MiB takes some 3 s. */
  readMs: 10_000,
  /** A page of 2 MiB takes some 150 MiB. */
  readerHeapMb: 384,
  /** A thread costs some 30 MiB and is started in 150 ms. */
  readerIdleMs: 60_000,
  /** One search engine. */
  searchMs: 15_000,
  searchMaxBytes: MIB,
  queryMax: 1024,
  results: 10,
  resultTitleMax: 300,
  resultSnippetMax: 1000,
  resultUrlMax: 2048,
});

export const memoryTextLimits = Object.freeze({
  /** Memories that come up by themselves, and the most that a setting may ask for: they stand in every request. */
  recalled: 3,
  recalledMax: 20,
  /** Cosine from which one is near: what the common models give to texts that have something in common. */
  near: 0.4,
  /** Texts of a conversation that say what it is about. */
  topicTexts: 5,
  /** Characters of a memory in a tail; the tool shows the rest. */
  tailUnits: 400,
  /** Memories of one `recall`. */
  foundMax: 100,
  /** Banks of a session, or of a setting. */
  banks: 32,
});

export const skillsLimits = Object.freeze({
  /** Banks that are attached to one session. */
  attached: 64,
  /** Bytes of the list in a system prompt; what is left out is said, and found by search. */
  catalog: 16_384,
  /** Bytes of one look into a skill or one of its files, and of the list of its files: together what an entry holds, with its frame. */
  shown: 48_000,
  files: 8000,
  /** UTF-16 units of a text that `/skills show` prints: nobody reads more in a terminal. */
  read: 200_000,
  /** Rows of one list of `/skills`, and of the data of a tool: an answer has a mebibyte. */
  listed: 100,
  /** Skills that one search answers. */
  found: 50,
});
