import { Worker } from 'node:worker_threads';
import { type Clock, systemClock, type Timer } from '@fairlead/base';
import { webLimits } from '../../limits.ts';
import type { PageAnswers, PageJob, PageReply } from './page-job.ts';

/** What was read, or why not, for a person. */
export type PageReading<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

/**
 * Reads HTML in a thread of its own, one page after the other: a page that takes too long, too much memory or too much stack ends that thread and
 * nothing else. The thread is started for the first page and ended when none came for a while.
 */
export class PageReader implements AsyncDisposable {
  readonly #clock: Clock;
  #thread: Worker | undefined;
  #idle: Timer | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(clock: Clock = systemClock()) {
    this.#clock = clock;
  }

  /** Never rejects. Its time counts from when it is its turn. */
  async read<Kind extends PageJob['kind']>(
    job: Extract<PageJob, { readonly kind: Kind }>,
    signal: AbortSignal,
  ): Promise<PageReading<PageAnswers[Kind]>> {
    const turn = this.#last.then(async () => await this.#run(job, signal));
    this.#last = turn;
    // A thread answers a job with what is of its kind.
    return (await turn) as PageReading<PageAnswers[Kind]>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    await this.#end();
  }

  async #run(job: PageJob, signal: AbortSignal): Promise<PageReading<unknown>> {
    if (this.#isClosed || signal.aborted) return { ok: false, reason: 'nobody waits for it any more' };
    this.#idle?.cancel();
    this.#thread ??= started();
    const reading = await this.#answer(this.#thread, job, signal);
    if (!reading.ok && reading.isOver) await this.#end();
    else this.#idle = this.#clock.setTimer(webLimits.readerIdleMs, () => void this.#end(), { unref: true });
    return reading.ok ? reading : { ok: false, reason: reading.reason };
  }

  /** `isOver`: the thread is of no use any more. */
  #answer(
    thread: Worker,
    job: PageJob,
    signal: AbortSignal,
  ): Promise<
    | { readonly ok: true; readonly value: unknown }
    | { readonly ok: false; readonly reason: string; readonly isOver: boolean }
  > {
    return new Promise((resolve) => {
      const over = (reason: string) => end({ ok: false, reason, isOver: true });
      const late = this.#clock.setTimer(webLimits.readMs, () =>
        over(`it takes more than ${webLimits.readMs / 1000} s`),
      );
      const gone = () => over('it needs too much memory');
      const abort = () => over('nobody waits for it any more');
      const heard = (reply: PageReply) =>
        end(reply.ok ? reply : { ok: false, reason: reply.reason, isOver: false });
      const end = (reading: Parameters<typeof resolve>[0]) => {
        late.cancel();
        signal.removeEventListener('abort', abort);
        thread.off('message', heard).off('exit', gone);
        thread.unref();
        resolve(reading);
      };
      thread.ref();
      thread.once('message', heard).once('exit', gone);
      signal.addEventListener('abort', abort, { once: true });
      thread.postMessage(job);
    });
  }

  async #end(): Promise<void> {
    this.#idle?.cancel();
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }
}

function started(): Worker {
  const thread = new Worker(new URL('./page-worker.ts', import.meta.url), {
    workerData: { fairlead: 'pages' },
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    name: 'fairlead pages',
    resourceLimits: { maxOldGenerationSizeMb: webLimits.readerHeapMb },
  });
  // Its end is heard as such.
  thread.on('error', () => {});
  thread.stdout.resume();
  thread.stderr.resume();
  return thread;
}
