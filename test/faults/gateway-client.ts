import { isJsonObject, type JsonObject } from '@fairlead/base';
import { post } from './paths/post.ts';

const ASK_MS = 30_000;

/** What the suite itself asks of a gateway: never a call. */
export class GatewayClient {
  readonly port: number;
  token = '';

  constructor(port: number) {
    this.port = port;
  }

  /** One request to `plugin_tool`; null where no answer came. */
  async ask(params: JsonObject, timeoutMs: number = ASK_MS): Promise<JsonObject | null> {
    const headers = { authorization: `Bearer ${this.token}` };
    const posted = await post(
      this.port,
      '/api/tools/call',
      headers,
      { tool: 'plugin_tool', params },
      timeoutMs,
    );
    return posted.kind === 'answered' ? (JSON.parse(posted.text) as JsonObject) : null;
  }

  /** The output of a request that went well, null otherwise. */
  async output(params: JsonObject, timeoutMs?: number): Promise<JsonObject | null> {
    const answer = await this.ask(params, timeoutMs);
    const output = answer?.['output'];
    return answer?.['success'] === true && isJsonObject(output) ? output : null;
  }
}
