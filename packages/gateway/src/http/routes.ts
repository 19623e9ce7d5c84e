import type { JsonObject } from '@fairlead/base';
import type { Scope } from '@fairlead/dispatch';
import { journalSchemas } from './journal-schemas.ts';
import { sessionRoutes } from './session-route-table.ts';
import { tokenSchemas } from './token-schemas.ts';

/** Who may use a route: anybody, a personal token, one with the scope `admin` on the gateway's own machine, a Runner's token. */
export type RouteToken = 'none' | 'personal' | 'admin' | 'runner';

/** One route of the gateway: what is registered, answered to OPTIONS and 405, and written into `/openapi.json`. */
export type RouteDescription = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** A segment that begins with a colon stands for any one. */
  readonly path: string;
  /** The name of the operation in `/openapi.json`. */
  readonly id: string;
  readonly summary: string;
  readonly token: RouteToken;
  /** The scope that its token needs, where that does not depend on what is asked. */
  readonly scope?: Scope;
  /** The schema of `output` in the envelope of a success; null where the answer is no envelope. */
  readonly output: JsonObject | null;
  /** The schema of the body. Absent: there is none; `tool_call`: one of the tools' (`openapi.ts`). */
  readonly body?: JsonObject | 'tool_call';
  /** The schemas of its query parameters, by name; none of them is required. */
  readonly query?: Readonly<Record<string, JsonObject>>;
  /** Its success is no envelope but a text of this type that goes on; there is no HEAD of it. */
  readonly stream?: 'text/event-stream' | 'application/x-ndjson';
  /** It speaks a protocol of its own, which no description of HTTP can say. */
  readonly isProtocol?: true;
  /** Codes beyond those of every route of its kind. */
  readonly refusals?: readonly string[];
};

const object = (properties: JsonObject, optional: readonly string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
});
const text = { type: 'string' };
const textOrNull = { type: ['string', 'null'] };

