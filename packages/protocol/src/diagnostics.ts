import { isToolName } from './names.ts';

/** Which member of a tool's definition a diagnostic speaks of. */
export type DiagnosticField =
  | 'name'
  | 'title'
  | 'description'
  | 'inputSchema'
  | 'outputSchema'
  | 'annotations';

/** Whether a diagnostic names its tool, and which fields it may name. */
type Form = { readonly tool: boolean; readonly fields: readonly DiagnosticField[] };

/** Every diagnostic with its form (docs/reference/native-plugin-protocol.md §8). */
const FORMS = {
  tools_list_result_malformed: { tool: false, fields: [] },
  tool_count_exceeded: { tool: false, fields: [] },
  tool_definition_invalid: { tool: false, fields: [] },
  invalid_tool_name: { tool: false, fields: ['name'] },
  duplicate_tool_name: { tool: true, fields: ['name'] },
  invalid_tool_title: { tool: true, fields: ['title'] },
  invalid_tool_description: { tool: true, fields: ['description'] },
  input_schema_invalid: { tool: true, fields: ['inputSchema'] },
  output_schema_invalid: { tool: true, fields: ['outputSchema'] },
  schema_keyword_unsupported: { tool: true, fields: ['inputSchema', 'outputSchema'] },
  annotations_invalid: { tool: true, fields: ['annotations'] },
  schema_bounds_exceeded: { tool: true, fields: ['inputSchema', 'outputSchema', 'annotations'] },
} as const satisfies Readonly<Record<string, Form>>;

/** Why a catalog was refused. */
export type DiagnosticCode = keyof typeof FORMS;

/**
 * The first fault of a refused catalog. `tool` is a name that is safe to show; neither it nor `field` ever holds
 * anything else that the plugin wrote.
 */
export type Diagnostic = {
  readonly code: DiagnosticCode;
  readonly tool?: string;
  readonly field?: DiagnosticField;
};

/** True when a diagnostic names a tool and a field exactly where its code asks for them. */
export function isDiagnostic(value: {
  readonly code: string;
  readonly tool?: string | undefined;
  readonly field?: string | undefined;
}): value is Diagnostic {
  if (!Object.hasOwn(FORMS, value.code)) return false;
  const form: Form = FORMS[value.code as DiagnosticCode];
  if (form.tool ? !isToolName(value.tool) : value.tool !== undefined) return false;
  if (form.fields.length === 0) return value.field === undefined;
  return form.fields.some((field) => field === value.field);
}
