// native-plugin-protocol §4, §8
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import { admitCatalog, type Diagnostic, isDiagnostic } from '../src/index.ts';

const OBJECT: JsonObject = { type: 'object' };

function tool(changes: JsonObject = {}): JsonObject {
  return { name: 'echo', inputSchema: OBJECT, ...changes };
}

function diagnose(result: Json): Diagnostic | null {
  const admission = admitCatalog(result);
  if (admission.ok) return null;
  assert.equal(isDiagnostic(admission.diagnostic), true);
  return admission.diagnostic;
}

/** A tool under test behind one that is good. */
function second(definition: Json): Diagnostic | null {
  return diagnose({ tools: [tool({ name: 'first' }), definition] });
}

describe('an admitted catalog', () => {
  it('may be empty', () => {
    const admission = admitCatalog({ tools: [] });
    assert.equal(admission.ok && admission.catalog.tools.size, 0);
  });

  it('keeps the order of its list and each definition as it came', () => {
    const full = tool({
      name: 'b.Tool_1-x',
      title: 'Zwei\tWörter',
      description: '',
      outputSchema: OBJECT,
      annotations: { readOnlyHint: true, anything: { else: [1] } },
    });
    const result = { tools: [full, tool({ name: 'a' })] };
    const admission = admitCatalog(result);
    assert.ok(admission.ok);
    assert.deepEqual([...admission.catalog.tools.keys()], ['b.Tool_1-x', 'a']);
    const first = admission.catalog.tools.get('b.Tool_1-x');
    assert.equal(first?.definition, full);
    assert.equal(first?.title, 'Zwei\tWörter');
    assert.equal(first?.output?.matches({}), true);
    const other = admission.catalog.tools.get('a');
    assert.equal(other !== undefined && 'title' in other, false);
    assert.equal(other !== undefined && 'output' in other, false);
  });

  it('is frozen to the last value', () => {
    const properties = { a: { type: 'string', enum: ['x'] } };
    const result = { tools: [tool({ inputSchema: { type: 'object', properties } })] };
    assert.ok(admitCatalog(result).ok);
    assert.ok(Object.isFrozen(result.tools[0]) && Object.isFrozen(properties.a.enum));
  });

  it('takes 128 tools', () => {
    const tools = Array.from({ length: 128 }, (_, index) => tool({ name: `t${index}` }));
    const admission = admitCatalog({ tools });
    assert.equal(admission.ok && admission.catalog.tools.size, 128);
  });

  it('is bounded by its parts alone, not as a whole', () => {
    const inputSchema = { type: 'object', const: Array(4000).fill(0) };
    const tools = Array.from({ length: 20 }, (_, index) => tool({ name: `t${index}`, inputSchema }));
    assert.equal(diagnose({ tools }), null);
  });
});

describe('tools_list_result_malformed: no tool, no field', () => {
  const rows: readonly (readonly [string, Json])[] = [
    ['null', null],
    ['the list itself', []],
    ['a text', 'tools'],
    ['no tools', {}],
    ['tools that is an object', { tools: {} }],
    ['tools that is null', { tools: null }],
    ['a cursor beside the tools', { tools: [], nextCursor: 'x' }],
    ['_meta beside the tools', { tools: [], _meta: {} }],
    ['__proto__ beside the tools', JSON.parse('{"tools":[],"__proto__":1}') as Json],
  ];
  for (const [what, result] of rows) {
    it(what, () => assert.deepEqual(diagnose(result), { code: 'tools_list_result_malformed' }));
  }
});

describe('tool_count_exceeded: no tool, no field', () => {
  it('129 tools, whatever they are', () => {
    assert.deepEqual(diagnose({ tools: Array(129).fill(null) }), { code: 'tool_count_exceeded' });
  });
});

describe('tool_definition_invalid: no tool, no field', () => {
  const rows: readonly (readonly [string, Json])[] = [
    ['null', null],
    ['a text', 'echo'],
    ['an array', [tool()]],
    ['an unknown member', tool({ icons: [] })],
    ['_meta', tool({ _meta: {} })],
    ['a member in snake case', tool({ input_schema: OBJECT })],
    ['__proto__', JSON.parse('{"name":"echo","inputSchema":{"type":"object"},"__proto__":{}}') as Json],
    ['an unknown member beside a bad name', { name: 7, extra: 1 }],
  ];
  for (const [what, definition] of rows) {
    it(what, () => assert.deepEqual(second(definition), { code: 'tool_definition_invalid' }));
  }
});

