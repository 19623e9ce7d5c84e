import type { ClauseId } from '../clauses/clauses.ts';
import { answer, nested, type Plays, tool } from './plays.ts';
import type { Scenario } from './scenario.ts';

type Diagnostic = { readonly code: string; readonly tool?: string; readonly field?: string };

function refused(
  name: string,
  does: string,
  clause: ClauseId,
  diagnostic: Diagnostic,
  plays: Plays,
): Scenario {
  const runner = { at: 'start', phase: 'validation', code: 'plugin_tools_list_invalid', diagnostic } as const;
  return { name, does, clause, runner, plays };
}

type Member = 'name' | 'title' | 'description' | 'inputSchema' | 'outputSchema' | 'annotations';

/** The clause and the diagnostic of a member that is not allowed. */
const FAULTS: Readonly<Record<Exclude<Member, 'name'>, readonly [code: string, clause: ClauseId]>> = {
  title: ['invalid_tool_title', 'wire.list.title'],
  description: ['invalid_tool_description', 'wire.list.description'],
  inputSchema: ['input_schema_invalid', 'wire.list.input-schema'],
  outputSchema: ['output_schema_invalid', 'wire.list.output-schema'],
  annotations: ['annotations_invalid', 'wire.list.annotations'],
};

/** One tool `echo` with one member that is not allowed. */
function member(name: string, does: string, field: Exclude<Member, 'name'>, value: unknown): Scenario {
  const [code, clause] = FAULTS[field];
  const plays = { tools: () => [tool('echo', { [field]: value })] };
  return refused(name, does, clause, { code, tool: 'echo', field }, plays);
}

/** The same for a keyword that the profile does not have, or for a member past its bounds. */
function foreign(
  name: string,
  does: string,
  field: 'inputSchema' | 'outputSchema',
  value: unknown,
): Scenario {
  const diagnostic = { code: 'schema_keyword_unsupported', tool: 'echo', field };
  const plays = { tools: () => [tool('echo', { [field]: value })] };
  return refused(name, does, 'wire.list.schema-keywords', diagnostic, plays);
}

function tooMuch(
  name: string,
  does: string,
  field: 'inputSchema' | 'outputSchema' | 'annotations',
  value: () => unknown,
): Scenario {
  const diagnostic = { code: 'schema_bounds_exceeded', tool: 'echo', field };
  const plays = { tools: () => [tool('echo', { [field]: value() })] };
  return refused(name, does, 'wire.list.part-bounds', diagnostic, plays);
}

const schema = (more: Readonly<Record<string, unknown>>): Record<string, unknown> => ({
  type: 'object',
  ...more,
});
const property = (node: unknown): Record<string, unknown> => schema({ properties: { p: node } });
const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `p${index}`);

const listFaults: readonly Scenario[] = [
  refused(
    'list-result-is-array',
    'lists its tools as an array',
    'wire.list.form',
    { code: 'tools_list_result_malformed' },
    {
      list: (stage, { id }) => answer(stage, id, []),
    },
  ),
  refused(
    'list-with-cursor',
    'lists its tools in pages',
    'wire.list.form',
    { code: 'tools_list_result_malformed' },
    {
      list: (stage, { id }) => answer(stage, id, { tools: [], nextCursor: 'x' }),
    },
  ),
  refused(
    '129-tools',
    'lists more than 128 tools',
    'wire.list.count',
    { code: 'tool_count_exceeded' },
    {
      tools: () => Array.from({ length: 129 }, (_, index) => tool(`tool-${index}`)),
    },
  ),
  refused(
    'tool-is-text',
    'lists a tool that is no object',
    'wire.list.definition',
    { code: 'tool_definition_invalid' },
    {
      tools: () => ['echo'],
    },
  ),
  refused(
    'tool-with-unknown-member',
    'gives a tool a member that tools do not have',
    'wire.list.definition',
    { code: 'tool_definition_invalid' },
    { tools: () => [tool('echo', { icon: 'x' })] },
  ),
  refused(
    'tool-without-name',
    'lists a tool without a name',
    'wire.list.name',
    { code: 'invalid_tool_name', field: 'name' },
    {
      tools: () => [{ inputSchema: schema({}) }],
    },
  ),
  refused(
    'tool-name-with-space',
    'gives a tool a name with a space in it',
    'wire.list.name',
    { code: 'invalid_tool_name', field: 'name' },
    { tools: () => [tool('two words')] },
  ),
  refused(
    'tool-name-too-long',
    'gives a tool a name of 129 bytes',
    'wire.list.name',
    { code: 'invalid_tool_name', field: 'name' },
    { tools: () => [tool('x'.repeat(129))] },
  ),
  refused(
    'tool-name-is-number',
    'gives a tool a number for its name',
    'wire.list.name',
    { code: 'invalid_tool_name', field: 'name' },
    { tools: () => [{ name: 7, inputSchema: schema({}) }] },
  ),
  refused(
    'tool-name-twice',
    'gives two tools one name',
    'wire.list.unique-names',
    { code: 'duplicate_tool_name', tool: 'echo', field: 'name' },
    { tools: () => [tool('echo'), tool('echo')] },
  ),
  refused(
    'second-tool-bad',
    'lists a good tool and one that is not allowed',
    'wire.list.title',
    { code: 'invalid_tool_title', tool: 'second', field: 'title' },
    { tools: () => [tool('echo'), tool('second', { title: '' })] },
  ),
];

