import type { JsonBounds } from '@fairlead/base';

// Every number of the native plugin protocol and of the Runner link, each with its reason.
// docs/reference/native-plugin-protocol.md §6 is the same table for people.

const KIB = 1024;
const MIB = 1024 * KIB;

/** The one protocol version that a plugin may answer `initialize` with. */
export const PROTOCOL_VERSION = 'webcodex-plugin-v1';

/** One line of the wire, without its line feed. */
export const frameLimits = Object.freeze({
  /** Holds the largest result (512 KiB) with every character escaped once, and bounds what one read may cost. */
  maxBytes: MIB,
});

/** How many values a part of a message may hold: generous for real schemas and results, small enough to walk. */
const PART_MAX_NODES = 4096;
/** How deep a part may nest, its root being 0: keeps everything that recurses over it shallow. */
const PART_MAX_DEPTH = 16;
/** A browser snapshot is one long text; 64 and 256 KiB proved too small for real plugins. */
const TEXT_MAX_BYTES = 512 * KIB;
/** A longer member name is data in the wrong place. */
const KEY_MAX_BYTES = 1024;

function part(maxBytes: number): JsonBounds {
  return Object.freeze({
    maxBytes,
    maxDepth: PART_MAX_DEPTH,
    maxNodes: PART_MAX_NODES,
    maxStringBytes: TEXT_MAX_BYTES,
    maxKeyBytes: KEY_MAX_BYTES,
  });
}

/** A line as a whole: only its bytes bound it, because its parts have bounds and codes of their own. */
export const frameBounds: JsonBounds = Object.freeze({
  maxBytes: frameLimits.maxBytes,
  maxDepth: frameLimits.maxBytes,
  maxNodes: frameLimits.maxBytes,
  maxStringBytes: frameLimits.maxBytes,
  maxKeyBytes: frameLimits.maxBytes,
});

/** The result of `initialize`: free members are tolerated, so only the frame bounds its bytes. */
export const initializeBounds: JsonBounds = part(frameLimits.maxBytes);

/** An input schema, an output schema, the annotations: each is shown whole to a model. */
export const definitionPartBounds: JsonBounds = part(64 * KIB);

/** The arguments of one call. */
export const argumentsBounds: JsonBounds = part(64 * KIB);

/** The result of one call, serialized; its texts together and its structured content are smaller than the whole. */
export const resultBounds: JsonBounds = part(TEXT_MAX_BYTES);

/** Content items of one result: a model reads each of them. */
export const RESULT_MAX_ITEMS = 32;

/** What a Runner may be configured with. */
export const providerLimits = Object.freeze({
  /** Each is a process tree of its own. */
  maxProviders: 8,
  /** An id stands in paths of commands and in answers. */
  idMaxBytes: 64,
  /** A name is shown on one line. */
  nameMaxBytes: 128,
});

/** One frozen catalog. */
export const catalogLimits = Object.freeze({
  /** More tools than this no model chooses from. */
  maxTools: 128,
  toolNameMaxBytes: 128,
  titleMaxBytes: 128,
  /** Descriptions go into a model's context. */
  descriptionMaxBytes: 4 * KIB,
});

/** Entry counts and length keywords of schema profile v1. */
export const schemaLimits = Object.freeze({
  maxProperties: 128,
  maxRequired: 128,
  maxEnum: 128,
  /** An argument can never be longer than the 64 KiB that all arguments may take. */
  maxInputLength: 64 * KIB,
  /** A result text can never be longer than 512 KiB. */
  maxOutputLength: 512 * KIB,
  /** An array can never hold more values than a part may have. */
  maxItems: PART_MAX_NODES,
});

/** Time of one provider. The same whole budget holds for `initialize`, for `tools/list` and for each call. */
export const timeoutLimits = Object.freeze({
  defaultSecs: 30,
  minSecs: 1,
  /** Longer waits outlive the patience of the clients at the other end. */
  maxSecs: 120,
});

/** What a `check` may say about a candidate. */
export const REPORT_DETAIL_MAX_BYTES = 512;

/** The tools of one project, as they are offered for choosing. */
export const projectCatalogLimits = Object.freeze({
  /** Every tool of every provider that a Runner can have. */
  maxEntries: 1024,
  /** A description that is meant for choosing says it in its first sentences. */
  descriptionMaxBytes: 512,
  /** The entries of one answer of a Runner, serialized. A gateway shows its callers far less. */
  linkMaxBytes: 64 * KIB,
});

/** What a Runner reports about its configuration. */
export const configReportLimits = Object.freeze({
  /** The longest key: a provider's id and a tool's name in one. */
  fieldMaxLength: 256,
  /** More than every key of eight providers and some profiles. */
  maxChanged: 256,
  /** As many as a person mends in one go. */
  maxFaults: 8,
  maxIgnored: 32,
});

/** The Runner link. */
export const linkLimits = Object.freeze({
  /** Holds a catalog of 128 tools as long as its schemas are not all at their bound. */
  frameMaxBytes: 8 * MIB,
  /** An error code on the link: `[a-z0-9_]`. */
  codeMaxLength: 80,
  /** An error message on the link; also that of a JSON-RPC error. */
  messageMaxBytes: 512,
  /** Ids of Runners, names, projects. */
  nameMaxBytes: 128,
  maxCapabilities: 32,
  maxProjects: 64,
  /** No request has a longer budget: 120 s and its margins. */
  deadlineMaxMs: 600_000,
  /** A socket that has not said who it is holds memory for nothing. */
  registerWithinMs: 15_000,
  pingIntervalMs: 30_000,
  /** Two missed pings make a socket silent. */
  missedPings: 2,
  /** How long a silent socket keeps its Runner id. */
  silentHoldMs: 60_000,
  /** How long a Runner whose id is taken tries again: longer than a silent socket holds it. */
  takenRetryMs: 75_000,
  /** Waits before each new attempt; the last one repeats. */
  reconnectDelaysMs: Object.freeze([1_000, 2_000, 5_000, 10_000, 30_000]),
  /** A connection that lasted this long starts the delays over. */
  stableAfterMs: 60_000,
  /** Requests waiting for one Runner; more is a Runner that does not keep up. */
  maxQueued: 256,
  /** Frames handed to one socket and not yet written. */
  maxOutgoing: 64,
  /** `list` and `describe` read memory only. */
  readBudgetMs: 10_000,
  /** Added to a provider's timeout for the way there and back. */
  callMarginMs: 5_000,
  /** `check` and `reload` start processes: initialize and tools/list may each take 60 s of it. */
  manageBudgetMs: 125_000,
});

/** A frame of the link as a whole. Depth covers a definition inside its answer, nodes a whole catalog. */
export const linkBounds: JsonBounds = Object.freeze({
  maxBytes: linkLimits.frameMaxBytes,
  maxDepth: 128,
  maxNodes: linkLimits.frameMaxBytes,
  maxStringBytes: linkLimits.frameMaxBytes,
  maxKeyBytes: linkLimits.frameMaxBytes,
});