describe('invalid_tool_name: no tool, field name', () => {
  const names: readonly (Json | undefined)[] = [
    undefined,
    null,
    7,
    ['a'],
    '',
    'a b',
    'a/b',
    'é',
    'a\n',
    '\u001b[31m',
    'x'.repeat(129),
  ];
  for (const name of names) {
    it(JSON.stringify(name) ?? 'absent', () => {
      const { name: _, ...rest } = tool();
      const definition = name === undefined ? rest : { ...rest, name };
      assert.deepEqual(second(definition as Json), { code: 'invalid_tool_name', field: 'name' });
    });
  }
  it('is none for 128 characters', () => {
    assert.equal(second(tool({ name: 'x'.repeat(128) })), null);
  });
});

describe('duplicate_tool_name: tool, field name', () => {
  it('names the second of two', () => {
    assert.deepEqual(second(tool({ name: 'first', title: '' })), {
      code: 'duplicate_tool_name',
      tool: 'first',
      field: 'name',
    });
  });
  it('tells upper from lower case', () => {
    assert.equal(second(tool({ name: 'First' })), null);
  });
});

describe('invalid_tool_title: tool, field title', () => {
  for (const title of [null, 7, '', 'x'.repeat(129), 'é'.repeat(65), 'a\u0007', 'a\u0085']) {
    it(JSON.stringify(title), () => {
      assert.deepEqual(second(tool({ title })), { code: 'invalid_tool_title', tool: 'echo', field: 'title' });
    });
  }
  it('is none for 128 bytes', () => {
    assert.equal(second(tool({ title: 'é'.repeat(64) })), null);
  });
});

describe('invalid_tool_description: tool, field description', () => {
  for (const description of [null, 7, 'x'.repeat(4097), 'é'.repeat(2049), '\u001b[1mbold']) {
    it(JSON.stringify(description).slice(0, 40), () => {
      assert.deepEqual(second(tool({ description })), {
        code: 'invalid_tool_description',
        tool: 'echo',
        field: 'description',
      });
    });
  }
  it('is none for an empty one and for 4,096 bytes on several lines', () => {
    assert.equal(second(tool({ description: '' })), null);
    assert.equal(second(tool({ description: 'x\n\ty\r\n'.padEnd(4096, 'z') })), null);
  });
});

describe('input_schema_invalid: tool, field inputSchema', () => {
  for (const inputSchema of [null, 'x', {}, { type: 'string' }, { type: 'object', required: 'a' }]) {
    it(JSON.stringify(inputSchema), () => {
      assert.deepEqual(second(tool({ inputSchema })), {
        code: 'input_schema_invalid',
        tool: 'echo',
        field: 'inputSchema',
      });
    });
  }
  it('absent', () => {
    assert.deepEqual(second({ name: 'echo' }), {
      code: 'input_schema_invalid',
      tool: 'echo',
      field: 'inputSchema',
    });
  });
});

describe('output_schema_invalid: tool, field outputSchema', () => {
  for (const outputSchema of [null, [], {}, { type: 'array' }, { type: 'object', maxItems: 1 }]) {
    it(JSON.stringify(outputSchema), () => {
      assert.deepEqual(second(tool({ outputSchema })), {
        code: 'output_schema_invalid',
        tool: 'echo',
        field: 'outputSchema',
      });
    });
  }
});

describe('schema_keyword_unsupported: tool, field inputSchema or outputSchema', () => {
  const unsupported = { type: 'object', properties: { when: { type: 'string', format: 'date' } } };
  for (const field of ['inputSchema', 'outputSchema'] as const) {
    it(field, () => {
      assert.deepEqual(second(tool({ [field]: unsupported })), {
        code: 'schema_keyword_unsupported',
        tool: 'echo',
        field,
      });
    });
  }
});

describe('annotations_invalid: tool, field annotations', () => {
  for (const annotations of [null, [], 'readOnly', true, { '\u0001': true }]) {
    it(JSON.stringify(annotations), () => {
      assert.deepEqual(second(tool({ annotations })), {
        code: 'annotations_invalid',
        tool: 'echo',
        field: 'annotations',
      });
    });
  }
});

