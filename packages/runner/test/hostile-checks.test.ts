import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type CheckReport, readRunnerResponse } from '@fairlead/protocol';
import { manualClock, waitFor } from '@fairlead/testing';
import { allEnd, type Entry, HELLO, HOSTILE, HostileProviders, notHanging } from './hostile-providers.ts';

// docs/reference/native-plugin-protocol.md §8 and §10: each phase, code and diagnostic that a child can bring about.
// No child can bring about: plugin_executable_unsupported (a Windows file; below, through the injected look-up),
// plugin_stdio_unavailable and plugin_isolation_unavailable (the machine lacks something; below, through the injected spawn),
// plugin_provider_state_failed (Fairlead's own fault; launch-provider.test.ts). Nothing can raise plugin_reader_unavailable and
// plugin_writer_unavailable: there are no threads to fail.

/** Checks one provider and returns its report, which must be one that a gateway accepts. */
async function check(providers: HostileProviders, entry: Entry, head?: string): Promise<CheckReport> {
  providers.write([entry], head);
  const response = await notHanging(providers.request({ kind: 'check', provider: entry.id }));
  assert.deepEqual(readRunnerResponse(JSON.parse(JSON.stringify(response))), response);
  assert.ok('payload' in response && response.payload.kind === 'check', JSON.stringify(response));
  return response.payload;
}

/** The candidate's process has seen the first two requests at most, and ends. */
async function assertGone(providers: HostileProviders, record: string): Promise<void> {
  assert.equal(HELLO.startsWith(providers.stdin(record)), true);
  await allEnd(providers.pids(record));
}

type Broken = readonly [
  scenario: string,
  phase: string,
  code: string,
  diagnostic?: CheckReport['diagnostic'],
];

async function checkEach(t: TestContext, rows: readonly Broken[]): Promise<void> {
  const clock = manualClock();
  const providers = HostileProviders.prepare(t, { clock });
  for (const [scenario, phase, code, diagnostic] of rows) {
    await t.test(
      `${scenario}: ${phase}, ${code}${diagnostic === undefined ? '' : `, ${diagnostic.code}`}`,
      async () => {
        const isSilent = code === 'plugin_timeout';
        const more = isSilent ? 'timeout_secs = 1' : '';
        const reporting = check(providers, { id: scenario, scenario, more });
        if (isSilent) {
          const asked = phase === 'initialize' ? HELLO.slice(0, HELLO.indexOf('\n') + 1) : HELLO;
          await waitFor(() => providers.stdin(scenario) === asked, { what: `${scenario} to be asked` });
          await clock.advance(1000);
        }
        const { detail = '', ...rest } = await reporting;
        assert.deepEqual(rest, {
          kind: 'check',
          provider: scenario,
          ready: false,
          phase,
          code,
          ...(diagnostic === undefined ? {} : { diagnostic }),
          tools: [],
        });
        assert.ok(detail !== '' && Buffer.byteLength(detail) <= 512);
        assert.equal(detail.includes('planted'), false);
        assert.equal(detail.includes(providers.folder), false);
        await assertGone(providers, scenario);
      },
    );
  }
  assert.deepEqual(providers.set.rows(), []);
}

test('a check names the phase and code of what breaks before the tools are listed', async (t) => {
  await checkEach(t, [
    ['banner', 'initialize', 'plugin_malformed_json'],
    ['dies-at-once', 'initialize', 'plugin_eof'],
    ['version-mismatch', 'initialize', 'plugin_protocol_version_mismatch'],
    ['version-missing', 'initialize', 'plugin_protocol_version_mismatch'],
    ['initialize-too-deep', 'initialize', 'plugin_initialize_invalid'],
    ['initialize-rpc-error', 'initialize', 'plugin_rpc_error'],
    ['initialize-never-answers', 'initialize', 'plugin_timeout'],
    ['initialize-dies', 'initialize', 'plugin_eof'],
    ['initialize-closes-stdout', 'initialize', 'plugin_eof'],
    ['initialize-stray-before', 'initialize', 'plugin_protocol_error'],
    ['list-rpc-error', 'tools_list', 'plugin_rpc_error'],
    ['list-never-answers', 'tools_list', 'plugin_timeout'],
    ['list-dies', 'tools_list', 'plugin_eof'],
    ['list-not-json', 'tools_list', 'plugin_malformed_json'],
    ['list-answers-twice', 'tools_list', 'plugin_unexpected_message'],
  ]);
});

