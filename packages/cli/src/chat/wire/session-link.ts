import { type Clock, delay, isJsonObject, type JsonObject, type Timer } from '@fairlead/base';
import type { EventStream, StreamEvent } from '../../client/event-stream.ts';
import { chatLimits } from '../../limits.ts';
import { objectsIn } from '../../output/safe-text.ts';
import { word } from '../model/block.ts';
import type { ChatEvent } from '../model/chat-events.ts';
import { sessionShown } from '../model/session-shown.ts';
import type { HostDoor } from './host-door.ts';

/**
 * Listens to one session for as long as somebody wants to, over every restart of its host: it goes on behind the last entry that it heard, and reads the
 * entries anew where the host cannot say what came between.
 */
export class SessionLink {
  readonly #door: HostDoor;
  readonly #clock: Clock;
  readonly #session: string;
  readonly #hear: (event: ChatEvent) => void;
  readonly #closing = new AbortController();
  #after: string | undefined;
  #isOpened = false;
  #stream: EventStream | null = null;
  #silence: Timer | undefined;
  /** What came while the entries were read. */
  #held: StreamEvent[] | null = null;
  #wakes: (() => void)[] = [];
  readonly #ended: Promise<void>;

  constructor(options: {
    readonly door: HostDoor;
    readonly clock: Clock;
    readonly session: string;
    readonly hear: (event: ChatEvent) => void;
  }) {
    this.#door = options.door;
    this.#clock = options.clock;
    this.#session = options.session;
    this.#hear = options.hear;
    this.#ended = this.#run();
  }

  get session(): string {
    return this.#session;
  }

  /** Resolves when a host is there again, or when it is closed; at the latest after the longest pause. */
  async untilLive(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    const waiting = new AbortController();
    const wake = () => waiting.abort();
    this.#wakes.push(wake);
    await delay(this.#clock, chatLimits.retryMostMs, waiting.signal);
    this.#wakes = this.#wakes.filter((other) => other !== wake);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#stream?.close();
    this.#wake();
    await this.#ended;
  }

  #wake(): void {
    const wakes = this.#wakes;
    this.#wakes = [];
    for (const wake of wakes) wake();
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    let pauseMs: number = chatLimits.retryFirstMs;
    while (!signal.aborted) {
      const status = await this.#listen().catch(() => null);
      if (signal.aborted) return;
      this.#hear({ kind: 'link', isLive: false });
      // One that was there is likely to come back at once; whoever refuses us is not asked all the time.
      pauseMs = status === 200 ? chatLimits.retryFirstMs : Math.min(pauseMs * 2, chatLimits.retryMostMs);
      await delay(this.#clock, pauseMs, signal);
    }
  }

  /** One stream from its beginning to its end. */
  async #listen(): Promise<number | null> {
    this.#held = [];
    const path = `/api/sessions/${this.#session}/stream`;
    const stream = await this.#door.listen(path, this.#after, (event) => this.#take(event));
    if (stream === null) return null;
    this.#stream = stream;
    if (this.#closing.signal.aborted) stream.close();
    let status: number | null = null;
    const ended = stream.closed.then((answered) => {
      status = answered;
    });
    await stream.opened;
    this.#heard();
    try {
      const isRead = this.#after === undefined || !this.#isOpened ? await this.#read() : true;
      if (!isRead) stream.close();
      else {
        this.#hear({ kind: 'link', isLive: true });
        this.#wake();
        this.#release();
      }
      await ended;
      return isRead ? status : null;
    } finally {
      this.#silence?.cancel();
      stream.close();
    }
  }

  /** A connection that nobody cut and that says nothing is none. */
  #heard(): void {
    this.#silence?.cancel();
    this.#silence = this.#clock.setTimer(chatLimits.silentMs, () => this.#stream?.close(), { unref: true });
  }

  #take(event: StreamEvent): void {
    this.#heard();
    if (this.#held !== null) this.#held.push(event);
    else this.#tell(event);
  }

  #release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const event of held) this.#tell(event);
  }

  #tell({ event, data, id }: StreamEvent): void {
    if (id !== undefined) this.#after = id;
    if (event === 'ping') return;
    if (event !== 'reset') {
      this.#hear({ kind: 'stream', event, data });
      return;
    }
    this.#held ??= [];
    void this.#read().then((isRead) => {
      if (isRead) this.#release();
      else this.#stream?.close();
    });
  }

  /** The session and its newest entries. False where the host went away again. */
  async #read(): Promise<boolean> {
    const path = `/api/sessions/${this.#session}`;
    try {
      const [view, page] = await Promise.all([
        this.#door.ask({ method: 'GET', path }),
        this.#door.ask({ method: 'GET', path: `${path}/entries` }),
      ]);
      const { entries, before } = pageOf(isJsonObject(page) ? page : {});
      const session = sessionShown(isJsonObject(view) ? view : {});
      const isNew = !this.#isOpened;
      this.#isOpened = true;
      if (!this.#closing.signal.aborted) this.#hear({ kind: 'opened', session, entries, before, isNew });
      return true;
    } catch {
      return false;
    }
  }
}

/** A page of entries, oldest first. */
export function pageOf(page: JsonObject): {
  readonly entries: readonly JsonObject[];
  readonly before: string | null;
} {
  const before = word(page['before']);
  return { entries: objectsIn(page['entries']).reverse(), before: before === '' ? null : before };
}
