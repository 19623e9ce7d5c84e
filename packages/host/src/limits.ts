import { sessionLimits } from '@fairlead/hub';

const KIB = 1024;
const MIB = 1024 * KIB;

/** One attempt at a model, and what follows a broken one. */
export const modelLimits = Object.freeze({
  /** The pause after the first broken attempt, doubled after each. */
  retryMs: 1000,
  /** The longest pause that the host chooses itself. */
  retryMaxMs: 30_000,
  /** The longest pause that a back end may ask for; a turn that waits longer should say so instead. */
  retryAfterMaxMs: 60_000,
  /** The part of a pause that chance may take off, so that turns that broke together do not return together. */
  jitter: 0.25,
  /** A whole attempt, however lively its stream: the slowest local model has written its longest reply by then. */
  attemptMs: 1_800_000,
  /** Bytes of one reply as it comes: far above any window of output, with its framing. */
  replyBytes: 32 * MIB,
  /** Bytes of an answer that is no reply; only the words of its error are looked for. */
  refusalBytes: 16 * KIB,
  /** For those words: the status is what matters, and it is known. */
  refusalMs: 5000,
  /** UTF-16 units of what a back end says about a refusal: one glance of a person. */
  said: 200,
  /** Calls in one reply; a reply with more is broken, not eager. */
  calls: 128,
  /** UTF-16 units of a call's id and of the name of its tool, as a back end gives them. */
  callName: 256,
  /** The arguments of one call. What is larger is no JSON to the host; a person could not judge it either. */
  arguments: Object.freeze({
    maxBytes: MIB,
    maxDepth: 64,
    maxNodes: 50_000,
    maxStringBytes: MIB,
    maxKeyBytes: KIB,
  }),
});

/** What an operator may write in `[[backends]]`, and what holds where nothing is written. */
export const backendLimits = Object.freeze({
  backends: 64,
  /** Models of one back end. */
  models: 256,
  name: 64,
  /** Bytes of a model's name as the back end knows it, and of an address or file. */
  text: 1024,
  requestTimeoutSecs: 120,
  /** The HTTP client of Node gives up by itself after this. */
  requestTimeoutMaxSecs: 300,
  maxRetries: 3,
  maxRetriesMax: 10,
  maxTokens: 8192,
  maxTokensMax: 1_000_000,
  /** Assumed where a model's entry does not say: what the smallest of today's hosted models have. */
  contextWindow: 128_000,
  contextWindowMax: 100_000_000,
  /** USD per million tokens; above it somebody mistook the unit. */
  priceMax: 100_000,
});

/** The file of a scripted back end: bounds of its JSON, and of what it may say. */
export const scriptLimits = Object.freeze({
  json: Object.freeze({
    maxBytes: 4 * MIB,
    maxDepth: 48,
    maxNodes: 200_000,
    maxStringBytes: MIB,
    maxKeyBytes: KIB,
  }),
  /** A wait longer than this belongs into `hang`. */
  delayMs: 600_000,
});

/** Estimating what a text costs in tokens. */
export const tokenLimits = Object.freeze({
  /** Around each message: role and separators. */
  perMessage: 8,
  /** Around each tool, beside its name, description and schema. */
  perTool: 15,
  /** UTF-8 bytes of a token where the tokenizer is not loaded, or is not asked. */
  bytesPerToken: 4,
  /**
   * UTF-16 units that the tokenizer is given at once. Its time grows with the square of a run without a break: 64 KiB of one letter
   * take seconds, in pieces they take milliseconds, and a cut costs a token at most.
   */
  pieceUnits: 512,
});

/** What turns, sessions and days may cost before they stop; 0 switches one off. Money is whole nano-dollars. */
export const ceilingDefaults = Object.freeze({
  turn: Object.freeze({ tokens: 1_000_000, nanousd: 2_000_000_000 }),
  session: Object.freeze({ tokens: 10_000_000, nanousd: 20_000_000_000 }),
  agentDay: Object.freeze({ tokens: 10_000_000, nanousd: 20_000_000_000 }),
  day: Object.freeze({ tokens: 20_000_000, nanousd: 50_000_000_000 }),
});

/** The bookkeeping behind the ceilings. */
export const usageLimits = Object.freeze({
  /** Sums kept in memory; the least recently used that nothing runs under are read again when they are wanted. */
  sums: 4096,
  /** A ceiling above it would leave what a whole number can hold. */
  ceilingTokensMax: 1_000_000_000_000,
  ceilingUsdMax: 1_000_000,
  /** Model calls of the whole host at one time. */
  modelCalls: 10,
  modelCallsMax: 256,
  /** Schedules of one agent. */
  schedules: 50,
  schedulesMax: 100_000,
  /** The shortest time between two firings of one: each is a turn, and costs. */
  scheduleMinSecs: 60,
  scheduleMinMaxSecs: 86_400,
});

