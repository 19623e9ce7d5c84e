// Commands of a session as a front end sends them: a real host, its fairlead.toml with agents and groups, tokens with and without rights.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import { hygiene, temporaryFolder, waitFor } from '@fairlead/testing';
import { ask } from '../packages/gateway/test/fixture/http-client.ts';
import { endHost, fairlead, startHost } from './fairlead-process.ts';

const CONFIGURATION = (agents: string) => `
[[backends]]
name = "demo"
type = "scripted"
file = "script.json"

${agents}

[agent_groups]
review = ["critic", "scout"]
`;

const AGENTS = '[[agents]]\nname = "scout"\n\n[[agents]]\nname = "critic"\n';
const said = (text: string) => [{ steps: [{ text }] }];
const SCRIPT = {
  format: 'fairlead-script-v1',
  scripts: { default: [], 'agent:scout': said('Scouted.'), 'agent:critic': said('Criticised.') },
};

async function setUp(t: TestContext) {
  hygiene(t);
  const stateDirectory = join(temporaryFolder(t), 'state');
  mkdirSync(stateDirectory, { mode: 0o700 });
  const configure = (agents: string) =>
    writeFileSync(join(stateDirectory, 'fairlead.toml'), CONFIGURATION(agents));
  configure(AGENTS);
  writeFileSync(join(stateDirectory, 'script.json'), JSON.stringify(SCRIPT));
  const host = await startHost(t, { stateDirectory, command: 'serve' });
  const port = Number(new URL(host.ready.url).port);
  const request = async (method: string, path: string, body?: Json, token = host.token) => {
    const { envelope } = await ask(port, { method, path, token, ...(body === undefined ? {} : { body }) });
    return { ...envelope, output: envelope.output as JsonObject };
  };
  const made = await request('POST', '/api/sessions', { agents: ['scout'] });
  const session = String(made.output['id']);
  const type = async (line: string, where = session, token = host.token) =>
    await request('POST', `/api/sessions/${where}/command`, { line }, token);
  return { host, stateDirectory, configure, request, session, type };
}

test('a group of fairlead.toml begins a session whose first agent answers, and the file is read again by a line', async (t) => {
  const { host, configure, request, session, type } = await setUp(t);
  const begun = await type('/new review --name "second look"');
  assert.equal(begun.output['text'], 'A new session “second look” with critic, scout.');
  const open = String(begun.output['open']);
  await request('POST', `/api/sessions/${open}/entries`, { text: 'look at it', key: 'k1' });
  const answered = async () => {
    const { output } = await request('GET', `/api/sessions/${open}/entries`);
    return (output['entries'] as JsonObject[]).some(({ type: kind }) => kind === 'turn_end');
  };
  await waitFor(answered, { what: 'the answer', timeoutMs: 20_000 });
  assert.match(String((await type('/print', open)).output['text']), /critic {2}Criticised\.\n/);
  assert.equal((await type('/groups')).output['text'], 'review  critic, scout');

  configure(`${AGENTS}burst = 3\n`);
  assert.equal((await type('/agent reload')).output['text'], 'scout: as it was\ncritic: burst written');
  const shown = await type('/agent show critic');
  assert.deepEqual((shown.output['data'] as JsonObject)['fields'], { burst: 3 });

  await type('/close', open);
  const rest = (await type('/sessions --closed')).output['data'] as { sessions: JsonObject[] };
  assert.deepEqual(
    rest.sessions.map(({ id, closed }) => [id, closed]).sort((left) => (left[0] === session ? -1 : 1)),
    [
      [session, false],
      [open, true],
    ],
  );
  await endHost(host);
});

test('a front end hears what a line lacks: its usage, its right, its owner; a token without rights changes nothing', async (t) => {
  const { host, stateDirectory, type } = await setUp(t);
  const usage = await type('/agent add');
  assert.equal(usage.error?.code, 'command_usage');
  assert.deepEqual(usage.error?.detail, { usage: '/agent add <agent>' });
  assert.deepEqual([usage.success, usage.dispatch_certainty], [false, 'not_started']);
  const unknown = await type('/sesions');
  assert.match(String(unknown.error?.message), /did you mean \/sessions\?/);
  const later = await type('/agent share scout');
  assert.deepEqual([later.error?.code, later.dispatch_certainty], ['command_elsewhere', 'not_started']);

  const minted = await fairlead(t, [
    ...['token', 'create', '--name', 'writer', '--scopes', 'session:read,session:write'],
    ...['--state-dir', stateDirectory],
  ]);
  assert.equal(minted.exit, 0, minted.stderr);
  const [token = ''] = /fairlead_pat_\S+/.exec(minted.stdout) ?? [];
  const session = await sessionOf(type);
  for (const line of [
    '/pause',
    '/agent set scout tools []',
    '/agent delete critic',
    '/mode inspect',
    '/approve apr_12345678',
  ])
    assert.match(
      String((await type(line, session, token)).error?.code),
      /^(command_scope_missing|session_mode_denied)$/,
      line,
    );
  assert.equal((await type('/name mine', session, token)).success, true);
  const info = (await type('/info', session, token)).output['data'] as JsonObject;
  assert.deepEqual(
    [info['name'], info['mode'], info['pausedAtMs'], info['workspace']],
    ['mine', 'normal', null, null],
  );
  await endHost(host);
});

async function sessionOf(type: (line: string) => Promise<{ readonly output: JsonObject }>): Promise<string> {
  return String(((await type('/info')).output['data'] as JsonObject)['session']);
}
