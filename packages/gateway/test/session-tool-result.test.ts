import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '@fairlead/base';
import { mcpResult } from '../src/mcp/mcp-result.ts';

const done = (output: { readonly [name: string]: Json }, failureKind?: 'tool_error') =>
  mcpResult({
    ...{ call: 'call_1', action: 'look', certainty: 'completed', output, isSessionTool: true },
    ...(failureKind === undefined ? {} : { failureKind }),
  });

test('a tool of a session answers over MCP as any other tool: its text, what is structured, whether it failed', () => {
  const meta = { dispatchState: 'completed', call: 'call_1' };
  assert.deepEqual(done({ text: 'a tree', structured: { seen: 'tree' } }), {
    content: [{ type: 'text', text: 'a tree' }],
    structuredContent: { seen: 'tree' },
    _meta: meta,
  });
  assert.deepEqual(done({ text: 'no tree' }, 'tool_error'), {
    content: [{ type: 'text', text: 'no tree' }],
    isError: true,
    _meta: meta,
  });
  // Structured content is an object, or there is none.
  assert.deepEqual(done({ text: '[1]', structured: [1], cut: 7 }), {
    content: [{ type: 'text', text: '[1]' }],
    _meta: { ...meta, cut: 7 },
  });
});
