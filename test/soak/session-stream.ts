import type { JsonObject } from '@fairlead/base';
import type { SoakWorld } from './soak-world.ts';

/** One event of a session's stream. */
export type StreamEvent = { readonly event: string; readonly id: string | null; readonly data: JsonObject };

const EVENT_LIMIT_MS = 60_000;

/** Listens to a session, over a connection of its own. */
export class SessionStream implements AsyncDisposable {
  readonly #abort: AbortController;
  readonly #lines: AsyncGenerator<StreamEvent, void>;

  private constructor(abort: AbortController, body: ReadableStream<Uint8Array>) {
    this.#abort = abort;
    this.#lines = eventsOf(body);
  }

  /** Resolves once the host has answered. `after` is the id of an event, behind which to go on. */
  static async open({ host }: SoakWorld, session: string, after?: string): Promise<SessionStream> {
    const abort = new AbortController();
    const response = await fetch(`${host.ready.url}/api/sessions/${session}/stream`, {
      headers: {
        authorization: `Bearer ${host.token}`,
        ...(after === undefined ? {} : { 'last-event-id': after }),
      },
      signal: AbortSignal.any([abort.signal, AbortSignal.timeout(EVENT_LIMIT_MS)]),
    });
    if (response.status !== 200 || response.body === null)
      throw new Error(`a stream: HTTP ${response.status}`);
    return new SessionStream(abort, response.body);
  }

  /** The next event of which this holds; what comes before it is left behind. */
  async until(holds: (event: StreamEvent) => boolean, what: string): Promise<StreamEvent> {
    for (;;) {
      const { done, value } = await this.#lines.next();
      if (done === true) throw new Error(`a stream ended before ${what}`);
      if (holds(value)) return value;
    }
  }

  /** The end of a turn. */
  async untilTurnEnd(): Promise<StreamEvent> {
    return await this.until(
      ({ event, data }) => event === 'entry' && data['type'] === 'turn_end',
      'the end of the turn',
    );
  }

  /** Cuts the connection. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    await this.#lines.return().catch(() => {});
  }
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent, void> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of body) {
    text += decoder.decode(piece, { stream: true });
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n');
      text = text.slice(end + 2);
      const field = (name: string) =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? null;
      const data = field('data');
      if (data !== null)
        yield { event: field('event') ?? 'message', id: field('id'), data: JSON.parse(data) };
    }
  }
}
