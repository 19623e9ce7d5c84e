import type { JsonBounds } from '@fairlead/base';

// Every number of this package, each with its reason. Sizes are bytes of UTF-8 unless the name says otherwise.

const KIB = 1024;
const MIB = 1024 * KIB;

/** What may stand in the configuration. */
export const configLimits = Object.freeze({
  /** More servers are a list that nobody wrote; the imported ones count. */
  servers: 64,
  imports: 16,
  args: 256,
  variables: 256,
  headers: 64,
  /** One text: an argument, a variable's value, a header. */
  textBytes: 16 * KIB,
  /** An imported file. */
  importBytes: MIB,
  startupTimeoutSecs: Object.freeze({ fallback: 30, min: 1, max: 600 }),
  timeoutSecs: Object.freeze({ fallback: 60, min: 1, max: 3600 }),
  maxOutputBytes: Object.freeze({ fallback: 100 * KIB, min: KIB, max: 900 * KIB }),
});

/** What one server may list. */
export const catalogBounds = Object.freeze({
  /** Tools: more fill a model's whole request. */
  tools: 256,
  /** Pages of one list: what the official client takes. */
  pages: 64,
  /** A name as the server has it. */
  nameBytes: 256,
  /** UTF-16 units of a description that a model is shown. */
  aboutLength: 8 * KIB,
  /** UTF-16 units of a server's instructions that a model is shown. */
  instructionsLength: 8 * KIB,
  /** Waits for a list: a server that answers calls answers this. */
  listMs: 30_000,
  /** A list that changes as soon as it was had is asked for again after a pause, doubled each time: several changes in a row are one list. */
  changedPauseMs: 200,
  /** The longest of them: whoever calls waits for two lists at most. */
  changedPauseMaxMs: 3200,
});

/** One tool's definition as a server lists it: schemas of programs that were generated are large, and never deep. */
export const definitionBounds: JsonBounds = Object.freeze({
  maxBytes: 256 * KIB,
  maxDepth: 40,
  maxNodes: 16_384,
  maxStringBytes: 128 * KIB,
  maxKeyBytes: KIB,
});

/** Checking a value against a schema, and making the schema that a model is shown. */
export const schemaBounds = Object.freeze({
  /** Steps of one check: a schema that refers to itself in many ways ends there, and what is left goes to the server unchecked. As many to merge and follow what a model is shown; past that the tool is refused. */
  steps: 50_000,
  /** Schemas above a value, references among them. */
  depth: 64,
  /** Nodes of what a model is shown, references written out; below that a schema takes anything. */
  shownNodes: 2048,
  shownDepth: 24,
});

/** Arguments of one call, as large as an approval shows them whole. */
export const argumentBounds: JsonBounds = Object.freeze({
  maxBytes: 64 * KIB,
  maxDepth: 32,
  maxNodes: 8192,
  maxStringBytes: 64 * KIB,
  maxKeyBytes: KIB,
});

/** The structured part of one answer; a larger one is left out, and its text stands. */
export const structuredBounds: JsonBounds = Object.freeze({
  maxBytes: 256 * KIB,
  maxDepth: 32,
  maxNodes: 65_536,
  maxStringBytes: 256 * KIB,
  maxKeyBytes: KIB,
});

/** What comes from a server. */
export const wireLimits = Object.freeze({
  /** One message: holds an image or a long file; a longer one is passed over, however long it is. */
  messageBytes: 8 * MIB,
  /** What is deep is refused where it stands, as one tool or one result: the rest of a list is good. */
  messageDepth: 4096,
  messageNodes: 500_000,
  /** Of an overlong line, its beginning and end are kept: the id of an answer stands in one of them. */
  edgeBytes: 256,
  /** What waits to be read by a program: one that asks without reading would fill the host's memory with answers. */
  unreadBytes: 16 * MIB,
  /** The same over HTTP, in requests: what the host answers of itself, one to each ping, while none is answered. A server has a few under way. */
  unreadRequests: 256,
  /** Lines on stdout that are no message: the first are logged, the rest counted. */
  strayLines: 5,
  /** UTF-16 units of a foreign text in a message for people. */
  foreignText: 300,
  /** A refusal's body over HTTP. */
  refusalBytes: 64 * KIB,
  /** An idle connection is given up before common servers do: one that is used as it closes leaves an outcome unknown. */
  idleSocketMs: 1500,
  sockets: 16,
  connectMs: 15_000,
});

/** The life of one server. */
export const lifeLimits = Object.freeze({
  /** Pauses before a program is started again; after the last of them it has failed. */
  restartMs: Object.freeze([1000, 2000, 4000, 8000, 16_000]),
  /** Between tries of one that has failed: whoever mends it should not have to restart the host. */
  failedRetryMs: 300_000,
  /** One that ran so long begins anew with the shortest pause. */
  steadyMs: 60_000,
  /** A first start may fill a cache for minutes; ended earlier it would never come to its end. */
  startMaxMs: 600_000,
  /** The hub reads what an extension offers ten times a second; whoever waits for that does not wait for ever. */
  readMs: 2000,
  /** Between the end of a program's output and its own, on a loaded machine too: its exit code says most. */
  exitMs: 2000,
  /** A program whose input has closed may end by itself. */
  quietEndMs: 1000,
  /** A session over HTTP is given back, if the server is quick. */
  goodbyeMs: 1000,
  /** A call waits so long for a list that is on its way. */
  listedWaitMs: 10_000,
});

/** Tokens for servers over HTTP. */
export const tokenLimits = Object.freeze({
  /** One with less left is refreshed before a call is sent. */
  freshMs: 60_000,
  /** Without a word from the server on how long it lives. */
  lifeMs: 300_000,
  /** One refresh; whoever waits for another's looks again that often. */
  refreshMs: 20_000,
  waitMs: 200,
  /** UTF-16 units: shorter ones are parts of ordinary words, and no secret. */
  maskedLength: 8,
  /** Tokens that are masked in what a server says: those of the last hours. */
  maskedTokens: 16,
  answerBytes: 64 * KIB,
});
