import { deepFreeze, encodeJson, type JsonObject } from '@fairlead/base';
import { READS_ONLY } from '../invocation/annotations.ts';
import { done, notStarted, refusedEnding } from '../invocation/ending.ts';
import type { Invoker, ToolRequest } from '../invocation/invoker.ts';
import { readParams } from '../invocation/params.ts';
import type { RuntimeTool, ToolDefinition } from '../invocation/runtime-tool.ts';
import type { TaskReading } from '../invocation/tool-task.ts';
import type { InvocationError } from '../invocation-error.ts';
import { TOOL_LIST_MAX_BYTES } from '../limits.ts';
import type { SessionTool, SessionTools } from '../sessions/session-tools.ts';
import { isToolNameText, TOOL_NAME_SCHEMA } from './tool-name.ts';

const NAME = 'read_tool_manifest';
const USAGE = 'read_tool_manifest takes tool_name, or nothing.';

const definition: ToolDefinition = Object.freeze({
  name: NAME,
  description: [
    'Answers what this gateway knows about one of its own tools: description, inputSchema, annotations, the scopes it can need, and its route.',
    'route direct: call the tool by its name. route gateway: call it through call_runtime_tool; such a tool is in no list.',
    'With recording_session_id also the tools of that session, as its host agent may call them: route gateway. Without tool_name: the names of all.',
    'It needs no scope and no connected Runner. The tools of plugins are described by plugin_tool.',
  ].join('\n'),
  inputSchema: deepFreeze({
    type: 'object',
    properties: {
      tool_name: {
        ...TOOL_NAME_SCHEMA,
        description: 'Name of a tool of the gateway, or of the session that is named. Nothing: all names.',
      },
    },
    additionalProperties: false,
  }),
  annotations: READS_ONLY,
});

/** Describes every tool of the registry, those in no list included, and those of a session. `tools` is read when it is called. */
export function readToolManifest(
  invoker: Invoker,
  tools: () => readonly RuntimeTool[],
  sessionTools?: SessionTools,
): RuntimeTool {
  return {
    definition,
    route: 'direct',
    scopes: [],
    invoke: (request) => invoker.invoke(request, () => read(request, tools(), sessionTools)),
  };
}

function read(
  request: ToolRequest,
  tools: readonly RuntimeTool[],
  sessionTools: SessionTools | undefined,
): TaskReading {
  const reading = readParams(request.params, { required: [], optional: ['tool_name'] });
  if (!reading.ok) return refused(reading.detail);
  const { tool_name: name } = reading.params;
  if (name !== undefined && !isToolNameText(name))
    return refused({ member: 'tool_name', problem: 'invalid' });
  return {
    ok: true,
    task: {
      action: NAME,
      scope: null,
      subject: { bindingPresent: false, ...(name === undefined ? {} : { tool: name }) },
      summary: name === undefined ? 'The tools that there are.' : 'What the gateway knows about the tool.',
      run: async () => {
        const own = tools.find((candidate) => candidate.definition.name === name);
        if (own !== undefined) return done(manifestOf(own));
        const found = await ofSession(request, sessionTools);
        if ('error' in found) return refusedEnding(found.error);
        if (name === undefined) return done(namesOf(tools, found.tools));
        const tool = found.tools.find((candidate) => candidate.name === name);
        return tool === undefined ? notStarted('unknown_tool') : done(sessionManifest(tool));
      },
    },
  };
}

async function ofSession(
  { recordingSessionId, principal }: ToolRequest,
  sessionTools: SessionTools | undefined,
): Promise<{ readonly tools: readonly SessionTool[] } | { readonly error: InvocationError }> {
  if (recordingSessionId === undefined || sessionTools === undefined) return { tools: [] };
  const listed = await sessionTools.list(recordingSessionId, principal);
  return listed.ok ? { tools: listed.tools } : { error: listed.error };
}

function manifestOf({ definition, route, scopes }: RuntimeTool): JsonObject {
  const { name, description, inputSchema, annotations } = definition;
  return { name, description, route, scopes: [...scopes], annotations, inputSchema };
}

function sessionManifest(tool: SessionTool): JsonObject {
  const { name, description, scopes, annotations, inputSchema, extension, tier } = tool;
  return {
    name,
    description,
    route: 'gateway',
    scopes: [...scopes],
    annotations,
    inputSchema,
    extension,
    tier,
  };
}

/** Every name, and of a session's tools what each is for; their beginning where there are more than an answer may hold. */
function namesOf(own: readonly RuntimeTool[], ofSession: readonly SessionTool[]): JsonObject {
  const rows: readonly JsonObject[] = [
    ...own.map(({ definition, route, scopes }) => ({ name: definition.name, route, scopes: [...scopes] })),
    ...ofSession.map(({ name, description, extension, tier, scopes }) => ({
      ...{ name, route: 'gateway', scopes: [...scopes], extension, tier },
      about: firstLine(description),
    })),
  ];
  const tools: JsonObject[] = [];
  let bytes = 0;
  for (const row of rows) {
    bytes += Buffer.byteLength(encodeJson(row));
    if (bytes > TOOL_LIST_MAX_BYTES) break;
    tools.push(row);
  }
  return { tools, totalCount: rows.length, truncated: tools.length < rows.length };
}

function firstLine(text: string): string {
  return (text.trim().split('\n', 1)[0] ?? '').slice(0, 200).toWellFormed();
}

function refused(detail: { readonly member?: string; readonly problem: string }): TaskReading {
  return { ok: false, fault: { code: 'invalid_arguments', action: NAME, detail, usage: USAGE } };
}
