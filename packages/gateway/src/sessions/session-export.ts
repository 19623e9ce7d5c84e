import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { encodeJson, type JsonObject } from '@fairlead/base';
import type { PersonalClaim } from '../auth/tokens.ts';

/** One reader of all that a session is: its lines, as long as its token lives. One that ends before they do breaks off. */
export class SessionExport {
  readonly #response: ServerResponse;
  readonly #claim: PersonalClaim;

  /** `closed` is called once, when it is over, whoever ended it. */
  constructor(response: ServerResponse, claim: PersonalClaim, closed: () => void) {
    this.#response = response;
    this.#claim = claim;
    response.once('close', closed);
  }

  get tokenId(): string {
    return this.#claim.tokenId;
  }

  /** What is sent of `values`, each as a line of JSON. */
  linesOf(values: AsyncIterable<JsonObject>): Readable {
    return Readable.from(this.#lines(values));
  }

  /** Nothing goes between lines; who does not read them ends with its token all the same. */
  ping(): void {
    if (!this.#claim.isLive()) this.end();
  }

  end(): void {
    this.#response.destroy();
  }

  async *#lines(values: AsyncIterable<JsonObject>): AsyncGenerator<string> {
    for await (const value of values) {
      // Whoever reads slowly may ask for this one hours after the last.
      if (!this.#claim.isLive()) return this.end();
      yield `${encodeJson(value)}\n`;
    }
  }
}
