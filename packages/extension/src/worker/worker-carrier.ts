import { Worker } from 'node:worker_threads';
import type { HostSide } from '../carrier/ask.ts';
import { FrameCarrier } from '../carrier/frame-carrier.ts';
import type { GuestFrame } from '../carrier/frames.ts';
import { readGuestFrame } from '../carrier/read-guest-frame.ts';
import { type Clock, machineClock } from '../clock.ts';
import { cutLine, thrownText } from '../contracts/text.ts';
import { ExtensionError, extensionError } from '../errors.ts';
import { budgets, outputLimits, workerLimits } from '../limits.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { manifestFaultText } from '../manifest/manifest-fault.ts';
import { validateManifest } from '../manifest/validate-manifest.ts';
import { FloodGate } from './flood-gate.ts';
import { OutputRing } from './output-ring.ts';
import type { WorkOrder } from './work-order.ts';

export interface WorkerCarrierOptions {
  /** The module whose default export is the extension. */
  readonly module: URL;
  /** The extension's folder, with a slash at its end. Default: the module's. */
  readonly folder?: URL;
  readonly host: HostSide;
  /** The thread's name, for whoever looks at it. */
  readonly name?: string;
  /** Everything that its environment holds; nothing of the host's. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the machine's own. */
  readonly clock?: Clock;
  /** Name what was left open at the end, as a warning. Costs time; for tests and development. */
  readonly watch?: boolean;
  /** Every piece of what it prints, as it comes. */
  readonly onOutput?: (text: string) => void;
  /** Told once, when nothing behind it can be called any more, unless `end` was asked for. */
  readonly onDeath?: () => void;
}

/** One generation of an extension in a worker of its own. */
export class WorkerCarrier extends FrameCarrier {
  readonly #thread: Thread;

  private constructor(thread: Thread, manifest: Manifest, options: WorkerCarrierOptions) {
    super(
      { post: (text) => thread.post(text) },
      {
        manifest,
        host: options.host,
        now: () => thread.clock.wallMs(),
        stop: () => thread.stop(),
      },
    );
    this.#thread = thread;
  }

  /**
   * Starts the thread and loads the module, whose manifest is read before anything is opened. Rejects with
   * `extension_load_failed`, `typescript_unsupported`, `extension_not_defined`, `manifest_invalid`, `api_unsupported`; the
   * thread is then gone.
   */
  static async start(options: WorkerCarrierOptions): Promise<WorkerCarrier> {
    const thread = new Thread(options);
    try {
      const reading = validateManifest(await thread.ready());
      if (!reading.ok) throw extensionError(reading.fault.code, manifestFaultText(reading.fault));
      const carrier = new WorkerCarrier(thread, reading.manifest, options);
      thread.attach(carrier, options.onDeath);
      return carrier;
    } catch (thrown) {
      await thread.kill();
      throw thrown;
    }
  }

  /** The last 64 KiB that it printed. */
  output(): string {
    return this.#thread.output.text();
  }
}

/** The thread itself: started, pinged, ended. */
class Thread {
  readonly clock: Clock;
  readonly output = new OutputRing(workerLimits.outputBytes);
  readonly #worker: Worker;
  readonly #exited: Promise<void>;
  #onFrame: (frame: GuestFrame, length: number) => void = () => {};
  #onGone: (reason: string) => void = () => {};
  #lastError = '';
  #gone = false;
  #goneReason = '';
  /** How long it has been silent: by the pings that it did not answer, so that a time in which the host itself stood still is none. */
  #silentMs = 0;
  #ping: { cancel(): void } | undefined;

