/**
 * The runner's numbers, each with its reason. Those of the plugin protocol and of the link stand in
 * `@fairlead/protocol`.
 */
export const limits = Object.freeze({
  /** A configuration file, bytes. Eight providers at their largest are far below it. */
  configMaxBytes: 1024 * 1024,
  /** Faults of one file that are shown; the rest is counted. */
  faultsShownMax: 8,
  /** Characters of a parser's own words in a note. */
  noteMaxCharacters: 200,
  /** A part of a key that crosses the link: longer than every key there is, shorter than every token. */
  fieldPartMaxCharacters: 40,

  /** A Runner token, bytes: the real ones have 59. */
  tokenMaxBytes: 4096,
  /** Linux's PATH_MAX, and the bound of `cwd` (docs/reference/configuration-runner.md), bytes. */
  pathMaxBytes: 4096,
  /** A profile's description, bytes: longer than anybody reads. */
  descriptionMaxBytes: 4096,
  /** A provider's command, bytes (docs/reference/configuration-runner.md). */
  commandMaxBytes: 1024,
  /** A provider's arguments (the same page): well below what any system takes for one process. */
  argumentsMax: 64,
  argumentMaxBytes: 4096,
  argumentsMaxBytes: 16 * 1024,
  /** A profile's name, bytes: it is typed by hand. */
  profileNameMaxBytes: 64,
  /** What an `init_script` may take, seconds: 30 s (docs/reference/native-plugin-protocol.md §13), and twice that for a slow version manager. */
  initTimeoutDefaultSecs: 30,
  initTimeoutMaxSecs: 60,
  /** Calls that may wait for one provider: past it, waiting only hides that the provider is too slow. */
  queuedMax: 16,

  /** Answers kept for whoever lost them: more than a gateway can have had in flight when its link broke. */
  keptAnswersMax: 256,
  /** … and in all, bytes: sixty-four results of the largest size. */
  keptAnswersMaxBytes: 32 * 1024 * 1024,
  /** … and how long: a gateway that comes back later has lost more than a link. */
  keptAnswersMs: 15 * 60 * 1000,
  /** Calls that are never carried out, because they were said never to have come; after that many it is not said any more. */
  entombedCallsMax: 65_536,
  /** Memory of the ids that ever came, 1 MiB (a power of two): of a million calls one id in fifty cannot be told apart. */
  seenCallsBits: 2 ** 23,
  /** Places of one id in it: near the best for that many ids, and cheap. */
  seenCallsProbes: 4,

  /** After a process has ended, how long its output may still drain: a descendant can hold the pipe open for ever. */
  outputDrainMs: 250,
  /** After a failed write, how long the output's end may take to show: a process that dies closes both, and says more by its end. */
  writeFaultMs: 20,
  /** Stopping waits this long for process trees, then goes on without them. */
  stopMs: 2000,

  /** The WebSocket handshake, seconds (docs/reference/configuration-runner.md). */
  connectTimeoutDefaultSecs: 5,
  connectTimeoutMaxSecs: 120,
  /** How long the last frames may take to leave when the Runner stops. */
  goodbyeMs: 500,

  /** A socket path of more bytes does not fit every system's address structure. */
  socketPathMaxBytes: 100,
  /** Connections to the local socket at once: people ask, one by one. */
  localConnectionsMax: 16,
  /** One request line on the local socket, bytes. */
  localRequestMaxBytes: 1024,
  /** One answer on the local socket, bytes: two rings of 32 KiB, escaped, are far below it. */
  localAnswerMaxBytes: 1024 * 1024,
  /** From connection to answer on the local socket. */
  localTimeoutMs: 5000,
});
