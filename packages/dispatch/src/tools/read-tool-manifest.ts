import { deepFreeze, type Json, type JsonObject } from '@fairlead/base';
import { READS_ONLY } from '../invocation/annotations.ts';
import { done, notStarted } from '../invocation/ending.ts';
import type { Invoker } from '../invocation/invoker.ts';
import { readParams } from '../invocation/params.ts';
import type { RuntimeTool, ToolDefinition } from '../invocation/runtime-tool.ts';
import type { TaskReading } from '../invocation/tool-task.ts';
import { isToolNameText, TOOL_NAME_SCHEMA } from './tool-name.ts';

const NAME = 'read_tool_manifest';
const USAGE = 'read_tool_manifest takes tool_name.';

const definition: ToolDefinition = Object.freeze({
  name: NAME,
  description: [
    'Answers what this gateway knows about one of its own tools: description, inputSchema, annotations, the scopes it can need, and its route.',
    'route direct: call the tool by its name. route gateway: call it through call_runtime_tool; such a tool is in no list.',
    'It needs no scope and no connected Runner. The tools of plugins are described by plugin_tool.',
  ].join('\n'),
  inputSchema: deepFreeze({
    type: 'object',
    properties: { tool_name: { ...TOOL_NAME_SCHEMA, description: 'Name of a tool of the gateway.' } },
    required: ['tool_name'],
    additionalProperties: false,
  }),
  annotations: READS_ONLY,
});

/** Describes every tool of the registry, those in no list included. `tools` is read when it is called. */
export function readToolManifest(invoker: Invoker, tools: () => readonly RuntimeTool[]): RuntimeTool {
  return {
    definition,
    route: 'direct',
    scopes: [],
    invoke: (request) => invoker.invoke(request, (params) => read(params, tools())),
  };
}

function read(given: Json, tools: readonly RuntimeTool[]): TaskReading {
  const reading = readParams(given, { required: ['tool_name'] });
  if (!reading.ok) return refused(reading.detail);
  const { tool_name: name } = reading.params;
  if (!isToolNameText(name)) return refused({ member: 'tool_name', problem: 'invalid' });
  return {
    ok: true,
    task: {
      action: NAME,
      scope: null,
      subject: { bindingPresent: false, tool: name },
      summary: 'What the gateway knows about the tool.',
      run: async () => {
        const tool = tools.find((candidate) => candidate.definition.name === name);
        return tool === undefined ? notStarted('unknown_tool') : done(manifestOf(tool));
      },
    },
  };
}

function manifestOf({ definition, route, scopes }: RuntimeTool): JsonObject {
  const { name, description, inputSchema, annotations } = definition;
  return { name, description, route, scopes: [...scopes], annotations, inputSchema };
}

function refused(detail: { readonly member?: string; readonly problem: string }): TaskReading {
  return { ok: false, fault: { code: 'invalid_arguments', action: NAME, detail, usage: USAGE } };
}
