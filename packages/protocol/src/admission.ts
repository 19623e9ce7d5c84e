import { checkJsonBounds, deepFreeze, isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import type { Diagnostic, DiagnosticCode, DiagnosticField } from './diagnostics.ts';
import { catalogLimits, definitionPartBounds } from './limits.ts';
import { isToolDescription, isToolName, isToolTitle } from './names.ts';
import { toolObservation } from './observation.ts';
import { type CompiledSchema, compileSchema } from './schema-profile.ts';

/** One tool of a frozen catalog. */
export type AdmittedTool = {
  readonly name: string;
  readonly title?: string;
  /** As it was received, frozen. */
  readonly definition: JsonObject;
  /** The digest that a call must carry. */
  readonly observation: string;
  readonly input: CompiledSchema;
  readonly output?: CompiledSchema;
};

/** What a provider instance offers for its whole life, in the order in which it listed its tools. */
export type FrozenCatalog = { readonly tools: ReadonlyMap<string, AdmittedTool> };

/** A catalog, or the first fault in it. */
export type Admission =
  | { readonly ok: true; readonly catalog: FrozenCatalog }
  | { readonly ok: false; readonly diagnostic: Diagnostic };

const MEMBERS: ReadonlySet<string> = new Set([
  'name',
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
]);

/**
 * Admits the result of `tools/list` whole or not at all (docs/reference/native-plugin-protocol.md §4). A refusal names
 * the first failing tool in list order; within a tool: form, name, duplicate, title, description, inputSchema,
 * outputSchema, annotations. The result is frozen.
 */
export function admitCatalog(result: Json): Admission {
  if (!isJsonObject(result)) return refused('tools_list_result_malformed');
  const listed = result['tools'];
  if (!Array.isArray(listed) || Object.keys(result).length !== 1)
    return refused('tools_list_result_malformed');
  if (listed.length > catalogLimits.maxTools) return refused('tool_count_exceeded');
  const tools = new Map<string, AdmittedTool>();
  for (const definition of listed as readonly Json[]) {
    const tool = admitTool(definition, tools);
    if ('code' in tool) return { ok: false, diagnostic: tool };
    tools.set(tool.name, tool);
  }
  return { ok: true, catalog: { tools } };
}

function admitTool(definition: Json, earlier: ReadonlyMap<string, unknown>): AdmittedTool | Diagnostic {
  if (!isJsonObject(definition)) return { code: 'tool_definition_invalid' };
  for (const key of Object.keys(definition))
    if (!MEMBERS.has(key)) return { code: 'tool_definition_invalid' };
  const { name, title, description, inputSchema, outputSchema, annotations } = definition;
  // A name that is not safe to show is not shown.
  if (!isToolName(name)) return { code: 'invalid_tool_name', field: 'name' };
  const fault = (code: DiagnosticCode, field: DiagnosticField): Diagnostic => ({ code, tool: name, field });
  if (earlier.has(name)) return fault('duplicate_tool_name', 'name');
  if (title !== undefined && !isToolTitle(title)) return fault('invalid_tool_title', 'title');
  if (description !== undefined && !isToolDescription(description)) {
    return fault('invalid_tool_description', 'description');
  }
  const input = compileSchema(inputSchema ?? null, 'input');
  if (!input.ok) return fault(input.code, 'inputSchema');
  const output = outputSchema === undefined ? undefined : compileSchema(outputSchema, 'output');
  if (output?.ok === false) return fault(output.code, 'outputSchema');
  if (annotations !== undefined) {
    const code = annotationsFault(annotations);
    if (code !== null) return fault(code, 'annotations');
  }
  return {
    name,
    ...(title === undefined ? {} : { title }),
    definition: deepFreeze(definition),
    observation: toolObservation(definition),
    input: input.schema,
    ...(output === undefined ? {} : { output: output.schema }),
  };
}

function annotationsFault(annotations: Json): DiagnosticCode | null {
  if (!isJsonObject(annotations)) return 'annotations_invalid';
  const bounds = checkJsonBounds(annotations, definitionPartBounds);
  if (bounds === null) return null;
  return bounds === 'key_control_character' ? 'annotations_invalid' : 'schema_bounds_exceeded';
}

function refused(code: DiagnosticCode): Admission {
  return { ok: false, diagnostic: { code } };
}