const memberFaults: readonly Scenario[] = [
  member('title-with-escape', 'colours a title', 'title', '\u001b[1m'),
  member('title-too-long', 'gives a tool a title of 129 bytes', 'title', 'x'.repeat(129)),
  member('title-is-null', 'gives null where it has no title', 'title', null),
  member('description-too-long', 'describes a tool in 4,097 bytes', 'description', 'x'.repeat(4097)),
  member('description-is-number', 'describes a tool by a number', 'description', 1),
  refused(
    'input-schema-missing',
    'gives a tool no inputSchema',
    'wire.list.input-schema',
    { code: 'input_schema_invalid', tool: 'echo', field: 'inputSchema' },
    { tools: () => [{ name: 'echo' }] },
  ),
  member('annotations-list', 'annotates a tool by a list', 'annotations', []),
  member('annotations-key-control', 'annotates under a name with a control character', 'annotations', {
    '\u0001': 1,
  }),
];

const schemaFaults: readonly Scenario[] = [
  member('input-schema-is-text', 'gives a text for a schema', 'inputSchema', 'object'),
  member('input-schema-root-string', 'gives a schema whose root is a string', 'inputSchema', {
    type: 'string',
  }),
  member('input-schema-without-type', 'gives a schema without a type', 'inputSchema', property({})),
  member(
    'input-schema-unknown-type',
    'gives a schema of a type that there is not',
    'inputSchema',
    property({ type: 'any' }),
  ),
  member(
    'input-schema-misplaced-keyword',
    'puts a keyword on a type that it is not for',
    'inputSchema',
    schema({ minLength: 1 }),
  ),
  member(
    'input-schema-title-number',
    'gives a number for a title in a schema',
    'inputSchema',
    schema({ title: 1 }),
  ),
  member(
    'input-schema-enum-text',
    'gives a text for an enum',
    'inputSchema',
    property({ type: 'string', enum: 'a' }),
  ),
  member(
    'input-schema-negative-length',
    'gives a negative length',
    'inputSchema',
    property({ type: 'string', minLength: -1 }),
  ),
  member(
    'input-schema-crossed-lengths',
    'gives a minimum above its maximum',
    'inputSchema',
    property({ type: 'string', minLength: 2, maxLength: 1 }),
  ),
  member(
    'input-schema-length-too-large',
    'allows a longer text than arguments can hold',
    'inputSchema',
    property({ type: 'string', maxLength: 65_537 }),
  ),
  member(
    'input-schema-items-too-large',
    'allows more items than a part can hold',
    'inputSchema',
    property({ type: 'array', maxItems: 4097 }),
  ),
  member(
    'input-schema-items-list',
    'gives a list of schemas for items',
    'inputSchema',
    property({ type: 'array', items: [] }),
  ),
  member(
    'input-schema-properties-list',
    'gives a list for properties',
    'inputSchema',
    schema({ properties: [] }),
  ),
  member(
    'input-schema-required-twice',
    'requires one member twice',
    'inputSchema',
    schema({ required: ['a', 'a'] }),
  ),
  member(
    'input-schema-required-undeclared',
    'requires a member that the object rules out',
    'inputSchema',
    schema({ required: ['a'], additionalProperties: false }),
  ),
  member(
    'input-schema-additional-schema',
    'gives a schema for additionalProperties',
    'inputSchema',
    schema({ additionalProperties: schema({}) }),
  ),
  member(
    'input-schema-key-control',
    'declares a member with a control character in its name',
    'inputSchema',
    {
      ...schema({ properties: { '\u0007': schema({}) } }),
    },
  ),
  member('output-schema-root-array', 'gives an outputSchema whose root is an array', 'outputSchema', {
    type: 'array',
  }),
  member('output-schema-is-null', 'gives null where it has no outputSchema', 'outputSchema', null),
  member(
    'output-schema-length-too-large',
    'promises a longer text than a result can hold',
    'outputSchema',
    property({ type: 'string', maxLength: 524_289 }),
  ),
  foreign('input-schema-ref', 'refers to another schema', 'inputSchema', schema({ $ref: '#/x' })),
  foreign('input-schema-dialect', 'names the dialect of its schema', 'inputSchema', schema({ $schema: 'x' })),
  foreign(
    'input-schema-pattern',
    'asks for a pattern',
    'inputSchema',
    property({ type: 'string', pattern: 'a' }),
  ),
  foreign(
    'input-schema-type-list',
    'gives a list of types',
    'inputSchema',
    property({ type: ['string', 'null'] }),
  ),
  foreign(
    'input-schema-minimum',
    'asks for a minimum',
    'inputSchema',
    property({ type: 'number', minimum: 0 }),
  ),
  foreign('output-schema-any-of', 'promises one of several schemas', 'outputSchema', schema({ anyOf: [] })),
];

