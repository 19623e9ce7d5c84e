import type { CallContext } from '@fairlead/extension/runtime';
import type { PreparedInstance } from './prepared-instance.ts';
import type { World } from './world.ts';

/** What the hub knows of a call that a context was made for. An extension never sees it. */
export interface CallFrame {
  readonly world: World;
  readonly caller: PreparedInstance;
  /** When the budget of the call ends, monotonic; undefined for hooks, whose context outlives one firing. */
  readonly deadlineMs: number | undefined;
  /** Where `progress` goes. */
  readonly onProgress: ((text: string) => void) | undefined;
}

/** Finds the frame of the context that a question comes with. */
export class CallFrames {
  readonly #frames = new WeakMap<CallContext, CallFrame>();

  add(context: CallContext, frame: CallFrame): void {
    this.#frames.set(context, frame);
  }

  of(context: CallContext): CallFrame | undefined {
    return this.#frames.get(context);
  }
}
