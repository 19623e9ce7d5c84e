import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isScope, pluginToolDefinition, scopes } from '../src/index.ts';

test('plugin_tool shows the worst of its actions, its actions and its scopes, and cannot be changed', () => {
  assert.equal(pluginToolDefinition.name, 'plugin_tool');
  assert.deepEqual(pluginToolDefinition.annotations, {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  });
  assert.deepEqual(pluginToolDefinition.scopes, ['plugin:inspect', 'plugin:invoke', 'plugin:manage']);
  assert.deepEqual(Object.keys(pluginToolDefinition.inputSchema), [
    'type',
    'properties',
    'required',
    'additionalProperties',
  ]);
  assert.equal(pluginToolDefinition.inputSchema['additionalProperties'], false);
  assert.deepEqual(pluginToolDefinition.inputSchema['required'], ['action']);
  assert.equal(Object.isFrozen(pluginToolDefinition), true);
  assert.equal(Object.isFrozen(pluginToolDefinition.inputSchema['properties']), true);
  for (const word of ['list', 'describe', 'call', 'check', 'reload', 'outcome_unknown'])
    assert.ok(pluginToolDefinition.description.includes(word));
});

test('the scopes are these, spelled exactly', () => {
  assert.deepEqual(scopes, [
    'plugin:inspect',
    'plugin:invoke',
    'plugin:manage',
    'runner:manage',
    'project:read',
    'session:read',
    'session:write',
    'session:approve',
    'mcp:invoke',
    'admin',
  ]);
  assert.equal(isScope('plugin:invoke'), true);
  for (const other of ['plugin', 'Plugin:invoke', 'plugin:*', '', null, 1])
    assert.equal(isScope(other), false);
});
