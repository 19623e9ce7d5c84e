import type { CallContext, FiredKind, HookEndpoint, HookTarget } from '@fairlead/extension/runtime';
import { type CallCell, Readiness } from './call-cell.ts';
import type { PreparedInstance } from './prepared-instance.ts';
import type { World } from './world.ts';

/** What one kind of hook fires, in order, and the contexts that must be ready first. */
export interface HookList {
  readonly targets: readonly HookTarget[];
  readonly readiness: Readiness;
}

/** One handler of a live set. What it is told, and whether it can be called, is asked at each firing. */
class LiveTarget implements HookTarget {
  readonly owner: string;
  readonly endpoint: HookEndpoint;
  readonly #cell: CallCell;

  constructor(cell: CallCell, endpoint: HookEndpoint) {
    this.owner = cell.prepared.instance.extension.name;
    this.endpoint = endpoint;
    this.#cell = cell;
  }

  get context(): CallContext {
    return this.#cell.context;
  }

  get gone(): string | undefined {
    return this.#cell.gone;
  }
}

/** One that judges some tools alone. */
class JudgingTarget extends LiveTarget {
  readonly gates: readonly string[];

  constructor(cell: CallCell, endpoint: HookEndpoint, gates: readonly string[]) {
    super(cell, endpoint);
    this.gates = gates;
  }
}

/** A gate whose extension is active and cannot be asked: it denies what it judges. */
export interface AbsentGate {
  readonly owner: string;
  readonly gates: readonly string[] | undefined;
  readonly reason: string;
}

/** What is gathered of one kind. */
interface Gathered {
  readonly targets: HookTarget[];
  readonly cells: CallCell[];
}

/** Gathers the handlers of a set, kind by kind. */
export class HookGathering {
  readonly #world: World;
  readonly #kinds: Partial<Record<FiredKind, Gathered>> = {};

  constructor(world: World) {
    this.#world = world;
  }

  /** Instances come once each, in firing order. */
  add(part: PreparedInstance): void {
    if (part.fired.length === 0) return;
    const cell = this.#world.newCell(part);
    const { gates } = part.contributions;
    for (const [kind, endpoint] of part.fired) {
      const { targets, cells } = this.#of(kind);
      const target =
        kind === 'tool_call' && gates !== undefined
          ? new JudgingTarget(cell, endpoint, gates)
          : new LiveTarget(cell, endpoint);
      // Of one extension's instances, the last one that is added answers a prompt, a tail, a status.
      if (isSingle(kind) && targets.at(-1)?.owner === target.owner) {
        targets.pop();
        cells.pop();
      }
      targets.push(target);
      cells.push(cell);
    }
  }

  addAbsent({ owner, gates, reason }: AbsentGate): void {
    const target = { owner, endpoint: NOWHERE, context: NO_CONTEXT, gone: reason };
    this.#of('tool_call').targets.push(gates === undefined ? target : { ...target, gates });
  }

  list(kind: FiredKind): HookList {
    const { targets, cells } = this.#of(kind);
    return { targets: Object.freeze(targets), readiness: new Readiness(cells) };
  }

  #of(kind: FiredKind): Gathered {
    this.#kinds[kind] ??= { targets: [], cells: [] };
    return this.#kinds[kind];
  }
}

function isSingle(kind: FiredKind): boolean {
  return kind === 'prompt' || kind === 'tail' || kind === 'status';
}

const NOWHERE: HookEndpoint = Object.freeze({ begin: () => undefined });

const NO_CONTEXT: CallContext = Object.freeze({ settings: Object.freeze({}), caps: Object.freeze({}) });
