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

  /** One request to a tool; null where no answer came. */
  async ask(
    params: JsonObject,
    timeoutMs: number = ASK_MS,
    tool: 'plugin_tool' | 'call_runtime_tool' = 'plugin_tool',
  ): Promise<JsonObject | null> {
    const headers = { authorization: `Bearer ${this.token}` };
    const posted = await post(this.port, '/api/tools/call', headers, { tool, params }, timeoutMs);
    return posted.kind === 'answered' ? (JSON.parse(posted.text) as JsonObject) : null;
  }

  /** The same to a tool that stands in no list. */
  async askRuntime(tool: string, given: JsonObject): Promise<JsonObject | null> {
    return outputOf(await this.ask({ tool, arguments: given }, ASK_MS, 'call_runtime_tool'));
  }

  /** The output of a request that went well, null otherwise. */
  async output(params: JsonObject, timeoutMs?: number): Promise<JsonObject | null> {
    return outputOf(await this.ask(params, timeoutMs));
  }
}

function outputOf(answer: JsonObject | null): JsonObject | null {
  const output = answer?.['output'];
  return answer?.['success'] === true && isJsonObject(output) ? output : null;
}