/** What may be granted, and how far a path is followed. */
export const grantLimits = Object.freeze({
  /** Entries of one list of one level; what a person still oversees. */
  entries: 64,
  /** Endpoints that several levels together allow; further ones are left out, which only narrows. */
  endpointsInForce: 4096,
  /** Words of one prefix of a command. */
  words: 32,
  /** Bytes of one word or path: the longest path that Linux takes. */
  textBytes: 4096,
  /** Bytes of a host: 253 is the longest name, and what is not ASCII grows when it is encoded. */
  hostBytes: 253,
  pathBytes: 2048,
  /** Links on the way to one file; the kernel follows as many. */
  links: 40,
});

/** One request that a tool makes. */
export const networkLimits = Object.freeze({
  /** Redirects of one request: enough for http to https to www to a language to a page. */
  redirects: 5,
  urlBytes: 8 * KIB,
  requestBytes: MIB,
  requestHeaderBytes: 16 * KIB,
  answerHeaderBytes: 32 * KIB,
  /** Addresses of one name that are tried; each costs a quarter of a second where it is dead. */
  addresses: 8,
});

/** What `[web]` says. */
export const webLimits = Object.freeze({
  /** Engines that one search may go through: each may take 15 s. */
  engines: 8,
  /** Bytes of an address or a name of a variable. */
  text: 512,
});

/** Native plugins as agents reach them. */
export const pluginLimits = Object.freeze({
  /** Pins of one file: with `plugin_tool` they fit what an extension may have. */
  pins: 63,
  /** Agents that one pin names. */
  agents: 64,
  /** Bytes of a name of a Runner, plugin or tool: what the link takes. */
  text: 128,
  /** Pause before a plugin that is starting is looked at again, doubled after each: most have started within a second. */
  againMs: 250,
  againMaxMs: 60_000,
});

/** What a person is shown before deciding. */
export const displayLimits = Object.freeze({
  /** Characters of a claimed name: one line of a narrow screen. */
  nameCharacters: 48,
  /** Arguments of one call as JSON; more than this nobody reads, and half of it must not be approved. */
  argumentBytes: 64 * KIB,
});

/** How often a tool may be called. */
export const rateLimits = Object.freeze({
  windowMs: 60_000,
  /** The most that a limit can be; a larger one is taken for this. */
  perMinuteMax: 6000,
  /** Callers and tools remembered at once; where all of them are busy, a new one waits. */
  subjects: 4096,
  /** Calls remembered in all. */
  calls: 1_000_000,
});

/** What an operator may say of tools. */
export const policyLimits = Object.freeze({
  tools: 1024,
  autoApprove: 1024,
  sensitive: 64,
  /** MCP servers: more is a list that nobody wrote. */
  servers: 64,
  /** The longest time of a tool: what an extension may ask for itself. */
  timeoutSecsMax: 3600,
});

/** Entries of a session, as they are written and as they are taken from other peers. */
export const entryLimits = Object.freeze({
  /** The text of one entry, in UTF-8 bytes: what an extension may write too. */
  textBytes: sessionLimits.maxTextBytes,
  /** One entry with everything in it. */
  entryBytes: sessionLimits.maxEntryBytes,
  /** What stays of a longer text of a tool: its beginning says what it is, its end how it ended. */
  headBytes: 48 * KIB,
  tailBytes: 16 * KIB,
  /** The structured part of a result, as JSON; a larger one is left out whole, because half of it is none. */
  structuredBytes: 64 * KIB,
  /** An id, a code, the name of a tool, a model or a person: what people can still read on a line. */
  wordBytes: 512,
  /** Ids or names in one list: more than may wait in a session, and more than anybody mentions. */
  list: 256,
  /** Entries on one page. */
  page: 200,
  /** Entries that are looked through, newest first, for the last one of a type: a day of a busy session. */
  lookBack: 10_000,
});

/** Agents, as the file and their databases describe them. */
export const agentLimits = Object.freeze({
  /** Tables of the file. */
  agents: 256,
  /** Agent databases on one peer that are looked through for a name. */
  databases: 10_000,
  name: 64,
  /** What a person writes as a prompt, or keeps in the files that belong to it, in UTF-8 bytes. */
  promptBytes: 64 * KIB,
  promptFiles: 16,
  pathBytes: 4096,
  /** Names in one list. */
  list: 256,
  workers: 32,
  wordBytes: 256,
  maxIterations: 50,
  maxIterationsMax: 1000,
  maxDepth: 3,
  maxDepthMax: 8,
  /** Below it no answer fits behind the prompt. */
  contextTokensMin: 4096,
  contextTokensMax: 100_000_000,
  groups: 64,
});

