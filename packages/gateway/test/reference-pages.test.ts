import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { dispatchErrors, scopes } from '@fairlead/dispatch';
import { repositoryRoot } from '@fairlead/testing';
import { hostSettings } from '../src/config/host-settings.ts';
import { gatewayErrors } from '../src/errors.ts';
import { statusOf } from '../src/http/status.ts';
import { mcpResult } from '../src/mcp/mcp-result.ts';

const page = (name: string) => readFileSync(join(repositoryRoot, 'docs/reference', name), 'utf8');

/** The cells of each table row of a page. */
function rows(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

test('the page of fairlead.toml has each key with its flag, variable and default', () => {
  const table = rows(page('configuration-host.md'));
  for (const { key, fallback, ...names } of Object.values(hostSettings)) {
    const row = table.find((cells) => cells[0] === `\`${key}\``);
    const quoted = (name: string | undefined) => (name === undefined ? '' : `\`${name}\``);
    assert.equal(row?.[1], quoted('flag' in names ? names.flag : undefined), key);
    assert.equal(row?.[2], quoted('environment' in names ? names.environment : undefined), key);
    const shown = Array.isArray(fallback)
      ? JSON.stringify(fallback)
      : fallback === null
        ? undefined
        : String(fallback);
    assert.equal(row?.[3], quoted(shown), key);
  }
});

test('the page of the HTTP API gives each code that is not 400 its status', () => {
  const table = rows(page('http-api.md'));
  const codes = [...Object.keys(gatewayErrors), 'insufficient_scope', 'unknown_tool'].filter(
    (code) => statusOf(code) !== 400,
  );
  assert.equal(codes.length, 13);
  for (const code of codes) {
    const row = table.find((cells) => /^\d{3}$/.test(cells[0] ?? '') && cells[1]?.includes(`\`${code}\``));
    assert.equal(Number(row?.[0]), statusOf(code), code);
  }
});

test('the page of the HTTP API names every scope', () => {
  const text = page('http-api.md');
  for (const scope of scopes) assert.ok(text.includes(`\`${scope}\``), scope);
});

test('the results on the page of MCP are what results come to', () => {
  const shown = [...page('mcp.md').matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']) =>
    JSON.parse(text),
  );
  const call = 'call_mHCY9Gdl2hcHl0KYoGe3Fg';
  const provider = { content: [{ type: 'text', text: 'hello' }], structuredContent: { text: 'hello' } };
  const { message, next: recovery } = dispatchErrors.describe_required;
  assert.deepEqual(shown, [
    mcpResult({ call, certainty: 'completed', output: provider, isProviderResult: true }),
    mcpResult({
      call,
      certainty: 'completed',
      output: { runners: [{ runner: 'local' }] },
      summary: 'What there is now: Runners, the plugins of one, or the tools of one plugin.',
    }),
    mcpResult({ call, certainty: 'not_started', error: { code: 'describe_required', message, recovery } }),
  ]);
});
