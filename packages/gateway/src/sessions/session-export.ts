import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { encodeJson, type JsonObject } from '@fairlead/base';
import type { SessionReader } from './session-stream.ts';

/** One reader of all that a session is: its lines, as long as its token lives and reaches it. One that ends before they do breaks off. */
export class SessionExport {
  readonly #response: ServerResponse;
  readonly #reader: SessionReader;

  /** `closed` is called once, when it is over, whoever ended it. */
  constructor(response: ServerResponse, reader: SessionReader, closed: () => void) {
    this.#response = response;
    this.#reader = reader;
    response.once('close', closed);
  }

  get tokenId(): string {
    return this.#reader.claim.tokenId;
  }

  /** What is sent of `values`, each as a line of JSON. */
  linesOf(values: AsyncIterable<JsonObject>): Readable {
    return Readable.from(this.#lines(values));
  }

  /** Nothing goes between lines; who does not read them ends with its token all the same. */
  ping(): void {
    if (!this.#reader.claim.isLive()) this.end();
  }

  end(): void {
    this.#response.destroy();
  }

  async *#lines(values: AsyncIterable<JsonObject>): AsyncGenerator<string> {
    for await (const value of values) {
      // Whoever reads slowly may ask for this one hours after the last.
      if (!(await this.#mayRead())) return this.end();
      yield `${encodeJson(value)}\n`;
    }
  }

  async #mayRead(): Promise<boolean> {
    const { claim, reach } = this.#reader;
    return (reach === undefined || (await reach())) && claim.isLive();
  }
}
