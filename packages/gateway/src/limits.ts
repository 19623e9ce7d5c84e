/** Limits of what `fairlead.toml` may say. */
export const hostLimits = {
  /** A hand-written file; far above any real one, and parsed at once. */
  fileBytes: 1024 * 1024,
  /** One request body. A legal call is 64 KiB of arguments, six times that when every character is escaped. */
  bodyBytes: { fallback: 1024 * 1024, min: 512 * 1024, max: 8 * 1024 * 1024 },
  /** One whole request, from its first header to its answer. The longest legal wait is 45 s for a person and 125 s for a call; above 3600 s nobody listens. */
  requestSecs: { fallback: 300, min: 180, max: 3600 },
  /** Sockets open at once. 512 is far above what one operator's clients use and far below the usual limit of open files. */
  connections: { fallback: 512, min: 8, max: 16_384 },
  /** Proxies in front of one gateway. */
  trustedProxies: 32,
  /** Variables that `*_env` keys may name: each is a string compared on every child's environment. */
  environmentKeys: 1024,
} as const;

/** Limits of one HTTP request beside the configured ones. */
export const httpLimits = {
  /** Headers arrive in one packet from an honest client; a slow one is dropped. */
  headersMs: 10_000,
  /** Headers and body of one request: 1 MiB takes 8 s over 1 Mbit/s. */
  receiveMs: 30_000,
  /** How often Node looks for sockets that passed the two above. */
  slowCheckMs: 1_000,
  /** Beyond the limit of a request: then a socket on which nothing moved is closed, also one that never reads its answer. */
  idleMarginMs: 10_000,
  /** Longer than the pauses of a client that works through a list of calls. */
  keepAliveMs: 65_000,
  /** Node's own default, spelled out: all headers of one request. */
  headerBytes: 16 * 1024,
  /** Requests on one socket before it is closed: none. A call's client keeps its socket for as long as it likes. */
  requestsPerSocket: 0,
  /** Sockets beyond the configured ones, for this machine itself: its commands come one at a time, its Runner has one. */
  ownConnections: 16,
  /** Answers still running when the gateway closes: SIGTERM to the end of the process is 5 s. */
  closeMs: 3_000,
  /** After the last answer, for clients to close their sockets by themselves. */
  hangUpMs: 250,
  /** Body nesting: a call's arguments may be 16 deep and stand two levels down; the rest is room for a clear refusal further on. */
  bodyDepth: 32,
  /** Values in one body: the arguments' 4,096 and their wrappers, with room for a clear refusal further on. */
  bodyNodes: 16_384,
  /** One object key of a body. */
  bodyKeyBytes: 4_096,
  /** `recording_session_id`: a session id is 47 characters. */
  recordingSessionIdBytes: 128,
  /** Entries of `context`. */
  contextEntries: 16,
  /** One of them: the name of a sidecar and the longest id of a project. */
  contextNameCharacters: 640,
  /** `/api/admin/status` asks every Runner for its providers; one that does not answer must not hold the page. */
  statusMs: 5_000,
} as const;

/** Limits of the routes about sessions; what a session itself may hold is the host's to say. */
export const sessionRouteLimits = {
  /** What a person types at once, and what an entry may hold: UTF-8 bytes of a message or of a line. */
  textBytes: 64 * 1024,
  /** The key under which a message is sent: a UUID has 36. */
  keyBytes: 128,
  /** Names of sessions and agents, and of models with their back end. */
  nameBytes: 256,
  /** Agents of a new session, as many as a room holds. */
  agents: 64,
  /** The longest path that Linux takes. */
  workspaceBytes: 4096,
  /** Sessions on one page: each is opened to be shown. */
  sessions: { fallback: 50, max: 200 },
  /** Entries on one page. */
  entries: 200,
  /** A page ends early before it grows beyond this: 200 entries may be 50 MiB. */
  pageBytes: 4 * 1024 * 1024,
  /** Tools that one run may name as approved. */
  approvedTools: 256,
  /** One run that is waited for: a day, so that a forgotten one ends. */
  runMs: 24 * 3_600_000,
  /** Silence on the socket of such a run after which the network asks whether the other side is still there. */
  runProbeMs: 30_000,
} as const;

/** Limits of a stream of a session. */
export const streamLimits = {
  /** Half of what proxies and clients commonly take for a dead connection. */
  pingMs: 15_000,
  /** What a reader may be behind: then it is told to read the entries again, instead of what it missed. */
  behindBytes: 1024 * 1024,
} as const;

/** Limits of MCP beside those of HTTP. */
export const mcpLimits = {
  /** The text of a failure: what a model is shown of it, with room for every message and next step that there is. */
  failureTextBytes: 1024,
  /** How long a client may keep the list of tools: it changes with the version of the gateway alone. */
  listTtlMs: 300_000,
  /** An id is a number or a UUID; it is repeated in the answer. */
  idCharacters: 256,
  /** A fault of the protocol in the words of its package, which repeat what was sent. */
  faultCharacters: 2_048,
} as const;

/** Limits of the gateway's end of the Runner link, beside those of the protocol itself. */
export const hubLimits = {
  /** Bytes that a socket holds before requests wait in the queue, where they can still be proven not started. */
  outgoingBytes: 1024 * 1024,
  /** Requests of one Runner that wait for an answer. Eight providers answer one at a time and refuse more as busy at once. */
  unanswered: 1_024,
  /** Sockets that have not registered yet, over all Runners: each may stay 15 s. */
  unregistered: 64,
  /** Of these, sockets with one token: a Runner dials one at a time, and none may keep the others out. */
  unregisteredOfToken: 4,
  /** Runners at once. */
  runners: 256,
  /** Frames that answer nothing (late, repeated, unknown) before a Runner is taken for broken. */
  strayFrames: 10_000,
} as const;

/** Limits of codes that a second machine is paired with. */
export const pairingLimits = {
  /** Time to walk to the other machine and type. */
  lifetimeMs: 600_000,
  /** 16 characters of 32: 80 bits. */
  codeCharacters: 16,
  /** Live codes at once, one for each runner id. */
  live: 64,
  /** What a person types wrongly, with room; guessing 80 bits takes longer than any code lives at any rate. */
  wrongPerClient: 10,
  /** Over all clients, so that a crowd of addresses gains nothing. */
  wrongInAll: 120,
  windowMs: 60_000,
  /** A code as typed, with its dashes and spaces. */
  textCharacters: 64,
  /** The body that shows it: each of its characters may be escaped with six. */
  bodyBytes: 1024,
} as const;

/** Limits of tokens. */
export const tokenLimits = {
  /** Tokens that are neither revoked nor expired: all are held in memory. */
  live: 1_000,
  /** Rows kept, ended ones included; a new token then takes the place of the oldest that has ended. */
  rows: 4_096,
  nameBytes: 64,
  /** Runners that one personal token may be limited to. */
  runners: 64,
  /** `token create` without `--expires`. */
  defaultLifetimeMs: 90 * 86_400_000,
  minLifetimeMs: 60_000,
  /** A token that nobody renews for a year is forgotten, not used. */
  maxLifetimeMs: 366 * 86_400_000,
  /** Revoked and expired rows are kept this long for `token list`, then removed at a start. */
  keepEndedMs: 90 * 86_400_000,
} as const;

/** Limits of the log. */
export const logLimits = {
  /** A longer line is cut; it is then a fault of who wrote it. */
  lineBytes: 8 * 1024,
  /** Lines about refused requests, or about the links of one token, in one window: enough to see who it is. */
  refusalLines: 50,
  refusalWindowMs: 10_000,
} as const;