/** Sessions, and what waits in them. */
export const sessionBounds = Object.freeze({
  nameBytes: 256,
  /** Agents in one room. */
  attached: 64,
  /** Entries that wait to be answered, of all agents together. */
  pending: 100,
  /** Sessions above a spawned one that are looked at: agents go 8 deep at most. */
  above: 16,
  /** Turns of agents since a person or client spoke, before agents stop waking each other. */
  burst: 6,
  burstMax: 64,
  /** Mentions of one message that count. */
  mentions: 16,
  /** The key under which a client sends an entry. */
  keyBytes: 128,
  /** How long such a key is known; a client that sends again later sends anew. */
  keyKeptMs: 7 * 24 * 3_600_000,
  /** Sessions that one look for a name goes through. */
  sessions: 100_000,
  /** Rows that recovery takes at once. */
  recovered: 200,
});

/** What people are asked. */
export const approvalLimits = Object.freeze({
  /** From asking to deciding, and from a decision to its use: as long as somebody who was called over needs. */
  openMs: 300_000,
  /** A client's call is held so long: most clients give up after 60 s. A turn waits to the end. */
  holdMs: 45_000,
  /** The same call within this time is told to who decides: somebody may be asked twice for one thing. */
  sameCallMs: 600_000,
  /** Open ones of one caller: more nobody decides in that time, and together the largest of them are 2 MiB. */
  open: 32,
  /** Open ones in one look: the largest of them are 4 MiB. */
  listed: 64,
  /** After that nobody asks any more who decided. */
  keptMs: 30 * 24 * 60 * 60 * 1000,
  /** Rows that are kept: the largest of them are 600 MiB. */
  kept: 10_000,
  /** Of the oldest that are looked at when one is added: more than come in, and a moment’s work where they are large. */
  prunedTogether: 8,
});

/** Telling what happens in a session. */
export const eventLimits = Object.freeze({
  /** Arrivals on this peer that are sent to who comes back; after more of them reading the entries again is cheaper. */
  gap: 1000,
  /** Writes that are kept while somebody catches up: longer than reading those takes. */
  kept: 256,
});

/** Routines and their slots. */
export const routineLimits = Object.freeze({
  /** Characters of a cron pattern; the longest that anybody needs lists a few dozen values. */
  patternLength: 256,
  /** UTF-16 units of what the parser says about a pattern. */
  reason: 160,
  /** A year: what is longer is a date. */
  everyMaxSecs: 31_622_400,
  /** The last moment that a date can hold. */
  momentMaxMs: 8_640_000_000_000_000,
  dayMs: 86_400_000,
  /** A slot is still in time when it is claimed this late. */
  graceMs: 60_000,
  /** Failures in a row that switch a routine off, where its row does not say. */
  maxFailures: 3,
  maxFailuresMax: 1000,
  jitterMaxSecs: 3600,
  /** Slots that a policy may run after they were missed. */
  catchUpMost: 100,
  /** Slots gone through at once, 33 µs each: further back lie months of minutes. */
  slotsWalked: 512,
  /** Rows for slots that were missed together; whoever was away for a year need not read each minute of it. */
  missedRows: 20,
  /** Handlers at once; the rest waits its turn and is no later for it than the others. */
  firing: 32,
  /** The longest sleep: after it the wall clock is read again, which may have jumped, or stood still with the machine. */
  sleepMs: 15_000,
  /** Routines of one database. */
  routines: 100_000,
  /** Databases with routines. */
  places: 10_000,
  /** After this a claim is tried again that the store could not write. */
  retryMs: 5000,
  /** A slot that nobody was there to begin is tried again after as long as it is late: `retryMs` at least, this at most. */
  awayMs: 60_000,
  /** Between two looks for slots that are too old. */
  pruneMs: 3_600_000,
  /** Slots are kept this long after they ended, and so many of them. */
  slotsKeptMs: 90 * 86_400_000,
  slotsKept: 100_000,
  /** `[[schedules]]` of one file. */
  fileSchedules: 256,
  /** Firings to come that are looked at for the shortest time between two. */
  paceLooked: 100,
  /** Fires that a list counts. */
  firesCounted: 20_000,
  /** What an agent is told when its schedule fires. */
  taskBytes: 16 * KIB,
  /** Slots listed at once. */
  listed: 200,
});

