import type { ErrorTable, JsonObject } from '@fairlead/base';
import { dispatchErrors, type RuntimeTool } from '@fairlead/dispatch';
import { gatewayErrors } from '../errors.ts';
import { type RouteDescription, type RouteToken, routes } from '../http/routes.ts';
import { statusOf } from '../http/status.ts';
import { httpLimits } from '../limits.ts';

type About = {
  readonly version: string;
  /** How clients reach the gateway. */
  readonly url: string;
  readonly tools: readonly RuntimeTool[];
  /** Codes of the host behind the gateway, for their messages. */
  readonly errors?: ErrorTable | undefined;
};

/** The HTTP API as an OpenAPI 3.1 document, from the routes that are registered and the tools that are served. */
export function openApiDocument(about: About): JsonObject {
  const tools = about.tools.filter(({ route }) => route === 'direct');
  const described = { ...about, tools };
  const paths: { [path: string]: { [method: string]: JsonObject } } = {};
  for (const route of routes) {
    if (route.isProtocol === true) continue;
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, described) };
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Fairlead',
      version: about.version,
      summary: 'A self-hosted capability host for AI agents.',
      description:
        'Every answer is an envelope that says what is known: not_started, completed or outcome_unknown. Nothing is sent twice for you.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: about.url }],
    security: [],
    paths,
    components: {
      securitySchemes: {
        personalToken: {
          type: 'http',
          scheme: 'bearer',
          description: 'fairlead_pat_… with the scopes that it needs.',
        },
      },
      schemas: { Error: ERROR, Refusal: REFUSAL, Certainty: CERTAINTY, ...paramsSchemas(tools) },
    },
  };
}

const CERTAINTY: JsonObject = { type: 'string', enum: ['not_started', 'completed', 'outcome_unknown'] };

const ERROR: JsonObject = {
  type: 'object',
  properties: {
    code: { type: 'string', description: 'Never changes its meaning.' },
    message: { type: 'string' },
    recovery: { type: 'string', description: 'What to do next.' },
    detail: { description: 'What the code adds.' },
  },
  required: ['code', 'message'],
};

const REFUSAL: JsonObject = {
  type: 'object',
  properties: {
    success: { const: false },
    output: {},
    error: { $ref: '#/components/schemas/Error' },
    dispatch_certainty: { $ref: '#/components/schemas/Certainty' },
    call: { type: 'string' },
  },
  required: ['success', 'output', 'error', 'dispatch_certainty'],
};

function operationOf(route: RouteDescription, { tools, errors }: About): JsonObject {
  const { id, summary, token, scope, path, body, query = {} } = route;
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  const inQuery = Object.entries(query).map(([name, schema]) => ({ name, in: 'query', schema }));
  const parameters = [...inPath, ...inQuery];
  return {
    operationId: id,
    summary,
    ...(token === 'none' ? {} : { security: [{ personalToken: scope === undefined ? [] : [scope] }] }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBodyOf(body, tools) }),
    responses: responsesOf(route, errors),
  };
}

function requestBodyOf(body: JsonObject | 'tool_call', tools: readonly RuntimeTool[]): JsonObject {
  const schema = body === 'tool_call' ? { oneOf: tools.map(callBodyOf) } : body;
  return {
    required: body === 'tool_call' || 'oneOf' in body || 'required' in body,
    content: { 'application/json': { schema } },
  };
}

function callBodyOf({ definition: { name, description } }: RuntimeTool): JsonObject {
  return {
    type: 'object',
    title: name,
    description,
    properties: {
      tool: { const: name },
      params: { $ref: `#/components/schemas/${name}_params` },
      recording_session_id: { type: 'string', minLength: 1, maxLength: httpLimits.recordingSessionIdBytes },
      context: { type: 'array', items: { type: 'string' }, maxItems: httpLimits.contextEntries },
    },
    required: ['tool', 'params'],
  };
}

function paramsSchemas(tools: readonly RuntimeTool[]): JsonObject {
  return Object.fromEntries(
    tools.map(({ definition: { name, inputSchema } }) => [`${name}_params`, inputSchema]),
  );
}

function responsesOf(
  { output, token, stream, body, refusals = [] }: RouteDescription,
  errors: ErrorTable | undefined,
): JsonObject {
  const success =
    stream !== undefined
      ? { description: 'The stream.', content: { [stream]: { schema: { type: 'string' } } } }
      : output === null
        ? { description: 'The description.', content: json({ type: 'object' }) }
        : { description: 'Done, or the tool itself said that it failed.', content: json(envelopeOf(output)) };
  const codes = [
    ...BY_TOKEN[token],
    ...(body === undefined ? [] : BODY_REFUSALS),
    ...ANY_REFUSALS,
    ...refusals,
  ];
  const byStatus = Map.groupBy(codes, statusOf);
  const refused = [...byStatus]
    .toSorted(([left], [right]) => left - right)
    .map(([status, found]) => [String(status), refusalOf(found, errors)] as const);
  return { 200: success, ...Object.fromEntries(refused) };
}

const BY_TOKEN: Readonly<Record<RouteToken, readonly string[]>> = {
  none: [],
  personal: ['unauthorized'],
  admin: ['unauthorized', 'insufficient_scope', 'local_only'],
  runner: ['unauthorized'],
};
const BODY_REFUSALS = ['invalid_body', 'body_too_large', 'unsupported_media_type'];
const ANY_REFUSALS = ['host_not_allowed', 'origin_not_allowed', 'gateway_stopping', 'internal_error'];

function refusalOf(codes: readonly string[], errors: ErrorTable | undefined): JsonObject {
  const messages: Readonly<Record<string, { readonly message: string }>> = {
    ...errors,
    ...gatewayErrors,
    ...dispatchErrors,
  };
  const lines = codes.map((code) => [code, messages[code]?.message].filter(Boolean).join(': '));
  return {
    description: lines.join('\n'),
    content: json({ $ref: '#/components/schemas/Refusal' }),
  };
}

function envelopeOf(output: JsonObject): JsonObject {
  return {
    type: 'object',
    properties: {
      success: { type: 'boolean' },
      output,
      error: { anyOf: [{ $ref: '#/components/schemas/Error' }, { type: 'null' }] },
      dispatch_certainty: { $ref: '#/components/schemas/Certainty' },
      failure_kind: { type: 'string' },
      call: { type: 'string', description: 'The id of the invocation in the journal.' },
      context: { type: 'object' },
    },
    required: ['success', 'output', 'error', 'dispatch_certainty'],
  };
}

function json(schema: JsonObject): JsonObject {
  return { 'application/json': { schema } };
}