describe('schema_bounds_exceeded: tool, field inputSchema, outputSchema or annotations', () => {
  let deep: Json = 1;
  for (let level = 0; level < 16; level += 1) deep = [deep];
  const large: Readonly<Record<string, JsonObject>> = {
    inputSchema: { type: 'object', const: deep },
    outputSchema: { type: 'object', description: 'x'.repeat(65_536) },
    annotations: { deep },
  };
  for (const [field, value] of Object.entries(large)) {
    it(field, () => {
      assert.deepEqual(second(tool({ [field]: value })), {
        code: 'schema_bounds_exceeded',
        tool: 'echo',
        field,
      });
    });
  }
  it('does not recurse into a value of any depth', () => {
    let value: Json = 1;
    for (let level = 0; level < 100_000; level += 1) value = [value];
    assert.equal(second(tool({ annotations: { value } }))?.code, 'schema_bounds_exceeded');
  });
});

describe('the first fault', () => {
  it('is that of the first tool in list order', () => {
    const diagnostic = diagnose({
      tools: [tool({ annotations: null }), tool({ name: '' }), { nonsense: 1 }],
    });
    assert.deepEqual(diagnostic, { code: 'annotations_invalid', tool: 'echo', field: 'annotations' });
  });

  it('within a tool follows form, name, duplicate, title, description, input, output, annotations', () => {
    const wrong: JsonObject = {
      extra: 1,
      annotations: null,
      outputSchema: null,
      inputSchema: null,
      description: null,
      title: null,
      name: '',
    };
    const order = [
      ['extra', 'tool_definition_invalid'],
      ['name', 'invalid_tool_name'],
      ['name', 'duplicate_tool_name'],
      ['title', 'invalid_tool_title'],
      ['description', 'invalid_tool_description'],
      ['inputSchema', 'input_schema_invalid'],
      ['outputSchema', 'output_schema_invalid'],
      ['annotations', 'annotations_invalid'],
    ] as const;
    const mended: Readonly<Record<string, JsonObject>> = {
      title: { title: 'x' },
      description: { description: 'x' },
      inputSchema: { inputSchema: OBJECT },
      outputSchema: { outputSchema: OBJECT },
      annotations: { annotations: {} },
    };
    let definition = wrong;
    for (const [field, code] of order) {
      assert.equal(second(definition)?.code, code);
      const { extra, ...rest } = definition;
      if (field === 'extra') definition = rest;
      else if (code === 'invalid_tool_name') definition = { ...definition, name: 'first' };
      else if (code === 'duplicate_tool_name') definition = { ...definition, name: 'echo' };
      else definition = { ...definition, ...mended[field] };
    }
    assert.equal(second(definition), null);
  });
});

describe('isDiagnostic', () => {
  it('refuses a tool or field that the code does not have, and an unknown code', () => {
    assert.equal(isDiagnostic({ code: 'tool_count_exceeded' }), true);
    assert.equal(isDiagnostic({ code: 'tool_count_exceeded', tool: 'echo' }), false);
    assert.equal(isDiagnostic({ code: 'tool_count_exceeded', field: 'name' }), false);
    assert.equal(isDiagnostic({ code: 'invalid_tool_name', field: 'name' }), true);
    assert.equal(isDiagnostic({ code: 'invalid_tool_name', tool: 'echo', field: 'name' }), false);
    assert.equal(isDiagnostic({ code: 'invalid_tool_title', tool: 'echo', field: 'title' }), true);
    assert.equal(isDiagnostic({ code: 'invalid_tool_title', tool: 'echo' }), false);
    assert.equal(isDiagnostic({ code: 'invalid_tool_title', tool: 'echo', field: 'name' }), false);
    assert.equal(isDiagnostic({ code: 'invalid_tool_title', tool: 'not safe', field: 'title' }), false);
    assert.equal(isDiagnostic({ code: 'schema_bounds_exceeded', tool: 'echo', field: 'annotations' }), true);
    assert.equal(
      isDiagnostic({ code: 'schema_keyword_unsupported', tool: 'echo', field: 'annotations' }),
      false,
    );
    assert.equal(isDiagnostic({ code: 'toString' }), false);
    assert.equal(isDiagnostic({ code: 'unheard_of' }), false);
  });
});