test('a check names the diagnostic of the first tool that is not admitted', async (t) => {
  const invalid = (scenario: string, diagnostic: CheckReport['diagnostic']): Broken => [
    scenario,
    'validation',
    'plugin_tools_list_invalid',
    diagnostic,
  ];
  const input = { tool: 'echo', field: 'inputSchema' } as const;
  const output = { tool: 'echo', field: 'outputSchema' } as const;
  await checkEach(t, [
    invalid('list-result-is-array', { code: 'tools_list_result_malformed' }),
    invalid('list-with-cursor', { code: 'tools_list_result_malformed' }),
    invalid('129-tools', { code: 'tool_count_exceeded' }),
    invalid('tool-is-text', { code: 'tool_definition_invalid' }),
    invalid('tool-with-unknown-member', { code: 'tool_definition_invalid' }),
    invalid('tool-without-name', { code: 'invalid_tool_name', field: 'name' }),
    invalid('tool-name-with-space', { code: 'invalid_tool_name', field: 'name' }),
    invalid('tool-name-twice', { code: 'duplicate_tool_name', tool: 'echo', field: 'name' }),
    invalid('title-with-escape', { code: 'invalid_tool_title', tool: 'echo', field: 'title' }),
    invalid('title-too-long', { code: 'invalid_tool_title', tool: 'echo', field: 'title' }),
    invalid('description-too-long', {
      code: 'invalid_tool_description',
      tool: 'echo',
      field: 'description',
    }),
    invalid('description-is-number', {
      code: 'invalid_tool_description',
      tool: 'echo',
      field: 'description',
    }),
    invalid('input-schema-missing', { code: 'input_schema_invalid', ...input }),
    invalid('input-schema-root-string', { code: 'input_schema_invalid', ...input }),
    invalid('input-schema-misplaced-keyword', { code: 'input_schema_invalid', ...input }),
    invalid('output-schema-root-array', { code: 'output_schema_invalid', ...output }),
    invalid('input-schema-ref', { code: 'schema_keyword_unsupported', ...input }),
    invalid('output-schema-any-of', { code: 'schema_keyword_unsupported', ...output }),
    invalid('annotations-list', { code: 'annotations_invalid', tool: 'echo', field: 'annotations' }),
    invalid('annotations-too-large', {
      code: 'schema_bounds_exceeded',
      tool: 'echo',
      field: 'annotations',
    }),
    invalid('input-schema-too-many-properties', { code: 'schema_bounds_exceeded', ...input }),
    invalid('output-schema-too-large', { code: 'schema_bounds_exceeded', ...output }),
  ]);
});

test('a check of a good plugin reports its tools, ends it, and commits nothing', async (t) => {
  const providers = HostileProviders.prepare(t);
  for (const [scenario, tools] of [
    ['well-behaved', [{ name: 'echo', title: 'Echo' }, { name: 'strict' }]],
    ['initialize-extra-members', [{ name: 'echo', title: 'Echo' }, { name: 'strict' }]],
    ['no-tools', []],
    ['128-tools', Array.from({ length: 128 }, (_, index) => ({ name: `tool-${index}` }))],
  ] as const) {
    assert.deepEqual(await check(providers, { id: scenario, scenario }), {
      kind: 'check',
      provider: scenario,
      ready: true,
      phase: 'ready',
      tools,
    });
    assert.equal(providers.stdin(scenario), HELLO);
    await assertGone(providers, scenario);
    assert.deepEqual(providers.set.rows(), []);
  }
});