const boundsFaults: readonly Scenario[] = [
  tooMuch('annotations-too-large', 'annotates a tool in more than 64 KiB', 'annotations', () => ({
    note: 'x'.repeat(64 * 1024),
  })),
  tooMuch('annotations-too-deep', 'annotates a tool in more than 16 levels', 'annotations', () => nested(18)),
  tooMuch('input-schema-too-many-properties', 'declares 129 properties', 'inputSchema', () =>
    schema({ properties: Object.fromEntries(many(129).map((name) => [name, schema({})])) }),
  ),
  tooMuch('input-schema-too-many-required', 'requires 129 members', 'inputSchema', () =>
    schema({ required: many(129) }),
  ),
  tooMuch('input-schema-enum-empty', 'allows no value at all', 'inputSchema', () =>
    property({ type: 'string', enum: [] }),
  ),
  tooMuch('input-schema-enum-too-long', 'lists 129 values', 'inputSchema', () =>
    property({ type: 'string', enum: many(129) }),
  ),
  tooMuch('input-schema-too-deep', 'gives a schema of more than 16 levels', 'inputSchema', () => {
    let node: unknown = schema({});
    for (let level = 0; level < 9; level += 1) node = property(node);
    return node;
  }),
  tooMuch('input-schema-too-many-values', 'gives a schema of more than 4,096 values', 'inputSchema', () => {
    const wide = Object.fromEntries(many(64).map((name) => [name, { type: 'string', enum: many(64) }]));
    return schema({ properties: wide });
  }),
  tooMuch('input-schema-long-name', 'declares a member whose name has 1,025 bytes', 'inputSchema', () =>
    schema({ properties: { ['n'.repeat(1025)]: schema({}) } }),
  ),
  tooMuch('output-schema-too-large', 'gives an outputSchema of more than 64 KiB', 'outputSchema', () =>
    schema({ description: 'x'.repeat(64 * 1024) }),
  ),
];

/** Faults of the list of tools: the process answers well, and is not admitted. */
export const catalogScenarios: readonly Scenario[] = [
  ...listFaults,
  ...memberFaults,
  ...schemaFaults,
  ...boundsFaults,
];
