import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import { admitCatalog, catalogLimits, type DiagnosticCode } from '@fairlead/protocol';
import type { ClauseFault } from '../clauses/clause-fault.ts';
import type { ClauseId } from '../clauses/clauses.ts';
import { shownValue } from '../plugin/shown.ts';
import { schemaPlace } from './schema-place.ts';

/** The clause behind each diagnostic of a Runner (docs/reference/native-plugin-protocol.md §8). */
const CLAUSES: Readonly<Record<DiagnosticCode, readonly [ClauseId, expected: string]>> = {
  tools_list_result_malformed: ['wire.list.form', 'an object with the one member "tools", an array'],
  tool_count_exceeded: ['wire.list.count', `at most ${catalogLimits.maxTools} tools`],
  tool_definition_invalid: [
    'wire.list.definition',
    'an object of name, title, description, inputSchema, outputSchema and annotations',
  ],
  invalid_tool_name: ['wire.list.name', '1 to 128 of A-Z a-z 0-9 _ . -'],
  duplicate_tool_name: ['wire.list.unique-names', 'a name that no earlier tool has'],
  invalid_tool_title: ['wire.list.title', 'a text of 1 to 128 bytes without control characters'],
  invalid_tool_description: [
    'wire.list.description',
    'a text of at most 4,096 bytes without control characters',
  ],
  input_schema_invalid: ['wire.list.input-schema', 'a schema of profile v1 whose root has type object'],
  output_schema_invalid: ['wire.list.output-schema', 'a schema of profile v1 whose root has type object'],
  schema_keyword_unsupported: ['wire.list.schema-keywords', 'keywords of profile v1'],
  annotations_invalid: ['wire.list.annotations', 'an object whose names hold no control character'],
  schema_bounds_exceeded: [
    'wire.list.part-bounds',
    'at most 64 KiB, 16 levels, 4,096 values, and 128 properties, required names or enum values',
  ],
};

/** What stands in for the members that are not looked at. */
const SOUND: JsonObject = { name: 'tool', inputSchema: { type: 'object' } };

/**
 * Every fault of a list of tools, where a Runner tells the first alone. Each member of each tool is held against the Runner's
 * own admission, so that the two cannot disagree.
 */
export function catalogFaults(result: Json): ClauseFault[] {
  const whole = admitCatalog(result);
  if (whole.ok) return [];
  const listed = isJsonObject(result) ? result['tools'] : undefined;
  const { code } = whole.diagnostic;
  if (code === 'tools_list_result_malformed') return [faultOf(code, shownValue(result))];
  const tools = listed as readonly Json[];
  if (code === 'tool_count_exceeded') return [faultOf(code, `${tools.length} tools`)];
  const names = new Set<Json>();
  return tools.flatMap((tool, index) => {
    const faults = toolFaults(tool, `tool ${index + 1}`);
    if (!isJsonObject(tool) || typeof tool['name'] !== 'string') return faults;
    const { name } = tool;
    if (names.has(name))
      faults.push(faultOf('duplicate_tool_name', `tool ${index + 1}: ${shownValue(name)}`));
    names.add(name);
    return faults;
  });
}

function toolFaults(tool: Json, where: string): ClauseFault[] {
  if (!isJsonObject(tool)) return [faultOf('tool_definition_invalid', `${where}: ${shownValue(tool)}`)];
  const place = typeof tool['name'] === 'string' ? `${where} (${shownValue(tool['name'])})` : where;
  const unknown = Object.keys(tool).filter((member) => !MEMBERS.has(member));
  const faults: ClauseFault[] =
    unknown.length === 0 ? [] : [faultOf('tool_definition_invalid', `${place}: ${shownValue(unknown)}`)];
  for (const member of MEMBERS) {
    const value = tool[member];
    if (value === undefined && Object.hasOwn(SOUND, member)) {
      const code = member === 'name' ? 'invalid_tool_name' : 'input_schema_invalid';
      faults.push(faultOf(code, `${place}: no ${member}`));
    } else if (value !== undefined) {
      const alone = admitCatalog({ tools: [{ ...SOUND, [member]: value }] });
      if (!alone.ok) faults.push(faultOf(alone.diagnostic.code, `${place}: ${seenOf(member, value)}`));
    }
  }
  return faults;
}

const MEMBERS: ReadonlySet<string> = new Set([
  'name',
  'title',
  'description',
  'inputSchema',
  'outputSchema',
  'annotations',
]);

function seenOf(member: string, value: Json): string {
  if (member !== 'inputSchema' && member !== 'outputSchema') return `${member} ${shownValue(value)}`;
  const { pointer, seen } = schemaPlace(value, member === 'inputSchema' ? 'input' : 'output');
  return `${member} at ${pointer === '' ? 'its root' : pointer}: ${seen}`;
}

function faultOf(code: DiagnosticCode, seen: string): ClauseFault {
  const [clause, expected] = CLAUSES[code];
  return { clause, expected, seen: `${seen} (a Runner says ${code})` };
}
