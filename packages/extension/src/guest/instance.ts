import type { Uses } from '../authoring/cap.ts';
import type { Log } from '../authoring/context.ts';
import type { DefinedPart, DefinedTool } from '../authoring/definition.ts';
import type { Ask, HostSide, LogLine } from '../carrier/ask.ts';
import { checkAsk } from '../carrier/ask.ts';
import type { CallRequest, Contributions, OpenRequest, ToolContribution } from '../carrier/carrier.ts';
import type { Clock } from '../clock.ts';
import { cutText } from '../contracts/text.ts';
import { extensionError } from '../errors.ts';
import type { Json } from '../json/json.ts';
import { plainJson } from '../json/plain-json.ts';
import { ASKS_MAX, contextLimits, logLimits } from '../limits.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { CompiledSchema } from '../schema/compile-schema.ts';
import type { InstanceScope } from './instance-scope.ts';

/** What all instances of one guest share. */
export interface Surroundings {
  readonly manifest: Manifest;
  readonly uses: Uses;
  readonly settings: CompiledSchema;
  readonly host: HostSide;
  readonly clock: Clock;
  readonly log: Log;
  /** Slot 0 says, to a thread that watches, which extension was entered last and has not answered; 0 is none. */
  readonly activity: Int32Array;
  readonly number: number;
  /** Questions to the host without an answer yet. */
  asks: number;
}

/** A tool of `moreTools`, and what the host was told of it. */
export interface LearntTool {
  readonly tool: DefinedTool;
  readonly contribution: ToolContribution;
}

/** One open instance. */
export class Instance {
  readonly id: string;
  readonly request: OpenRequest;
  readonly part: DefinedPart;
  readonly around: Surroundings;
  readonly scope: InstanceScope;
  state: unknown;
  /** Closed or closing: nothing is entered any more. */
  ended = false;
  runtimeTools: ReadonlyMap<string, LearntTool> = new Map();
  /** How often it was asked what it contributes. */
  readings = 0;
  /** What it said last, and at which of those readings. */
  shown: { readonly reading: number; readonly contributions: Contributions } | undefined;
  /** How many different tools `moreTools` has given. */
  revisions = 0;
  /** What last had each name, over readings that lacked it; the one seen last stands last. */
  readonly numbered = new Map<string, ToolContribution>();
  /** Calls that have not answered at once, and have not ended. */
  inFlight = 0;
  // Copied from the surroundings: they are touched at every call.
  readonly activity: Int32Array;
  readonly number: number;
  #idle: (() => void)[] = [];

  constructor(request: OpenRequest, part: DefinedPart, around: Surroundings, scope: InstanceScope) {
    this.id = request.instance;
    this.request = request;
    this.part = part;
    this.around = around;
    this.scope = scope;
    this.activity = around.activity;
    this.number = around.number;
  }

  /** Refuses a call where the instance has ended. */
  check(): void {
    if (this.ended) throw extensionError('extension_ended', this.id, { certainty: 'not_started' });
  }

  /** Counts a call out that was counted in. */
  leave(): void {
    if (this.activity[0] === this.number) this.activity[0] = 0;
    this.inFlight -= 1;
    if (this.inFlight === 0 && this.#idle.length > 0) this.#tellIdle();
  }

  /** Settles when no call is in flight. */
  idle(): Promise<void> {
    if (this.inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #tellIdle(): void {
    const waiting = this.#idle;
    this.#idle = [];
    for (const settle of waiting) settle();
  }
}

/** Asks the host: `capability_not_declared`, `too_many_asks`, and what the host answers. */
export async function ask(
  around: Surroundings,
  question: Ask,
  caller: CallRequest | undefined,
): Promise<Json> {
  checkAsk(around.manifest, question.op);
  if (around.asks >= ASKS_MAX) throw extensionError('too_many_asks');
  around.asks += 1;
  try {
    return await around.host.ask(question, caller);
  } finally {
    around.asks -= 1;
  }
}

/**
 * The log of an extension: lines are cut, data that JSON cannot hold or that is too large is left out, and so are lines beyond 100 a
 * second, after the first 500. How many those were is said with the next one.
 */
export function logTo(host: Pick<HostSide, 'log'>, clock: Clock): Log {
  let room: number = logLimits.burst;
  let lookedMs = clock.monotonicMs();
  let leftOut = 0;
  const hasRoom = (): boolean => {
    const nowMs = clock.monotonicMs();
    room = Math.min(logLimits.burst, room + ((nowMs - lookedMs) * logLimits.perSecond) / 1000);
    lookedMs = nowMs;
    if (room < 1) {
      leftOut += 1;
      return false;
    }
    room -= 1;
    return true;
  };
  const say = (level: LogLine['level']) => (message: string, data?: Json) => {
    if (!hasRoom()) return;
    if (leftOut > 0) {
      host.log({ level: 'warn', message: `${leftOut} lines were left out: there were too many at once` });
      leftOut = 0;
    }
    const line = cutText(String(message), contextLimits.maxLine);
    const plain = data === undefined ? undefined : plainJson(data, LOG_BOUNDS);
    if (plain === undefined) host.log({ level, message: line });
    else host.log({ level, message: line, data: plain.ok ? plain.value : `[left out: it ${plain.message}]` });
  };
  return Object.freeze({ debug: say('debug'), info: say('info'), warn: say('warn') });
}

const LOG_BOUNDS = Object.freeze({
  maxBytes: contextLimits.maxLogData,
  maxDepth: 8,
  maxNodes: 1024,
  maxKeyBytes: 256,
});