  constructor(options: WorkerCarrierOptions) {
    this.clock = options.clock ?? machineClock();
    // Sources are run as they are; what was built says so in its own name.
    const suffix = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
    const order: WorkOrder = {
      fairlead: 'extension',
      module: options.module.href,
      folder: (options.folder ?? new URL('.', options.module)).href,
      root: new URL('..', import.meta.url).href,
      suffix,
      watch: options.watch ?? false,
    };
    this.#worker = new Worker(new URL(`./worker-main${suffix}`, import.meta.url), {
      workerData: order,
      env: { ...options.env },
      execArgv: [],
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: workerLimits.heapMb },
      ...(options.name === undefined ? {} : { name: options.name }),
    });
    for (const stream of [this.#worker.stdout, this.#worker.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        this.output.add(chunk);
        options.onOutput?.(chunk.toString('utf8'));
      });
    }
    this.#worker.on('message', (text: unknown) => this.#heard(text));
    this.#worker.on('error', (error) => {
      this.#lastError = thrownText(error, outputLimits.maxFaultMessage);
    });
    this.#exited = new Promise((resolve) => {
      this.#worker.once('exit', (code) => {
        this.#gone = true;
        this.#goneReason = this.#lastError === '' ? `it ended with exit code ${code}` : this.#lastError;
        this.#ping?.cancel();
        resolve();
        this.#onGone(this.#goneReason);
      });
    });
  }

  /** The manifest that the extension says, not yet checked. */
  ready(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const late = this.clock.setTimer(budgets.loadMs, () => {
        reject(extensionError('extension_load_failed', `it was not ready within ${budgets.loadMs} ms`));
      });
      this.#onGone = (reason) => {
        late.cancel();
        reject(extensionError('extension_load_failed', reason));
      };
      this.#onFrame = (frame) => {
        if (frame.frame === 'ready') resolve(frame.manifest);
        else if (frame.frame === 'failed') reject(failureOf(frame.code, frame.message));
        else return;
        late.cancel();
      };
    });
  }

  /** From now on frames go to the carrier, and silence is noticed. */
  attach(carrier: FrameCarrier, onDeath: (() => void) | undefined): void {
    const flood = new FloodGate(this.clock);
    let ended = false;
    const dies = (code: 'extension_crashed' | 'extension_unresponsive', reason: string): void => {
      if (ended) return;
      ended = true;
      const told = carrier.dead === undefined && !this.#stopping;
      carrier.died({ code: this.#stopping ? 'extension_ended' : code, reason });
      if (told) onDeath?.();
    };
    this.#onFrame = (frame, length) => {
      if (!carrier.isAwaited(frame) && !flood.take(length)) {
        // Nothing of what is still on the way is looked at.
        this.#worker.removeAllListeners('message');
        dies('extension_crashed', 'it sent more than it may without being asked');
        void this.kill();
        return;
      }
      if (frame.frame === 'pong' || frame.frame === 'ready' || frame.frame === 'failed') return;
      carrier.receive(frame);
    };
    this.#onBroken = () => {
      dies('extension_crashed', 'it sent something that is no frame');
      void this.kill();
    };
    this.#onGone = (reason) => dies('extension_crashed', reason);
    // Its word and its end may have come at once, to a host that was busy meanwhile.
    if (this.#gone) {
      dies('extension_crashed', this.#goneReason);
      return;
    }
    const ping = (): void => {
      if (this.#gone) return;
      if (this.#silentMs >= workerLimits.silenceMs) {
        dies('extension_unresponsive', `it answered no ping for ${workerLimits.silenceMs} ms`);
        void this.kill();
        return;
      }
      this.post('{"frame":"ping"}');
      this.#silentMs += workerLimits.pingMs;
      this.#ping = this.clock.setTimer(workerLimits.pingMs, ping);
    };
    this.#ping = this.clock.setTimer(workerLimits.pingMs, ping);
  }

  #onBroken: () => void = () => void this.kill();
  #stopping = false;

  post(text: string): void {
    if (!this.#gone) this.#worker.postMessage(text);
  }

  /** Asks the thread to end, and ends it by force when it does not. */
  async stop(): Promise<void> {
    if (this.#gone) return;
    this.#stopping = true;
    this.post('{"frame":"stop"}');
    const late = this.clock.setTimer(workerLimits.stopMs, () => void this.kill());
    await this.#exited;
    late.cancel();
  }

  async kill(): Promise<void> {
    this.#ping?.cancel();
    await this.#worker.terminate();
    await this.#exited;
  }

  #heard(text: unknown): void {
    this.#silentMs = 0;
    const frame = readGuestFrame(text);
    if (frame === undefined) this.#onBroken();
    else this.#onFrame(frame, (text as string).length);
  }
}

function failureOf(code: string, message: string): ExtensionError {
  return new ExtensionError(
    cutLine(code, outputLimits.maxFaultCode),
    cutLine(message, workerLimits.maxProblems),
  );
}
