import type { JsonObject } from '@fairlead/base';
import { type Told, toldByEnvelope } from '../told.ts';
import type { CallPath, PathCall } from './call-path.ts';
import { post } from './post.ts';

/** `POST /api/tools/call`. */
export function httpPath(gateway: { readonly port: number; readonly token: string }): CallPath {
  return {
    call: async ({ binding, arguments: given, session }: PathCall): Promise<Told> => {
      const params = { action: 'call', binding, arguments: given };
      const headers = { authorization: `Bearer ${gateway.token}` };
      const body = { tool: 'plugin_tool', params };
      const recorded = session === undefined ? body : { ...body, recording_session_id: session };
      const posted = await post(gateway.port, '/api/tools/call', headers, recorded);
      if (posted.kind !== 'answered') return posted;
      return toldByEnvelope(JSON.parse(posted.text) as JsonObject);
    },
    [Symbol.asyncDispose]: async () => {},
  };
}