test('a check names what is wrong with the file, and starts nothing', async (t) => {
  const providers = HostileProviders.prepare(t);
  const phase = async () => {
    const response = await providers.request({ kind: 'check', provider: 'x' });
    assert.ok('payload' in response && response.payload.kind === 'check');
    const { ready, code, detail = '' } = response.payload;
    assert.equal(detail.includes('planted'), false);
    return [ready, response.payload.phase, code];
  };
  assert.deepEqual(await phase(), [false, 'config', 'plugin_config_read_failed']);
  writeFileSync(providers.file, 'planted = [');
  assert.deepEqual(await phase(), [false, 'config', 'plugin_config_parse_failed']);
  writeFileSync(providers.file, '[plugins]\nrequest_timeout_secs = 121 # planted');
  assert.deepEqual(await phase(), [false, 'config', 'plugin_config_invalid']);
  providers.write([{ id: 'other' }]);
  assert.deepEqual(await phase(), [false, 'config', 'plugin_not_configured']);
  assert.equal(
    providers.logged.some((line) => line.includes('line 2: plugins.request_timeout_secs')),
    true,
  );
});

test('a check names an environment that cannot be prepared, and keeps what the script said on this machine', async (t) => {
  const providers = HostileProviders.prepare(t);
  const head = '[shell.profiles.bad]\ninit_script = "echo planted-init-text >&2; exit 3"';
  const report = await check(providers, { id: 'x', more: 'profile = "bad"' }, head);
  assert.deepEqual([report.phase, report.code], ['environment', 'plugin_environment_prepare_failed']);
  assert.equal(JSON.stringify([report, providers.logged]).includes('planted'), false);
  const lines = providers.set.stderrOf('x')?.candidate?.lines() ?? [];
  assert.equal(
    lines.some(({ text }) => text.includes('planted-init-text')),
    true,
  );
  assert.deepEqual(providers.pids('x'), []);
});

test('a check names an executable that is not there or may not be run', async (t) => {
  const providers = HostileProviders.prepare(t);
  const unavailable = ['executable', 'plugin_executable_unavailable'];
  for (const command of ['no-such-program-anywhere', '/no/such/program', './plain.txt']) {
    writeFileSync(join(providers.folder, 'plain.txt'), 'text');
    const report = await check(providers, { id: 'x', command });
    assert.deepEqual([report.phase, report.code], unavailable);
    assert.equal(JSON.stringify([report, providers.logged]).includes(command), false);
  }
});

test('a check names a program that the system does not start', async (t) => {
  const providers = HostileProviders.prepare(t);
  const script = join(providers.folder, 'script');
  writeFileSync(script, '#!/no/such/interpreter\n');
  chmodSync(script, 0o755);
  const missing = await check(providers, { id: 'x', command: script });
  assert.deepEqual([missing.phase, missing.code], ['spawn', 'plugin_spawn_failed']);
  const noFolder = await check(providers, {
    id: 'x',
    command: process.execPath,
    more: 'cwd = "/no/such/folder"',
  });
  assert.deepEqual([noFolder.phase, noFolder.code], ['spawn', 'plugin_spawn_failed']);
  assert.equal(JSON.stringify([missing, noFolder, providers.logged]).includes('/no/such'), false);
});

test('a check names what the machine does not offer', async (t) => {
  const failing = (code: 'plugin_stdio_unavailable' | 'plugin_isolation_unavailable') =>
    HostileProviders.prepare(t, {
      spawnTree: async () => ({ ok: false, code, localDetail: 'planted path' }),
    });
  const isolated = await check(failing('plugin_isolation_unavailable'), {
    id: 'x',
    more: 'isolation = "pid"',
  });
  assert.deepEqual([isolated.phase, isolated.code], ['spawn', 'plugin_isolation_unavailable']);
  assert.equal(JSON.stringify(isolated).includes('planted'), false);
});

