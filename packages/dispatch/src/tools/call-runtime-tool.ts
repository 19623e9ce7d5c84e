import { deepFreeze, isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { MAY_DO_ANYTHING } from '../invocation/annotations.ts';
import { refusedInput } from '../invocation/invocation-of.ts';
import type { Invoker, ToolRequest } from '../invocation/invoker.ts';
import { type ParamsProblem, readParams } from '../invocation/params.ts';
import type { RuntimeTool, ToolDefinition } from '../invocation/runtime-tool.ts';
import type { Invocation } from '../invocation.ts';
import type { Scope } from '../scopes.ts';
import type { SessionTools } from '../sessions/session-tools.ts';
import { isToolNameText, TOOL_NAME_SCHEMA } from './tool-name.ts';

const NAME = 'call_runtime_tool';
const USAGE = 'call_runtime_tool takes tool, and arguments (an object) where the tool takes any.';

const definition: ToolDefinition = Object.freeze({
  name: NAME,
  description: [
    'Calls a tool whose route is gateway: one that is in no list. read_tool_manifest says what it takes.',
    'With recording_session_id: also the tools of that session, run as its host agent would, under its active extensions, mode, grants and approvals, and recorded there.',
    'A tool with the route direct is refused here: call it by its own name.',
    'approval_pending means that a person is asked: make the same call again later, it takes the decision once.',
    'The scopes, the certainty and the result are those of the tool that is called.',
  ].join('\n'),
  inputSchema: deepFreeze({
    type: 'object',
    properties: {
      tool: {
        ...TOOL_NAME_SCHEMA,
        description: 'Name of a tool whose route is gateway, or of a tool of the session that is named.',
      },
      arguments: {
        type: 'object',
        description: 'What that tool takes, as its inputSchema says. Nothing = {}.',
      },
    },
    required: ['tool'],
    additionalProperties: false,
  }),
  // The worst of what can be reached.
  annotations: MAY_DO_ANYTHING,
});

/**
 * The door to the tools with the route `gateway`. Such a tool then follows the order of every invocation under its own
 * name, with one row in the journal; what is refused here has its row under this one's.
 */
export function callRuntimeTool(
  invoker: Invoker,
  tools: () => readonly RuntimeTool[],
  sessionTools?: SessionTools,
): RuntimeTool {
  return {
    definition,
    route: 'direct',
    get scopes() {
      return scopesOf(tools(), sessionTools);
    },
    invoke: async (request) => {
      const reading = read(request.params);
      if (!reading.ok) {
        const { detail } = reading;
        return refusedInput({ code: 'invalid_arguments', action: NAME, detail, usage: USAGE });
      }
      return await forward({ invoker, tools: tools(), sessionTools }, request, reading);
    },
  };
}

type Asked = { readonly tool: string; readonly given: JsonObject };

type Parts = {
  readonly invoker: Invoker;
  readonly tools: readonly RuntimeTool[];
  readonly sessionTools: SessionTools | undefined;
};

async function forward(
  { invoker, tools, sessionTools }: Parts,
  request: ToolRequest,
  { tool: name, given }: Asked,
): Promise<Invocation> {
  const tool = tools.find(({ definition }) => definition.name === name);
  if (tool?.route === 'gateway') return await tool.invoke({ ...request, params: given });
  const task = {
    action: NAME,
    scope: null,
    subject: { bindingPresent: false, tool: name },
    summary: '',
  };
  const { recordingSessionId: session, principal, caller } = request;
  if (tool === undefined && session !== undefined && sessionTools !== undefined) {
    // The host writes it into the session whatever becomes of it: only who may write there gets so far.
    if (!principal.scopes.includes('session:write'))
      return await invoker.refuse(request, { ...task, scope: 'session:write' }, 'tool_not_found');
    const call = invoker.newCall();
    return await sessionTools.call({ call, session, tool: name, arguments: given, principal, caller });
  }
  return await invoker.refuse(request, task, tool === undefined ? 'unknown_tool' : 'tool_route_direct');
}

function read(
  params: Json,
): ({ readonly ok: true } & Asked) | { readonly ok: false; readonly detail: ParamsProblem } {
  const reading = readParams(params, { required: ['tool'], optional: ['arguments'] });
  if (!reading.ok) return reading;
  const { tool, arguments: given = {} } = reading.params;
  if (!isToolNameText(tool)) return { ok: false, detail: { member: 'tool', problem: 'invalid' } };
  if (!isJsonObject(given)) return { ok: false, detail: { member: 'arguments', problem: 'not_an_object' } };
  return { ok: true, tool, given };
}

const OF_SESSIONS: readonly Scope[] = ['session:write', 'plugin:invoke', 'mcp:invoke'];

function scopesOf(tools: readonly RuntimeTool[], sessionTools: SessionTools | undefined): readonly Scope[] {
  const own = tools.filter(({ route }) => route === 'gateway').flatMap(({ scopes }) => scopes);
  return [...new Set([...own, ...(sessionTools === undefined ? [] : OF_SESSIONS)])];
}
