// native-plugin-protocol §15
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import { checkResponse, readRunnerRequest, readRunnerResponse } from '../src/index.ts';

const ENTRY = {
  plugin: 'repo-info',
  name: 'Repository',
  tool: 'git_summary',
  title: 'Git summary',
  description: 'What git says.',
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
};
const CATALOG = {
  kind: 'project_catalog',
  project: 'site',
  catalog_revision: 'wc_plugcat_47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU',
  total_count: 3,
  entries: [ENTRY, { plugin: 'repo-info', name: 'R', tool: 'log', annotations: {} }],
};

function reads(payload: JsonObject): boolean {
  return readRunnerResponse({ dispatch_state: 'completed', payload }) !== null;
}

describe('the request project_catalog', () => {
  for (const project of ['site', 'Ein Projekt: ä/ö', '.', '🧭', 'x'.repeat(128)]) {
    it(`takes ${JSON.stringify(project.slice(0, 20))}`, () => {
      const request = { kind: 'project_catalog', project };
      assert.equal(readRunnerRequest(request), request);
    });
  }
  const bad: readonly (Json | undefined)[] = [
    '',
    '  ',
    'a\nb',
    'a\u0000',
    'x'.repeat(129),
    7,
    null,
    undefined,
  ];
  for (const project of bad) {
    it(`refuses ${JSON.stringify(project)?.slice(0, 30)}`, () => {
      const request = { kind: 'project_catalog', ...(project === undefined ? {} : { project }) };
      assert.equal(readRunnerRequest(request), null);
      assert.equal(readRunnerRequest({ kind: 'project_catalog', project: 'site', runner: 'x' }), null);
    });
  }
});

describe('the payload of project_catalog', () => {
  const changed = (changes: JsonObject): JsonObject => ({ ...CATALOG, ...changes });
  const entry = (changes: JsonObject): JsonObject => changed({ entries: [{ ...ENTRY, ...changes }] });

  it('takes a catalog, a part of one, and an empty one', () => {
    assert.equal(reads(CATALOG), true);
    assert.equal(reads(changed({ entries: [] })), true);
    assert.equal(reads(changed({ entries: [], total_count: 0 })), true);
    assert.equal(reads(entry({ description: 'é'.repeat(256), annotations: { readOnlyHint: true } })), true);
  });

  const bad: readonly (readonly [string, JsonObject])[] = [
    ['a revision of another form', changed({ catalog_revision: 'wc_plugcat_short' })],
    ['no revision', changed({ catalog_revision: null })],
    ['fewer in all than shown', changed({ total_count: 1 })],
    ['more in all than there can be', changed({ total_count: 1025 })],
    ['a count with a fraction', changed({ total_count: 2.5 })],
    ['entries out of order', changed({ entries: [...CATALOG.entries].reverse() })],
    ['an entry twice', changed({ entries: [ENTRY, ENTRY] })],
    ['another member', changed({ root: '/srv/site' })],
    ['a project that is none', changed({ project: '' })],
    ['a path in an entry', entry({ cwd: '/srv/site' })],
    ['a schema in an entry', entry({ inputSchema: {} })],
    ['an instance in an entry', entry({ provider_instance: 'pin_1' })],
    ['a description that is too long', entry({ description: 'é'.repeat(257) })],
    ['a description with an escape', entry({ description: '\u001b[0m' })],
    ['a plugin that is none', entry({ plugin: 'Upper' })],
    ['a tool that is none', entry({ tool: 'a b' })],
    ['no display name', entry({ name: '' })],
    ['another hint', entry({ annotations: { trustedHint: true } })],
    ['a hint that is no boolean', entry({ annotations: { readOnlyHint: 'yes' } })],
  ];
  for (const [what, payload] of bad) it(`refuses ${what}`, () => assert.equal(reads(payload), false));

  it('must be about the project that was asked for', () => {
    const response = readRunnerResponse({ dispatch_state: 'completed', payload: CATALOG });
    assert.ok(response !== null);
    assert.equal(checkResponse({ kind: 'project_catalog', project: 'site' }, response), true);
    assert.equal(checkResponse({ kind: 'project_catalog', project: 'other' }, response), false);
    assert.equal(checkResponse({ kind: 'providers_list' }, response), false);
  });
});
