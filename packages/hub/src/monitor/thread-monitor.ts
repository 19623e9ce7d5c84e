import { Worker } from 'node:worker_threads';
import { monitorLimits } from '../limits.ts';
import { ACTIVITY, type MonitorMessage, type MonitorOrder, type NamedNumber } from './monitor-order.ts';

/** A handler that kept the host's thread. */
export interface BlockedThread {
  readonly extension: string;
  /** How long it had kept it when this was noticed; at the end, in all. */
  readonly heldMs: number;
  /** False when it is noticed (told once the thread is free, as anything is), true when it is over. */
  readonly over: boolean;
}

export interface ThreadMonitorOptions {
  readonly onBlocked: (blocked: BlockedThread) => void;
  /** Told once when the monitor itself has failed, such as for lack of descriptors: from then on nobody is named, and everything else goes on. */
  readonly onLost?: (error: Error) => void;
  /** Where the monitor writes its one sentence at once; default 2, standard error. */
  readonly descriptor?: number;
  readonly pollMs?: number;
  readonly silenceMs?: number;
  /** What its thread runs; default: the monitor. */
  readonly program?: URL;
}

/**
 * Names the extension whose code keeps this thread, from a thread of its own and within a second: a blocked thread can neither
 * answer nor say why. It cannot end the handler; only a worker can be ended.
 */
export class ThreadMonitor implements AsyncDisposable {
  /** For the carriers of this thread: `activity[0]` is the number of the extension that runs. */
  readonly activity: Int32Array;
  readonly #worker: Worker;
  readonly #names = new Map<number, string>();

  constructor({
    onBlocked,
    onLost,
    descriptor = 2,
    pollMs = monitorLimits.pollMs,
    silenceMs = monitorLimits.silenceMs,
    program = new URL('./monitor-main.js', import.meta.url),
  }: ThreadMonitorOptions) {
    const memory = new SharedArrayBuffer(ACTIVITY.cells * Int32Array.BYTES_PER_ELEMENT);
    this.activity = new Int32Array(memory);
    const order: MonitorOrder = {
      fairlead: 'monitor',
      memory,
      cells: ACTIVITY,
      pollMs,
      silenceMs,
      descriptor,
    };
    this.#worker = new Worker(program, {
      workerData: order,
      name: 'fairlead monitor',
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: monitorLimits.heapMb },
    });
    this.#worker.unref();
    // Unheard it would end the host, which does without.
    this.#worker.on('error', (error: Error) => onLost?.(error));
    this.#worker.on('message', (message: MonitorMessage) => {
      if ('ask' in message) Atomics.store(this.activity, ACTIVITY.answered, message.ask);
      else
        onBlocked({
          extension: this.#names.get(message.blocked) ?? '',
          heldMs: message.heldMs,
          over: message.over,
        });
    });
  }

  /** A number for an extension's carrier. */
  add(extension: string): number {
    const number = this.#names.size + 1;
    this.#names.set(number, extension);
    this.#worker.postMessage({ number, name: extension } satisfies NamedNumber);
    return number;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}
