import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { JOURNAL_PAGE_DEFAULT, JOURNAL_PAGE_MAX } from '@fairlead/dispatch';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { main } from '../src/index.ts';
import { journalLimits } from '../src/limits.ts';
import { writeServerFile } from '../src/state/server-file.ts';
import { holdFolder } from './held-folder.ts';
import { hostAt } from './host-in-file.ts';
import { apiServer, failure, success } from './loopback-server.ts';
import { testContext } from './test-context.ts';

const CALL = 'call_mHCY9Gdl2hcHl0KYoGe3Fg';
const ENTRY: JsonObject = {
  call: CALL,
  atMs: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  principal: 'token:tok_a',
  action: 'call',
  runner: 'local',
  plugin: 'echo',
  tool: 'say',
  bindingPresent: true,
  argumentsDigest: 'digest',
  certainty: 'completed',
  code: null,
  finishedAtMs: 1,
  settlement: null,
};

function machine(t: TestContext) {
  hygiene(t);
  const folder = temporaryFolder(t);
  const state = join(folder, 'state');
  const context = testContext(folder, { env: { FAIRLEAD_STATE_DIR: state } });
  const run = async (...args: string[]) => {
    context.printed.stdout = '';
    context.printed.stderr = '';
    const exit = await main(['journal', ...args], { cloneRoot: context.cloneRoot, context });
    return { exit, ...context.printed };
  };
  const host = async (url: string) => {
    mkdirSync(state);
    writeFileSync(join(state, 'operator.token'), 'fairlead_pat_operator\n');
    await holdFolder(t, state);
    await writeServerFile(state, hostAt(url));
  };
  return { state, run, host };
}

test('entries are lines, an unknown end with what it was settled to, and the next page is one command away', async (t) => {
  const { state, run, host } = machine(t);
  const output = {
    entries: [
      { ...ENTRY, certainty: null },
      {
        ...ENTRY,
        certainty: 'outcome_unknown',
        code: 'runner_unavailable',
        settlement: { certainty: 'completed', code: 'plugin_tool_error', atMs: 2 },
      },
      {
        ...ENTRY,
        certainty: 'outcome_unknown',
        code: 'plugin_eof',
        settlement: { certainty: 'outcome_unknown', code: 'plugin_eof', atMs: 2 },
      },
      { ...ENTRY, action: 'list\u001b[2J', runner: null, plugin: null, tool: null },
    ],
    next: CALL,
  };
  const server = await apiServer(t, [{ envelope: success(output) }, { envelope: success(output) }]);
  await host(server.url);
  const { exit, stdout, stderr } = await run('--certainty', 'unknown', '--limit', '3', '--before', CALL);
  assert.equal(exit, 0);
  assert.deepEqual(
    stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, '  ')),
    [
      'TIME  CALL  ACTION  WHERE  CERTAINTY  CODE  WHO',
      `2026-01-02T03:04:05Z  ${CALL}  call  local echo say  running  -  token:tok_a`,
      `2026-01-02T03:04:05Z  ${CALL}  call  local echo say  outcome_unknown, then completed  runner_unavailable, then plugin_tool_error  token:tok_a`,
      `2026-01-02T03:04:05Z  ${CALL}  call  local echo say  outcome_unknown  plugin_eof  token:tok_a`,
      `2026-01-02T03:04:05Z  ${CALL}  list [2J  -  completed  -  token:tok_a`,
      '',
    ],
  );
  assert.match(
    stderr,
    new RegExp(`^older ones: .*fairlead journal .*--limit 3 --certainty unknown --before ${CALL}\n$`),
  );
  const asked = server.requests.at(-1);
  assert.deepEqual(
    [asked?.method, asked?.path],
    ['GET', `/api/admin/journal?limit=3&before=${CALL}&certainty=outcome_unknown`],
  );
  const json = await run('--json');
  assert.deepEqual([JSON.parse(json.stdout), json.stderr], [output, '']);
  assert.equal(server.requests.at(-1)?.path, '/api/admin/journal');
  assert.equal(state.length > 0, true);
});

test('an empty journal, a host that does not run, an entry that is gone and an answer that is lost are told apart', async (t) => {
  const { run, host } = machine(t);
  const none = await run();
  assert.equal(none.exit, 1);
  assert.match(none.stderr, /\(host_not_running\)/);
  const gone = failure('journal_entry_not_found', 'not_started');
  const server = await apiServer(t, [
    { envelope: success({ entries: [], next: null }) },
    { status: 400, envelope: gone },
  ]);
  await host(server.url);
  assert.deepEqual(await run(), { exit: 0, stdout: 'there is nothing to show\n', stderr: '' });
  const refused = await run('--before', CALL);
  assert.equal(refused.exit, 1);
  assert.match(refused.stderr, /\(journal_entry_not_found\)/);
});

test('what cannot be meant is a usage error, and nothing is asked', async (t) => {
  const { run } = machine(t);
  for (const args of [
    ['--limit', '0'],
    ['--limit', '501'],
    ['--limit', 'x'],
    ['--certainty', 'maybe'],
    ['--before', ''],
  ])
    assert.equal((await run(...args)).exit, 2, args.join(' '));
});

test('the bounds of a page are the gateway’s', () => {
  assert.deepEqual(journalLimits, { entries: JOURNAL_PAGE_DEFAULT, entriesMax: JOURNAL_PAGE_MAX });
});
