import { readFile } from 'node:fs/promises';
import type { RunningHost } from './fairlead-host.ts';
import { JsonPoster } from './json-poster.ts';

type Envelope = { readonly success: boolean; readonly output: unknown };

/** `plugin_tool` of a running host, over one kept connection, as its operator. */
export class HostClient implements Disposable {
  readonly #poster: JsonPoster;

  private constructor(poster: JsonPoster) {
    this.#poster = poster;
  }

  static async of(host: RunningHost): Promise<HostClient> {
    const token = (await readFile(host.tokenFile, 'utf8')).trim();
    return new HostClient(new JsonPoster(host.url, { authorization: `Bearer ${token}` }));
  }

  /** The output of one `plugin_tool`; rejects when it had none. */
  async plugin(params: Readonly<Record<string, unknown>>): Promise<unknown> {
    const answer = await this.#poster.post('/api/tools/call', { tool: 'plugin_tool', params });
    const envelope = answer as Envelope;
    if (!envelope.success) throw new Error(`${String(params['action'])} failed: ${JSON.stringify(answer)}`);
    return envelope.output;
  }

  [Symbol.dispose](): void {
    this.#poster[Symbol.dispose]();
  }
}
