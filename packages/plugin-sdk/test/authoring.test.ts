import assert from 'node:assert/strict';
import { test } from 'node:test';
import { definePlugin, defineTool, errorResult, schema, textResult } from '../src/index.ts';
import { served } from './served.ts';

const LIST = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n';

test('a tool and a plugin are opaque: frozen, without members, empty as JSON', () => {
  const tool = defineTool({ name: 'a', inputSchema: schema.object({}), execute: () => textResult('') });
  for (const value of [tool, definePlugin({ tools: [tool] })]) {
    assert.deepEqual(Reflect.ownKeys(value), []);
    assert.equal(JSON.stringify(value), '{}');
    assert.ok(Object.isFrozen(value));
  }
});

test('what a tool was made of may change afterwards, the tool does not', async () => {
  const literal = {
    name: 'before',
    inputSchema: schema.object({}),
    annotations: { readOnlyHint: true, nested: { list: [1] } },
    execute: () => textResult(''),
  };
  const tools = [defineTool(literal)];
  const plugin = definePlugin({ tools });
  literal.name = 'after';
  literal.annotations.nested.list.push(2);
  tools.length = 0;
  const { stdout } = await served(plugin, [LIST]);
  assert.equal(
    stdout,
    '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"before","inputSchema":{"type":"object","properties":{},' +
      '"required":[],"additionalProperties":false},"annotations":{"readOnlyHint":true,"nested":{"list":[1]}}}]}}\n',
  );
});

test('two tools of one name are refused, naming it', () => {
  const tool = defineTool({ name: 'twice', inputSchema: schema.object({}), execute: () => textResult('') });
  assert.throws(() => definePlugin({ tools: [tool, tool] }), {
    name: 'Error',
    message: 'two tools of one plugin have the same name: twice',
    code: 'sdk_tool_name_taken',
  });
});

test('a plugin takes nothing that defineTool did not make', () => {
  for (const foreign of [{ name: 'x' }, null, 'tool', () => {}]) {
    assert.throws(() => definePlugin({ tools: [foreign as never] }), {
      name: 'TypeError',
      message: 'definePlugin was given something that defineTool did not make',
      code: 'sdk_tool_foreign',
    });
  }
});

test('a tool without a handler is refused where it is made', () => {
  assert.throws(() => defineTool({ name: 'x', inputSchema: schema.object({}) } as never), {
    name: 'TypeError',
    message: 'a tool has no execute function',
    code: 'sdk_tool_without_execute',
  });
});

test('results have the members of the wire, in their order', () => {
  assert.equal(
    JSON.stringify(textResult('ok', { value: 1 })),
    '{"content":[{"type":"text","text":"ok"}],"structuredContent":{"value":1},"isError":false}',
  );
  assert.equal(
    JSON.stringify(errorResult('bad', { value: 2 })),
    '{"content":[{"type":"text","text":"bad"}],"structuredContent":{"value":2},"isError":true}',
  );
  assert.equal(
    JSON.stringify(textResult('')),
    '{"content":[{"type":"text","text":""}],"structuredContent":{},"isError":false}',
  );
  assert.equal(
    JSON.stringify(errorResult('')),
    '{"content":[{"type":"text","text":""}],"structuredContent":{},"isError":true}',
  );
});
