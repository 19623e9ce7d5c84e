import { request } from 'node:http';
import { isJsonObject, type JsonObject } from '@fairlead/base';
import { clientLimits } from '../limits.ts';
import { parseServerUrl, readAnswerJson } from './api-client.ts';

/** One event of a stream of the host: `event` is its name, `data` its object; `id` says behind what one goes on later. */
export type StreamEvent = { readonly event: string; readonly data: JsonObject; readonly id?: string };

/** A stream that is open. */
export type EventStream = {
  /** Resolves once the host listens to us, or when there is no stream. */
  readonly opened: Promise<void>;
  /** Resolves when it has ended, with the status that the host answered; null where it answered nothing. */
  readonly closed: Promise<number | null>;
  close(): void;
};

/**
 * Listens to a stream of the host that runs on this machine (`text/event-stream`), until it is closed. What breaks ends it in silence:
 * a stream shows what happens, it does not decide anything.
 */
export function openEventStream(
  {
    url,
    path,
    token,
    after,
  }: {
    readonly url: string;
    readonly path: string;
    readonly token: string | undefined;
    /** The id of the last event that was heard before. */
    readonly after?: string | undefined;
  },
  hear: (event: StreamEvent) => void,
): EventStream {
  const { promise: opened, resolve } = Promise.withResolvers<void>();
  const { promise: closed, resolve: end } = Promise.withResolvers<number | null>();
  const parser = new EventParser(hear);
  const headers = {
    accept: 'text/event-stream',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(after === undefined ? {} : { 'last-event-id': after }),
  };
  let status: number | null = null;
  const asked = request(parseServerUrl(url, path), { headers, agent: false });
  asked.on('response', (response) => {
    status = response.statusCode ?? null;
    resolve();
    if (response.statusCode !== 200) return void response.destroy();
    response.setEncoding('utf8');
    response.on('data', (text: string) => {
      if (!parser.take(text)) response.destroy();
    });
    response.on('error', () => {});
  });
  asked.on('error', () => resolve());
  asked.on('close', () => {
    resolve();
    end(status);
  });
  asked.end();
  return { opened, closed, close: () => void asked.destroy() };
}

/** Lines of the format that the WHATWG calls an event stream. */
export class EventParser {
  readonly #hear: (event: StreamEvent) => void;
  #rest = '';
  #event = '';
  #data: string[] = [];
  #id: string | undefined;

  constructor(hear: (event: StreamEvent) => void) {
    this.#hear = hear;
  }

  /** False where what came is longer than any event of ours: it is none. */
  take(text: string): boolean {
    const lines = `${this.#rest}${text}`.split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#line(line.endsWith('\r') ? line.slice(0, -1) : line);
    return this.#rest.length <= clientLimits.answerBytes && this.#data.length <= clientLimits.eventLines;
  }

  #line(line: string): void {
    if (line === '') {
      this.#dispatch();
      return;
    }
    const colon = line.indexOf(':');
    const name = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (name === 'event') this.#event = value;
    else if (name === 'data') this.#data.push(value);
    else if (name === 'id') this.#id = value;
  }

  #dispatch(): void {
    const event = this.#event === '' ? 'message' : this.#event;
    const text = this.#data.join('\n');
    this.#event = '';
    this.#data = [];
    const id = this.#id === undefined ? {} : { id: this.#id };
    this.#id = undefined;
    const data = text === '' ? {} : readAnswerJson(Buffer.from(text));
    if (isJsonObject(data)) this.#hear({ event, data, ...id });
  }
}
