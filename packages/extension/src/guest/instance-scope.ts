import type { SessionView } from '../authoring/context.ts';
import type { Listenable, Scope } from '../authoring/scope.ts';
import type { OpenRequest } from '../carrier/carrier.ts';
import { thrownText } from '../contracts/text.ts';
import { extensionError } from '../errors.ts';
import { isJsonObject, type JsonObject } from '../json/json.ts';
import { budgets, contextLimits, outputLimits } from '../limits.ts';
import { ask, type Surroundings } from './instance.ts';
import { sessionView } from './session-view.ts';
import { isThenable } from './thenable.ts';

type Dispose = () => unknown;
type AnyListener = (...values: unknown[]) => unknown;

/** Everything that an instance opened through its scope, and the scope itself as `open` is handed it. */
export class InstanceScope {
  readonly handle: Scope<JsonObject>;
  readonly #around: Surroundings;
  readonly #controller = new AbortController();
  readonly #owned: Dispose[] = [];
  #silent = false;
  #ended = false;

  constructor(request: OpenRequest, around: Surroundings, peer: { readonly value: unknown } | undefined) {
    this.#around = around;
    this.handle = Object.freeze({
      kind: request.kind,
      ...(request.key === '' ? {} : { key: request.key }),
      settings: request.settings,
      signal: this.#controller.signal,
      log: around.log,
      now: () => around.clock.wallMs(),
      every: (ms: number, run: (signal: AbortSignal) => unknown) => this.#every(ms, run),
      after: (ms: number, run: (signal: AbortSignal) => unknown) => this.#after(ms, run),
      own: <T extends Disposable | AsyncDisposable>(resource: T) => this.#own(resource),
      listen: (target: unknown, event: string, run: AnyListener) =>
        this.#listen(target as ListenTarget, event, run),
      sessions: Object.freeze({ open: (id: string) => this.#openSession(id) }),
      changed: () => {
        if (!this.#silent) around.host.changed(request.instance);
      },
      ...(peer === undefined ? {} : { peer: peer.value }),
    }) as unknown as Scope<JsonObject>;
  }

  /** From now on nothing of the scope runs, and its signal is aborted. Calls that go on may still hand over what they open. */
  silence(): void {
    this.#silent = true;
    this.#controller.abort(extensionError('extension_ended'));
  }

  /** It is silent, and from now on it takes nothing over: no call is left that could need it. */
  end(): void {
    this.#ended = true;
    this.silence();
  }

  /** Disposes of everything, the last one first. What does not end in time is told, and left. */
  async dispose(): Promise<void> {
    this.end();
    for (let dispose = this.#owned.pop(); dispose !== undefined; dispose = this.#owned.pop())
      await this.finish('a resource of its scope', dispose);
  }

  /** Runs something that ends, for 5 s at most; what it throws is logged. */
  async finish(what: string, run: () => unknown): Promise<void> {
    const { clock, log } = this.#around;
    let timer: { cancel(): void } | undefined;
    try {
      const ended = this.#running(run);
      if (!isThenable(ended)) return;
      const late = new Promise<'late'>((resolve) => {
        timer = clock.setTimer(budgets.closeMs, () => resolve('late'));
      });
      if ((await Promise.race([ended, late])) === 'late') log.warn(`${what} did not end in time`);
    } catch (thrown) {
      log.warn(`${what} failed to end: ${thrownText(thrown, outputLimits.maxFaultMessage)}`);
    } finally {
      timer?.cancel();
    }
  }

  /** Runs a piece of the extension outside any call: told to who watches, and its failure logged. */
  #guard(what: string, run: () => unknown): unknown {
    const failed = (thrown: unknown) =>
      this.#around.log.warn(`${what} failed: ${thrownText(thrown, outputLimits.maxFaultMessage)}`);
    try {
      const answer = this.#running(run);
      return isThenable(answer) ? answer.then(undefined, failed) : answer;
    } catch (thrown) {
      return failed(thrown);
    }
  }

  #running(run: () => unknown): unknown {
    const { activity, number } = this.#around;
    const before = activity[0] ?? 0;
    activity[0] = number;
    try {
      return run();
    } finally {
      activity[0] = before;
    }
  }

  #keep(dispose: Dispose): void {
    if (this.#ended) {
      this.#guard('a resource of its scope', dispose);
      throw extensionError('extension_ended', 'its scope has ended');
    }
    if (this.#owned.length >= contextLimits.maxOwned) {
      this.#guard('a resource of its scope', dispose);
      throw new RangeError(`a scope owns ${contextLimits.maxOwned} timers, listeners and resources at most`);
    }
    this.#owned.push(dispose);
  }

  #every(ms: number, run: (signal: AbortSignal) => unknown): void {
    checkTimer(ms);
    let running = false;
    let timer: { cancel(): void };
    const fire = (): void => {
      timer = this.#around.clock.setTimer(ms, fire);
      if (running || this.#silent) return;
      const answer = this.#guard('a timer', () => run(this.#controller.signal));
      if (!isThenable(answer)) return;
      running = true;
      answer.then(() => {
        running = false;
      });
    };
    timer = this.#around.clock.setTimer(ms, fire);
    this.#keep(() => timer.cancel());
  }

  #after(ms: number, run: (signal: AbortSignal) => unknown): void {
    checkTimer(ms);
    const timer = this.#around.clock.setTimer(ms, () => {
      this.#forget(cancel);
      if (!this.#silent) this.#guard('a timer', () => run(this.#controller.signal));
    });
    const cancel = () => timer.cancel();
    this.#keep(cancel);
  }

  #forget(dispose: Dispose): void {
    const index = this.#owned.indexOf(dispose);
    if (index >= 0) this.#owned.splice(index, 1);
  }

  #own<T extends Disposable | AsyncDisposable>(resource: T): T {
    const dispose = disposerOf(resource);
    if (dispose === undefined)
      throw new TypeError('own takes something with Symbol.dispose or Symbol.asyncDispose');
    this.#keep(dispose);
    return resource;
  }

  #listen(target: ListenTarget, event: string, run: AnyListener): void {
    const listener: AnyListener = (...values) => {
      if (!this.#silent) this.#guard(`a listener of ${event}`, () => run(...values));
    };
    if ('addEventListener' in target) {
      target.addEventListener(event, listener as (event: Event) => void);
      this.#keep(() => target.removeEventListener(event, listener as (event: Event) => void));
    } else {
      target.on(event, listener);
      this.#keep(() => target.off(event, listener));
    }
  }

  async #openSession(id: string): Promise<SessionView> {
    if (this.#silent) throw extensionError('extension_ended', 'its scope has ended');
    const question = async (asked: Parameters<typeof ask>[1]) => {
      if (this.#silent) throw extensionError('extension_ended', 'its scope has ended');
      return ask(this.#around, asked, undefined);
    };
    const opened = await question({ op: 'session.open', id: String(id) });
    // The host may know the session under another id than the messenger does.
    const session = isJsonObject(opened) && typeof opened['id'] === 'string' ? opened['id'] : String(id);
    return sessionView(session, question);
  }
}

type ListenTarget = Exclude<Listenable<string>, never>;

function checkTimer(ms: number): void {
  if (!(ms >= contextLimits.minTimerMs && ms <= contextLimits.maxTimerMs))
    throw new RangeError(
      `a timer takes ${contextLimits.minTimerMs} to ${contextLimits.maxTimerMs} milliseconds`,
    );
}

function disposerOf(resource: unknown): Dispose | undefined {
  if ((typeof resource !== 'object' && typeof resource !== 'function') || resource === null) return undefined;
  for (const symbol of [Symbol.asyncDispose, Symbol.dispose]) {
    const dispose: unknown = Reflect.get(resource, symbol);
    if (typeof dispose === 'function') return () => dispose.call(resource);
  }
  return undefined;
}