/** The host's own commands. */
export const commandBounds = Object.freeze({
  /** UTF-16 units of a line; an extension's commands have the same bound. */
  line: 8192,
  /** Sessions, agents or approvals in one answer: more nobody reads. */
  listed: 200,
  /** Sessions that are looked at for a list: each is a database that is opened for it. */
  looked: 1000,
  /** Entries that `/print` shows, and how many it may be asked for. */
  printed: 20,
  printedMax: 200,
  /** UTF-16 units of a text where an answer only shows what it is about. */
  shownText: 2000,
  /** Letters of an approval's id that are enough, where no other begins so: `apr_` and four of 64 each. */
  approvalPrefix: 8,
  /** Sessions between a spawned one and the one that a person is in, that are gone up. */
  parents: 16,
});

/** Turns. */
export const turnLimits = Object.freeze({
  /** Replies in a row that ask for the same calls before the model is told so and gets no more tools. */
  sameCalls: 3,
  /** Replies in a row that were cut or withheld in their calls, before the same. */
  cutReplies: 3,
  /** Calls of one reply at a time, where all of them only read. */
  readsAtOnce: 8,
});

/** What of a session reaches a model. */
export const contextLimits = Object.freeze({
  /** The reply has its `max_tokens`, but at most this part of a small window. */
  replyPart: 4,
  /** Another part is kept free: no estimate knows how a model counts. */
  sparePart: 16,
  /** Results that are newest keep their text up to this part of the budget, before anything older than them is kept for it. */
  freshPart: 2,
  /** What extensions add has this part of what the agent's words and its tools leave: the conversation has the other. */
  addedPart: 2,
  /** Entries of a session that are looked at for one request: hundreds of turns; who needs more has a summary made. */
  entries: 4000,
  /** Bytes of them as JSON: fat entries that no model is shown must not cost more than the others. */
  bytes: 32 * MIB,
  /** Entries of the first page; each further one is twice as large. */
  firstPage: 32,
  /** Texts that tails are told, and UTF-16 units of each: enough to know what the talk is about. */
  recent: 8,
  recentUnits: 4096,
  /** UTF-16 units of a first sentence: a `brief` description that has none is cut. */
  sentence: 200,
});

/** Answering what waits. */
export const schedulerLimits = Object.freeze({
  /** The pause after a turn that could not begin, doubled after each, up to the longest. */
  retryMs: 1000,
  retryMaxMs: 30_000,
  /** What stopping waits for turns that were cancelled: longer than a tool has to settle. */
  closeMs: 15_000,
});

/** Sessions that nothing goes on in, and that stay in memory. */
export const idleLimits = Object.freeze({
  /** A person who thinks about an answer comes back to a session that is open; one that was left for longer opens in a few milliseconds. */
  releaseAfterMs: 600_000,
  /** How many stay until then, those used last; each has about 0.7 MiB, with the built-in extensions. */
  kept: 64,
  /** Nothing gives way sooner than this, however many there are: a handle that was given out is good for so long. */
  leastMs: 60_000,
  /** Between two looks; each goes through what is in memory. */
  sweepMs: 30_000,
  /** That are let go of side by side: an extension has seconds for its end. */
  atOnce: 16,
});

/** Ends that the disk did not take. */
export const owedLimits = Object.freeze({
  /** Between two looks whether it takes them now. */
  againMs: 1000,
  /** Beyond them, which is more than run at once, an end is left to the next start. */
  count: 1024,
});

/** Tasks that turns give to others. */
export const spawnLimits = Object.freeze({
  /** That run at one time for one session. */
  running: 16,
  /** After nobody waits any more an answer still counts for a second; what is told then must be told before. */
  settleMs: 800,
});

/** Summing a session up. */
export const summaryLimits = Object.freeze({
  /** Entries that a model would read: of fewer a summary is longer than they are. */
  entries: 3,
});

