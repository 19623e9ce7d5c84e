const secondMs = 1_000;
const dayMs = 86_400_000;

/** What the command takes from a server, a file or standard input. */
export const clientLimits = Object.freeze({
  /** A proxy that opens no way in this time has none: CONNECT is one round trip. */
  proxyOpenMs: 10_000,
  /** The largest answer is a result of 512 KiB, six times that when every character is escaped, and its wrapper. */
  answerBytes: 8 * 1024 * 1024,
  /** A definition's schemas are 16 deep and stand four levels down. */
  answerDepth: 64,
  /** 1,000 live tokens of ten members with a list each, and those that ended in the last 90 days. */
  answerNodes: 262_144,
  /** Of one event of a stream; the host's have one line of data. */
  eventLines: 64,
  /** A token is 60 characters; a file that holds more is another file. */
  tokenFileBytes: 4_096,
  /** A file of variables, written by hand. */
  envFileBytes: 65_536,
  /** What a Runner reads of its `runner.toml`. */
  runnerFileBytes: 1_048_576,
  /** What a host reads of its `fairlead.toml`. */
  hostFileBytes: 1_048_576,
  /** Twice what the gateway takes, so that its own answer about the size is the one that people read. */
  argumentsBytes: 131_072,
  argumentsDepth: 64,
  argumentsNodes: 65_536,
});

/** How long the command waits for an answer: above every budget of the gateway, so that the gateway's own answer comes first. */
export const answerTimeoutMs = Object.freeze({
  list: 15 * secondMs,
  describe: 15 * secondMs,
  /** A person may take 45 s, a provider 120 s, the gateway 5 s more. */
  call: 200 * secondMs,
  /** The gateway waits 45 s for a person and 125 s for the Runner. */
  check: 200 * secondMs,
  reload: 200 * secondMs,
  outcome: 15 * secondMs,
  'check-config': 15 * secondMs,
  'reload-config': 200 * secondMs,
  admin: 15 * secondMs,
  /** Its worker may take 30 s to load and its global instance 30 s to open. */
  extension: 90 * secondMs,
  /** What runs is cancelled, and may take 15 s to say how it ended. */
  pause: 30 * secondMs,
  /** A turn takes as long as it takes; its ceilings end it. Longer than a day nobody waits. */
  run: 86_400 * secondMs,
  /** Beyond the time that a turn was given: what runs is cancelled, and says how it ended. */
  afterRun: 60 * secondMs,
  /** A database of some gigabytes, copied while others write. */
  backup: 600 * secondMs,
  /**
   * `/healthz` touches nothing but the event loop, and an address that nobody holds refuses at once: only a host that hangs takes as long.
   * On a machine with far more work than processors a living one takes seconds, and must not be told as none.
   */
  health: 10 * secondMs,
});

/** What `run` takes from standard input: what an entry may have is the host's to say, and less. */
export const runTextLimits = Object.freeze({ bytes: 1_048_576 });

/** What `model add` asks of a model. */
export const modelCheckLimits = Object.freeze({
  /** One word is enough; a model that thinks first needs some room for it. */
  tokens: 64,
});

/** `fairlead journal`: as the gateway has it. A test compares them. */
export const journalLimits = Object.freeze({ entries: 50, entriesMax: 500 });

/** `fairlead mcp`: one client on stdin and stdout, and the gateway behind it. */
export const mcpLimits = Object.freeze({
  /** What the gateway takes in one body by default. */
  lineBytes: 1024 * 1024,
  /** Above the gateway's own bounds, so that its own answer about them is the one that clients read. */
  lineDepth: 64,
  lineNodes: 65_536,
  /** Calls that run at once, each on a socket of its own: an eighth of the sockets that the gateway takes. */
  calls: 64,
  /** Sockets kept between calls. */
  idleSockets: 4,
  /** What Node's own client takes for all headers of an answer. */
  headBytes: 16 * 1024,
  /** Half of what the gateway keeps them, so that none is closed under a request. */
  idleSocketMs: 30 * secondMs,
});

/** What people read. */
export const outputLimits = Object.freeze({
  /** Above any line that is meant to be read; a longer one is cut. */
  lineCharacters: 4_096,
  /** A schema of a page or two. `--json` gives it whole. */
  schemaCharacters: 16_384,
  /** Anything that takes longer shows what it is waiting for. */
  quietMs: secondMs,
  /** What is told beside an answer may come this much after it. */
  lastWordsMs: secondMs,
  /** A list of plugins goes on in the next line from here on. */
  textColumns: 96,
});

/** The life of `up`, `serve` and `runner run`. */
export const hostLimits = Object.freeze({
  /** How long the ready line waits for providers; those that take longer are named and go on starting. */
  readyMs: 10 * secondMs,
  /** A second start waits this long for the first one's address: its ready line comes after 10 s at most. */
  holderMs: 12 * secondMs,
  holderPollMs: 100,
  /** The host ends within 5 s; twice that only catches one that hangs. */
  stopMs: 10 * secondMs,
  /** What npm and the terminal send for one Ctrl-C arrives within milliseconds; a later signal is a second wish. */
  sameSignalMs: 750,
  /** `up` is gone within a second of npm: two looks fit. */
  parentPollMs: 400,
});

/** The logs of a host and of a Runner, and the command that shows them. */
export const logLimits = Object.freeze({
  /** Weeks of an operator's own use, and small enough to be read whole. */
  bytes: 10_000_000,
  /** The one that is written to and four older ones. */
  files: 5,
  /** Eight times what a line has at most; more is some other file, shown in pieces. */
  lineBytes: 65_536,
  /** Two screens or three; the flag asks for more. */
  shownLines: 200,
  /** As many as five files of ordinary lines have. */
  shownLinesMax: 1_000_000,
  /** What is followed appears while somebody looks. */
  followPollMs: 200,
});

/** The operator token. */
export const operatorTokenLimits = Object.freeze({
  lifetimeMs: 90 * dayMs,
  /** Renewed at a start when less than this is left, so that a week's holiday does not end it. */
  renewBelowMs: 7 * dayMs,
});

/** `fairlead chat`. */
export const chatLimits = Object.freeze({
  /** An escape sequence arrives in one piece, also over a slow line; a lone escape is the key. */
  escapeMs: 50,
  /** Who is writing when a question appears needs this long to see it. */
  questionMs: 500,
  /** The second Ctrl-C that leaves. */
  againMs: 2 * secondMs,
  /** A turn that is cancelled may take 15 s to say how it ended. */
  lastWordMs: 20 * secondMs,
  noticeMs: 4 * secondMs,
  /** What changes with the time is drawn anew. */
  tickMs: secondMs,
  /** Words that arrive faster than anybody reads are drawn together. */
  drawMs: 30,
  /** Texts that arrow keys and the search find. */
  historyTexts: 500,
  searchCharacters: 200,
  /** A line that is longer is no command any more. */
  menuCharacters: 8_192,
  /** What a step says while it says it: the entry that follows has 64 KiB. */
  wordsCharacters: 262_144,
  /** Turns of which something may still be told late. */
  turnsOver: 64,
  /** What can be read back without asking the host. */
  blocks: 5_000,
  /** What of a session is printed when it is opened: a screen or two. */
  openedBlocks: 12,
  /** Pauses between attempts to reach a host that went away: a restart takes a second or two. */
  retryFirstMs: 250,
  retryMostMs: 4 * secondMs,
  /** A stream sends something every 15 s; two missed pings and it is gone. */
  silentMs: 40 * secondMs,
  /** `/compact` asks a model. */
  commandMs: 600 * secondMs,
});