test('a check names pipes that cannot be made', async (t) => {
  const code = 'plugin_stdio_unavailable';
  const providers = HostileProviders.prepare(t, {
    spawnTree: async () => ({ ok: false, code, localDetail: 'EMFILE' }),
  });
  const report = await check(providers, { id: 'x' });
  assert.deepEqual([report.phase, report.code], ['stdio', code]);
});

test('a check refuses a batch file and says what to name instead', async (t) => {
  const code = 'plugin_executable_unsupported';
  let spawned = 0;
  const providers = HostileProviders.prepare(t, {
    resolveExecutable: async () => ({ ok: false, code }),
    spawnTree: async () => {
      spawned += 1;
      return { ok: false, code: 'plugin_spawn_failed', localDetail: 'nobody should have tried' };
    },
  });
  const report = await check(providers, { id: 'x' });
  assert.deepEqual([report.phase, report.code], ['executable', code]);
  assert.match(report.detail ?? '', /Name the program itself/);
  assert.equal(spawned, 0);
});

test("a candidate's last stderr lines are kept after a check, however it ended", async (t) => {
  const providers = HostileProviders.prepare(t);
  const report = await check(providers, { id: 'x', scenario: 'no-such-scenario' });
  assert.deepEqual([report.phase, report.code], ['initialize', 'plugin_eof']);
  assert.equal(JSON.stringify(report).includes('No scenario is called'), false);
  const said = 'No scenario is called no-such-scenario. `fairlead-hostile-plugin --list` shows them all.';
  assert.deepEqual(providers.set.stderrOf('x')?.candidate?.lines(), [{ text: said, truncated: false }]);
  assert.equal(providers.set.stderrOf('unknown'), null);
});

test('a provider that cannot be started is failed with its code, and the others are ready', async (t) => {
  const providers = await HostileProviders.start(t, [
    { id: 'dies', scenario: 'initialize-dies' },
    { id: 'good' },
    { id: 'absent', command: 'no-such-program-anywhere' },
    { id: 'wrong', scenario: 'tool-name-twice' },
  ]);
  assert.deepEqual(
    providers.set.rows().map(({ id, status, error_code }) => [id, status, error_code]),
    [
      ['dies', 'failed', 'plugin_eof'],
      ['good', 'ready', null],
      ['absent', 'failed', 'plugin_executable_unavailable'],
      ['wrong', 'failed', 'plugin_tools_list_invalid'],
    ],
  );
  const response = await providers.call('dies');
  assert.equal('error' in response && response.error.code, 'stale_plugin_provider');
});

test('plugins start side by side: two that each wait for the other to have begun are both ready', async (t) => {
  const providers = HostileProviders.prepare(t);
  const ids = ['left', 'right'] as const;
  for (const [own, other] of [ids, [...ids].reverse()]) {
    const begun = (id: string | undefined) => JSON.stringify(join(providers.folder, `${id}.begun`));
    const plugin = [process.execPath, HOSTILE, 'well-behaved', join(providers.folder, `${own}.record`)];
    writeFileSync(
      join(providers.folder, String(own)),
      `#!/bin/sh
: > ${begun(own)}
tries=0
until [ -e ${begun(other)} ]; do
  tries=$((tries + 1))
  [ $tries -lt 600 ] || exit 1
  sleep 0.05
done
exec ${plugin.map((word) => JSON.stringify(word)).join(' ')}
`,
    );
    chmodSync(join(providers.folder, String(own)), 0o755);
  }
  providers.write(ids.map((id) => ({ id, command: join(providers.folder, id), more: 'timeout_secs = 60' })));
  await providers.begin();
  assert.deepEqual(
    providers.set.rows().map(({ id, status }) => [id, status]),
    [
      ['left', 'ready'],
      ['right', 'ready'],
    ],
  );
});