/** Skills. */
export const skillLimits = Object.freeze({
  /** As the Agent Skills format has it. */
  name: 64,
  /** Characters of a digest that say which text is meant: 72 bits. */
  digestUnits: 12,
  /** Characters; as the format has it. Every turn pays for it. */
  description: 1024,
  /** A SKILL.md: more than a model should be told at once. */
  textBytes: 64 * KIB,
  /** Its head: a description, and some words. */
  headBytes: 16 * KIB,
  headValues: 512,
  headDepth: 8,
  /** Brackets of its head that are open at one time, in texts too: the parser takes time for each. */
  openBrackets: 64,
  /** Triggers, tags or tools of one skill, and characters of one. */
  words: 64,
  word: 64,
  /** Characters of a license, a note on compatibility, a list of tools. */
  shortText: 500,
  /** All that a skill's folder holds, and how many files and folders that is. */
  folderBytes: 5 * MIB,
  folderFiles: 256,
  /** Bytes of a path inside a skill. */
  path: 512,
  /** Skills of one folder of skills, and what stands in it beside them. */
  perRoot: 512,
  rootEntries: 4096,
  /** Skills of one folder that are looked at together. */
  readAtOnce: 8,
  /** `[skills] dirs`. */
  dirs: 32,
  /** A record of a bank is one commit, which has a mebibyte with its frame. */
  recordBytes: 900 * KIB,
  /** Skills of one bank, and banks of one peer or session. */
  perBank: 512,
  banks: 64,
  /** Folders whose reading is kept. */
  kept: 4096,
  /** A folder that was changed so shortly before it was read is read again: a change within one tick of its clock would not show. */
  settledMs: 2000,
  /** Warnings that are remembered, so that each is given once. */
  warned: 4096,
  /** Digests pinned, and skills installed, on one peer. */
  pins: 10_000,
  /** Fetching a repository. */
  gitMs: 120_000,
  /** What a repository may grow to on the disk while it is fetched, and how often that is looked at. */
  gitFolderBytes: 256 * MIB,
  gitLookMs: 250,
  /** What git printed last is told when it fails. */
  gitSaid: 300,
  gitBytes: 64 * KIB,
});

/** Memories and the banks that they stand in. */
export const memoryLimits = Object.freeze({
  /** A key: a line, that a person can type. */
  keyBytes: 256,
  /** A value: as much as an entry’s text. */
  valueBytes: 64 * KIB,
  tags: 32,
  tagBytes: 64,
  /** Memories of one answer, and how many where nothing is said. */
  found: 10,
  foundMax: 100,
  /** UTF-16 units of a query. */
  queryUnits: 8 * KIB,
  /** Words that a query looks for: each costs a look into the index. */
  queryWords: 16,
  /** What each kind of search puts into the fusion: a lower rank is worth less than a hair. */
  ranked: 50,
  /** The same where tags will take most of it away. */
  rankedForTags: 1000,
  /** Records that are gone through for the newest, newest first; rare tags of a large memory are found by a word. */
  walked: 20_000,
  walkedPage: 200,
  /** Of the event loop at a time. */
  sliceMs: 5,
  /** UTF-16 units of a memory that a vector stands for: what the common models read. */
  embeddedUnits: 8 * KIB,
  /** Texts of one request. */
  embeddedAtOnce: 64,
  /** The most that a model is asked for or answers. */
  dimensionsMax: 4096,
  embeddingAnswerBytes: 16 * MIB,
  /** A request for many texts; nobody waits for it. */
  embedTimeoutMs: 60_000,
  /** A query: somebody waits, and words are found without it. */
  queryTimeoutMs: 10_000,
  /** The query of a tail, which has two seconds in all. */
  tailTimeoutMs: 1200,
  /** Pause after a failure, doubled after each. */
  embedRetryMs: 1000,
  embedRetryMaxMs: 300_000,
  /** After so many refusals a text stays without a vector until it changes. */
  embedTries: 3,
  /** Vectors in memory, over all models and memories: a hundred thousand of 1,536 dimensions. What does not fit is read from the disk for each search. */
  residentBytes: 160 * MIB,
  /** Vectors read at a time: a few milliseconds. */
  vectorsRead: 500,
  /** Vectors of queries that are kept: a turn asks the same of each bank, and its next step again. */
  queriesKept: 64,
  urlBytes: 2048,
  modelBytes: 128,
  /** Memories of one import, and bytes of its file. */
  imported: 100_000,
  importedBytes: 256 * MIB,
  /** Of one line of it: a value in JSON, each of its bytes escaped. */
  importedLineBytes: 512 * KIB,
  /** Memories of one commit, and their bytes: a commit has 1 MiB. */
  importedAtOnce: 100,
  importedCommitBytes: 256 * KIB,
});

/** Banks of memories or skills. */
export const bankLimits = Object.freeze({
  /** Banks of a kind on one peer. */
  banks: 1000,
  /** Banks listed at once, and agents that one is listed with: more nobody reads. */
  listed: 200,
  grants: 200,
});

/** Calls of clients in sessions. */
export const clientLimits = Object.freeze({
  /** A call that runs longer is answered without its end: as long as the slowest call of a native plugin takes. */
  callMs: 125_000,
  /** Arguments that an entry is to hold beside its other members; larger ones, which no tool takes, are left out. */
  argumentBytes: 128 * 1024,
  /** What `session_read` answers: for a model, 64 KiB are 16,000 tokens. */
  readBytes: 64 * 1024,
});