/** Every route there is. */
export const routes: readonly RouteDescription[] = [
  {
    method: 'GET',
    path: '/healthz',
    id: 'health',
    summary: 'Name and version, nothing else.',
    token: 'none',
    output: object({ name: { const: 'fairlead' }, version: text }),
  },
  {
    method: 'GET',
    path: '/openapi.json',
    id: 'openapi',
    summary: 'This description.',
    token: 'none',
    output: null,
  },
  {
    method: 'POST',
    path: '/api/tools/list',
    id: 'listTools',
    summary: 'The tools that there are, the same for every token.',
    token: 'personal',
    body: { type: 'object', description: 'May be left out.' },
    output: object({
      tools: {
        type: 'array',
        items: object({
          name: text,
          description: text,
          inputSchema: { type: 'object' },
          annotations: { type: 'object' },
          scopes: { type: 'array', items: text },
        }),
      },
    }),
  },
  {
    method: 'POST',
    path: '/api/tools/call',
    id: 'callTool',
    summary:
      'One call of one tool. Nothing is ever sent twice: look at dispatch_certainty before you repeat.',
    token: 'personal',
    body: 'tool_call',
    output: { type: 'object', description: 'What the tool answers.' },
    refusals: ['insufficient_scope', 'unknown_tool'],
  },
  {
    method: 'POST',
    path: '/mcp',
    id: 'mcp',
    summary: 'The Model Context Protocol.',
    token: 'personal',
    output: null,
    isProtocol: true,
  },
  {
    method: 'GET',
    path: '/api/runner/link',
    id: 'runnerLink',
    summary: 'The WebSocket of a Runner.',
    token: 'runner',
    output: null,
    isProtocol: true,
  },
  {
    method: 'POST',
    path: '/api/runner/pair',
    id: 'pairRunner',
    summary: 'Gives a Runner’s token for a code of createPairing, once.',
    token: 'none',
    body: object({ code: text }),
    output: object({
      runner: text,
      token: text,
      expiresAtMs: { type: ['integer', 'null'], description: 'Milliseconds since 1970.' },
    }),
    refusals: ['pairing_code_invalid', 'pairing_limited', 'token_limit_reached'],
  },
  {
    method: 'POST',
    path: '/api/admin/pairings',
    id: 'createPairing',
    summary: 'Makes a code by which another machine gets a Runner’s token, and gives it, this once.',
    token: 'admin',
    body: object({ runner: text, name: text }, ['name']),
    output: object({
      code: text,
      runner: text,
      expiresAtMs: { type: 'integer', description: 'Milliseconds since 1970.' },
      url: { ...text, description: 'How other machines reach the gateway, as far as it knows.' },
    }),
    refusals: ['token_request_invalid', 'pairing_limit_reached'],
  },
  {
    method: 'GET',
    path: '/api/admin/tokens',
    id: 'listTokens',
    summary: 'Every token, without its secret.',
    token: 'admin',
    output: object({ tokens: { type: 'array', items: tokenSchemas.listing } }),
  },
  {
    method: 'POST',
    path: '/api/admin/tokens',
    id: 'createToken',
    summary: 'Makes a token and gives its secret, this once.',
    token: 'admin',
    body: tokenSchemas.request,
    output: object({ secret: text, token: tokenSchemas.listing }),
    refusals: ['token_request_invalid', 'token_limit_reached'],
  },
  {
    method: 'DELETE',
    path: '/api/admin/tokens/:id',
    id: 'revokeToken',
    summary: 'Revokes a token, at once.',
    token: 'admin',
    output: object({ id: text, revoked: { const: true } }),
    refusals: ['token_not_found'],
  },
  {
    method: 'GET',
    path: '/api/admin/status',
    id: 'status',
    summary: 'What runs: Runners, their plugins, agents; and the extensions that do not.',
    token: 'admin',
    output: object({
      running: { const: true },
      url: text,
      pid: { type: 'integer' },
      stateDirectory: text,
      runners: {
        type: 'array',
        items: object(
          {
            runner: text,
            plugins: {
              type: 'array',
              items: object({
                plugin: text,
                status: { enum: ['starting', 'ready', 'failed'] },
                errorCode: textOrNull,
              }),
            },
            errorCode: text,
          },
          ['errorCode'],
        ),
      },
      extensions: {
        type: 'array',
        description: 'Those that do not run, or not everywhere.',
        items: object({
          name: text,
          state: { enum: ['failing', 'down'] },
          code: textOrNull,
          reason: textOrNull,
        }),
      },
      agents: {
        type: ['object', 'null'],
        description: 'What the host of sessions does: since when it is paused, which turns run.',
      },
    }),
  },
  {
    method: 'GET',
    path: '/api/admin/journal',
    id: 'readJournal',
    summary: 'Invocations, newest first, without their arguments.',
    token: 'admin',
    query: journalSchemas.query,
    output: journalSchemas.page,
    refusals: ['query_invalid', 'journal_entry_not_found'],
  },
  {
    method: 'GET',
    path: '/api/admin/extensions',
    id: 'listExtensions',
    summary: 'Every extension of the host: what it is, its state, what failed.',
    token: 'admin',
    output: object({
      extensions: { type: 'array', items: { type: 'object' } },
      failures: { type: 'array', items: { type: 'object' } },
    }),
  },
  {
    method: 'POST',
    path: '/api/admin/extensions',
    id: 'loadExtension',
    summary: 'Loads the extension of a folder of this machine, in a worker of its own.',
    token: 'admin',
    body: object({ path: { ...text, description: 'The folder, absolute.' } }),
    output: object({ name: text }),
  },
  {
    method: 'POST',
    path: '/api/admin/extensions/:name/reload',
    id: 'reloadExtension',
    summary: 'Loads an extension’s folder again; what runs stays where that fails.',
    token: 'admin',
    output: object({ name: text }),
  },
  {
    method: 'GET',
    path: '/api/admin/extensions/:name/output',
    id: 'readExtensionOutput',
    summary: 'What an extension’s worker printed last, at most 64 KiB.',
    token: 'admin',
    output: object({ name: text, output: text }),
  },
  {
    method: 'GET',
    path: '/api/admin/extensions/:name/diff',
    id: 'diffExtension',
    summary: 'What of an MCP server’s tools is not what was approved.',
    token: 'admin',
    query: { tool: { ...text, description: 'Of this one alone.' } },
    output: object({ name: text, tools: { type: 'array', items: { type: 'object' } } }),
  },
  {
    method: 'POST',
    path: '/api/admin/extensions/:name/approve',
    id: 'approveExtension',
    summary: 'Approves what a diff showed: the observation by tool, null for one that is gone.',
    token: 'admin',
    body: object({ tools: { type: 'array', items: { type: 'object' } } }),
    output: object({ name: text, approved: { type: 'array', items: text } }),
  },
  {
    method: 'DELETE',
    path: '/api/admin/extensions/:name',
    id: 'unloadExtension',
    summary: 'Ends an extension; running calls end first.',
    token: 'admin',
    output: object({ name: text }),
  },
  {
    method: 'POST',
    path: '/api/admin/backup',
    id: 'backUp',
    summary: 'Copies database and keys to a new folder of the host’s machine, while it runs.',
    token: 'admin',
    body: object({ to: { ...text, description: 'An absolute path at which there is nothing yet.' } }),
    output: object({ to: text }),
  },
  {
    method: 'POST',
    path: '/api/admin/stop',
    id: 'stop',
    summary: 'Ends the host.',
    token: 'admin',
    output: object({ stopping: { const: true } }),
  },
  ...sessionRoutes,
];

/** The methods of a request's path, or null when there is nothing at it. HEAD comes with GET, but for the Runner link and streams. */
export function methodsAt(url: string): readonly string[] | null {
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);
  const found = routes.filter((route) => isAt(route.path, path));
  if (found.length === 0) return null;
  return found.flatMap(({ method, token, stream }) =>
    method === 'GET' && token !== 'runner' && stream === undefined ? ['GET', 'HEAD'] : [method],
  );
}

function isAt(pattern: string, path: string): boolean {
  const segments = path.split('/');
  const wanted = pattern.split('/');
  return (
    segments.length === wanted.length &&
    wanted.every((segment, index) =>
      segment.startsWith(':') ? segments[index] !== '' : segment === segments[index],
    )
  );
}
