import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { hygiene, temporaryFolder, waitFor } from '@fairlead/testing';
import { bindingOf, fairlead, hostile, startHost, writeRunnerConfig } from './fairlead-process.ts';

type Sent = {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** One request whose every header is the test's own. */
function send(url: string, sent: Sent): Promise<{ readonly status: number; readonly body: JsonObject }> {
  const { method = 'POST', path = '/api/tools/call', headers = {}, body = '' } = sent;
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}${path}`, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) as JsonObject });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** A token with every plugin scope, whose time was over a second ago. Made while no host runs. */
async function expiredToken(t: TestContext, stateDirectory: string): Promise<string> {
  const args = ['--name', 'old', '--scopes', 'plugin:inspect,plugin:invoke,plugin:manage'];
  const made = await fairlead(t, ['token', 'create', ...args, '--state-dir', stateDirectory]);
  const database = new DatabaseSync(join(stateDirectory, 'fairlead.db'));
  database.prepare('UPDATE tokens SET expires_at = ?').run(Date.now() - 1_000);
  database.close();
  return made.stdout.trim();
}

test('what may not run is refused with its code, and no plugin sees a byte of it', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const record = join(folder, 'record');
  const runnerConfig = writeRunnerConfig(join(folder, 'runner.toml'), 'local', [
    hostile('good', 'well-behaved', record),
  ]);
  const expired = await expiredToken(t, stateDirectory);
  const host = await startHost(t, { stateDirectory, runnerConfig });
  const { url } = host.ready;
  const at = ['--state-dir', stateDirectory];
  const make = async (...args: string[]) =>
    (await fairlead(t, ['token', 'create', '--name', 'x', ...args, ...at])).stdout.trim();
  const narrow = await make('--scopes', 'session:read');
  const revoked = await make('--scopes', 'plugin:inspect,plugin:invoke,plugin:manage');
  const list = await fairlead(t, ['token', 'list', ...at, '--json']);
  const { tokens } = JSON.parse(list.stdout) as { tokens: JsonObject[] };
  await fairlead(t, ['token', 'revoke', String(tokens.at(-1)?.['id']), ...at]);
  const binding = await bindingOf(host, host.token, { runner: 'local', plugin: 'good', tool: 'strict' });

  const bearer = (token: string) => ({
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
  });
  const own = bearer(host.token);
  const call = (params: JsonObject) => JSON.stringify({ tool: 'plugin_tool', params });
  const good = call({ action: 'call', binding, arguments: { n: 1 } });
  const seen = readFileSync(record, 'utf8');
  const unknown = `wc_pbind_${'x'.repeat(22)}`;
  const big = 'x'.repeat(70_000);
  const cases: readonly (readonly [string, number, string, Sent])[] = [
    ['no token', 401, 'unauthorized', { headers: { 'content-type': 'application/json' }, body: good }],
    ['a guess', 401, 'unauthorized', { headers: bearer(`fairlead_pat_${'x'.repeat(43)}`), body: good }],
    [
      'another scheme',
      401,
      'unauthorized',
      { headers: { ...own, authorization: `Basic ${host.token}` }, body: good },
    ],
    ['an expired token', 401, 'unauthorized', { headers: bearer(expired), body: good }],
    ['a revoked token', 401, 'unauthorized', { headers: bearer(revoked), body: good }],
    ['a token without the scope', 403, 'insufficient_scope', { headers: bearer(narrow), body: good }],
    ['a foreign host', 403, 'host_not_allowed', { headers: { ...own, host: 'evil.example' }, body: good }],
    [
      'a foreign origin',
      403,
      'origin_not_allowed',
      { headers: { ...own, origin: 'http://evil.example' }, body: good },
    ],
    ['an opaque origin', 403, 'origin_not_allowed', { headers: { ...own, origin: 'null' }, body: good }],
    ['an unknown tool', 404, 'unknown_tool', { headers: own, body: '{"tool":"shell","params":{}}' }],
    ['no such path', 404, 'route_not_found', { path: '/api/tools/shell', headers: own, body: good }],
    ['another method', 405, 'method_not_allowed', { method: 'PUT', headers: own, body: good }],
    [
      'a form',
      415,
      'unsupported_media_type',
      { headers: { ...own, 'content-type': 'text/plain' }, body: good },
    ],
    ['a body that is too large', 413, 'body_too_large', { headers: own, body: 'x'.repeat(1_100_000) }],
    ['a body that is no JSON', 400, 'invalid_body', { headers: own, body: '{' }],
    ['a body that is a list', 400, 'invalid_body', { headers: own, body: '[]' }],
    [
      'a key twice',
      400,
      'invalid_body',
      { headers: own, body: '{"tool":"plugin_tool","tool":"plugin_tool"}' },
    ],
    ['an unknown action', 400, 'invalid_arguments', { headers: own, body: call({ action: 'run' }) }],
    [
      'a member that the action does not take',
      400,
      'invalid_arguments',
      { headers: own, body: call({ action: 'call', binding, arguments: {}, runner: 'local' }) },
    ],
    [
      'arguments over 64 KiB',
      400,
      'invalid_arguments',
      { headers: own, body: call({ action: 'call', binding, arguments: { n: 1, big } }) },
    ],
    [
      'a binding that nobody made',
      400,
      'describe_required',
      { headers: own, body: call({ action: 'call', binding: unknown, arguments: {} }) },
    ],
    [
      'arguments that the schema refuses',
      400,
      'plugin_arguments_schema_invalid',
      { headers: own, body: call({ action: 'call', binding, arguments: { n: 'one' } }) },
    ],
    [
      'a session that does not exist',
      400,
      'unknown_session_id',
      {
        headers: own,
        body: JSON.stringify({
          tool: 'plugin_tool',
          recording_session_id: 'ses_x',
          params: { action: 'call', binding, arguments: { n: 1 } },
        }),
      },
    ],
    [
      'a plugin that does not exist',
      400,
      'plugin_unavailable',
      { headers: own, body: call({ action: 'describe', runner: 'local', plugin: 'other', tool: 'x' }) },
    ],
    [
      'a tool that does not exist',
      400,
      'tool_not_found',
      { headers: own, body: call({ action: 'describe', runner: 'local', plugin: 'good', tool: 'x' }) },
    ],
  ];
  for (const [what, status, code, sent] of cases) {
    const answer = await send(url, sent);
    const error = answer.body['error'] as JsonObject | null;
    assert.deepEqual(
      [answer.status, error?.['code'], answer.body['dispatch_certainty'], answer.body['success']],
      [status, code, 'not_started', false],
      what,
    );
    assert.equal(JSON.stringify(answer.body).includes(host.token), false, what);
  }
  assert.equal(readFileSync(record, 'utf8'), seen);
  // The same call as it should be.
  const done = await send(url, { headers: own, body: good });
  assert.deepEqual([done.status, done.body['dispatch_certainty']], [200, 'completed']);
  assert.equal(readFileSync(record, 'utf8').slice(seen.length).match(/\n/g)?.length, 1);
});

for (const [mode, code] of [
  ['restricted', 'approval_denied'],
  ['someday', 'permission_denied'],
] as const)
  test(`in authority mode ${mode} what has an effect runs for nobody who was not allowed, list and describe go on`, async (t) => {
    hygiene(t);
    const folder = temporaryFolder(t);
    const stateDirectory = join(folder, 'state');
    const record = join(folder, 'record');
    const runnerConfig = writeRunnerConfig(join(folder, 'runner.toml'), 'local', [
      hostile('good', 'well-behaved', record),
    ]);
    const env = { ...process.env, FAIRLEAD_AUTHORITY_MODE: mode };
    const { ready, token } = await startHost(t, { stateDirectory, runnerConfig, env });
    const seen = readFileSync(record, 'utf8');
    const plugin = (...args: string[]) => fairlead(t, ['plugin', ...args, '--state-dir', stateDirectory]);
    /** Answers the question that stands open, once there is one. */
    const decide = async (decision: string) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const asked = async () => {
        const listed = await fetch(`${ready.url}/api/approvals`, { headers });
        const { output } = (await listed.json()) as { output: { approvals: { id: string }[] } };
        return output.approvals[0]?.id;
      };
      const id = await waitFor(asked, { what: 'the question', timeoutMs: 20_000 });
      const body = JSON.stringify({ decision });
      await (await fetch(`${ready.url}/api/approvals/${id}`, { method: 'POST', headers, body })).text();
    };
    assert.equal((await plugin('list')).exit, 0);
    const target = ['--runner', 'local', '--plugin', 'good'];
    assert.equal((await plugin('describe', ...target, '--tool', 'echo')).exit, 0);
    for (const args of [
      ['call', ...target, '--tool', 'echo'],
      ['check', ...target],
      ['reload', '--runner', 'local'],
    ]) {
      const ending = plugin(...args);
      if (mode === 'restricted') await decide('deny');
      const refused = await ending;
      assert.equal(refused.exit, 1);
      assert.match(refused.stderr, new RegExp(`\\(${code}\\)\n {2}certainty: {3}not_started\n`));
      // It is no matter of the token.
      assert.doesNotMatch(refused.stderr, /needs the scope/);
    }
    assert.equal(readFileSync(record, 'utf8'), seen);
    if (mode !== 'restricted') return;
    const allowed = plugin('check', ...target);
    await decide('approve');
    assert.equal((await allowed).exit, 0);
  });
