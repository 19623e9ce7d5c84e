import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { completed, type Json, type JsonObject } from '@fairlead/base';
import { repositoryRoot } from '@fairlead/testing';
import { fakeRunner } from './fake-runners.ts';
import { toolsFloor } from './tools-floor.ts';

const page = readFileSync(join(repositoryRoot, 'docs/reference/runtime-tools.md'), 'utf8');

/** The blocks of one section, in their order. */
function blocksOf(tool: string): readonly { readonly kind: string; readonly value: JsonObject }[] {
  const [, section = ''] = new RegExp(`\n## ${tool}\n(.*?)(?:\n## |$)`, 's').exec(page) ?? [];
  return [...section.matchAll(/```json (params|output|error)\n([\s\S]*?)```/g)].map(
    ([, kind = '', text = '']) => ({
      kind,
      value: JSON.parse(text) as JsonObject,
    }),
  );
}

test('the examples of docs/reference/runtime-tools.md are what the tools take and answer', async (t) => {
  const floor = await toolsFloor(t);
  const project = { id: 'site', name: 'The site', kind: 'git' };
  floor.runners.connected = [{ ...fakeRunner('local'), name: 'This machine', projects: [project] }];
  floor.runners.answers.project_catalog = () =>
    completed({
      kind: 'project_catalog',
      project: 'site',
      catalog_revision: 'wc_plugcat_47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU',
      total_count: 1,
      entries: [
        {
          plugin: 'repo-info',
          name: 'Repository',
          tool: 'git_summary',
          title: 'Git summary',
          description: 'What git says.',
          annotations: { readOnlyHint: true },
        },
      ],
    });
  floor.runners.answers.config_check = () =>
    completed({
      kind: 'config_check',
      generation: 1,
      valid: true,
      faults: [],
      ignored: [{ field: 'colour', line: 3 }],
      changed: [
        { field: 'shell.init_timeout_secs', applies: 'live' },
        { field: 'plugins.providers.echo.args', applies: 'live' },
        { field: 'token', applies: 'restart_only' },
      ],
      changed_count: 3,
      restarts_plugins: true,
    });
  const changed = [
    { field: 'shell.init_timeout_secs', applies: 'live' },
    { field: 'token', applies: 'restart_only' },
  ] as const;
  const reloads = [
    { generation: 2, applied: true, changed, changed_count: 2, failures: [] },
    {
      generation: 1,
      applied: false,
      changed,
      changed_count: 2,
      failures: [{ provider_id: 'echo', code: 'plugin_eof' }],
    },
  ];
  floor.runners.answers.config_reload = () => {
    const next = reloads.shift();
    assert.ok(next !== undefined);
    return completed({
      kind: 'config_reload',
      plugins_restarted: false,
      providers: [{ id: 'echo', name: 'Echo', status: 'ready', error_code: null }],
      ...next,
    });
  };
  const shown: string[] = [];
  for (const section of [
    'work_on_project',
    'read_tool_manifest',
    'call_runtime_tool',
    'check_runner_config',
    'reload_runner_config',
  ]) {
    const tool = section.endsWith('_config') ? 'call_runtime_tool' : section;
    let params: Json = null;
    let answer: JsonObject = {};
    for (const { kind, value } of blocksOf(section)) {
      shown.push(`${section} ${kind}`);
      if (kind === 'params') params = value;
      // An error is what the same params come to the next time.
      if (kind !== 'output') {
        const { output, error } = await floor.call(tool, params);
        answer = { output: output ?? null, error: (error ?? null) as Json };
      }
      if (kind !== 'params') assert.deepEqual(answer[kind], value, `${section} ${kind}`);
    }
  }
  assert.deepEqual(shown, [
    'work_on_project params',
    'work_on_project output',
    'work_on_project params',
    'work_on_project output',
    'read_tool_manifest params',
    'call_runtime_tool params',
    'check_runner_config params',
    'check_runner_config output',
    'reload_runner_config params',
    'reload_runner_config output',
    'reload_runner_config error',
  ]);
});
