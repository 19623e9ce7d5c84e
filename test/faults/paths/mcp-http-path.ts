import { isJsonObject, type JsonObject } from '@fairlead/base';
import { type Told, toldByMcp } from '../told.ts';
import type { CallPath, PathCall } from './call-path.ts';
import { post } from './post.ts';

const VERSION = '2026-07-28';
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientInfo': { name: 'fairlead-faults', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** `tools/call` at `POST /mcp`, the newest revision. */
export function mcpHttpPath(gateway: { readonly port: number; readonly token: string }): CallPath {
  let id = 0;
  return {
    call: async ({ binding, arguments: given }: PathCall): Promise<Told> => {
      id += 1;
      const params = {
        name: 'plugin_tool',
        arguments: { action: 'call', binding, arguments: given },
        _meta: META,
      };
      const headers = {
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${gateway.token}`,
        'mcp-protocol-version': VERSION,
        'mcp-method': 'tools/call',
        'mcp-name': 'plugin_tool',
      };
      const posted = await post(gateway.port, '/mcp', headers, {
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params,
      });
      return posted.kind === 'answered' ? toldByMessage(JSON.parse(posted.text) as JsonObject) : posted;
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

/** What a JSON-RPC answer says: a result, or an error of the protocol with our own data. */
export function toldByMessage({ result, error, success, ...envelope }: JsonObject): Told {
  if (isJsonObject(result)) return toldByMcp(result);
  const data = isJsonObject(error) ? error['data'] : null;
  if (isJsonObject(data))
    return toldByMcp({ structuredContent: { error: { code: data['code'] ?? null }, ...data } });
  // Refused in front of the protocol, with the envelope of every other route.
  if (success === false)
    return toldByMcp({
      structuredContent: { error: error ?? null, dispatchState: envelope['dispatch_certainty'] ?? null },
    });
  return { kind: 'unreadable', reason: 'an answer without a certainty' };
}
