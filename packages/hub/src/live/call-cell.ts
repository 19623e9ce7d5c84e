import type { JsonObject } from '@fairlead/base';
import { type CallContext, extensionError } from '@fairlead/extension/runtime';
import type { Gone } from '../install/installed.ts';
import type { CallFrame } from './call-frame.ts';
import type { PreparedInstance } from './prepared-instance.ts';
import type { World } from './world.ts';

/** Contexts that are made ready together: those of everything that one kind of hook fires. */
export class Readiness {
  readonly cells: readonly CallCell[];
  /** The world's number when all of them were ready last. */
  epoch = -1;

  constructor(cells: readonly CallCell[]) {
    this.cells = cells;
  }
}

/** What one instance's calls are told in one world. */
export class CallCell {
  readonly world: World;
  readonly prepared: PreparedInstance;
  /** The world's number for which the context holds. */
  epoch = -1;
  #context: CallContext | undefined;
  #fault: Gone | undefined;

  constructor(world: World, prepared: PreparedInstance) {
    this.world = world;
    this.prepared = prepared;
  }

  /** Why nothing of it can be called now. */
  get gone(): string | undefined {
    return this.prepared.instance.gone ?? this.#fault?.reason;
  }

  /** Why its settings cannot be read. */
  get fault(): Gone | undefined {
    return this.#fault;
  }

  /** What all hooks of the instance are told; the same object until settings change. */
  get context(): CallContext {
    if (this.#context === undefined) throw extensionError('context_expired', 'it was not made ready');
    return this.#context;
  }

  /** A context for one call that has a budget, and may have a depth and somebody who watches its progress. */
  begin(frame: Pick<CallFrame, 'deadlineMs' | 'onProgress'>, depth = 0): CallContext {
    const context: CallContext = depth === 0 ? { ...this.context } : { ...this.context, depth };
    this.world.engine.frames.add(context, { ...frame, world: this.world, caller: this.prepared });
    return context;
  }

  take(settings: JsonObject, epoch: number): void {
    this.epoch = epoch;
    this.#fault = undefined;
    if (this.#context?.settings === settings) return;
    this.#context = this.world.contextOf(this.prepared, settings);
    this.world.engine.frames.add(this.#context, {
      world: this.world,
      caller: this.prepared,
      deadlineMs: undefined,
      onProgress: undefined,
    });
  }

  fail(error: unknown): void {
    this.epoch = -1;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'settings_invalid';
    this.#fault = { code, reason: `its settings cannot be read: ${code}` };
  }
}
