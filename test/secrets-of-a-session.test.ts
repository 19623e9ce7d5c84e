// Secrets are planted wherever they come from: a back end that repeats its key, files, variables, an extension with a token, a parameter that the
// operator calls sensitive. Then everything that is kept, logged, told, shown or exported is searched for them, the bytes of the database too.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { modelStub, refuse } from '../packages/host/test/models/model-stub.ts';
import { replies, stubBackend } from './conversation/stub-answers.ts';
import { talkingHost } from './conversation/talking-host.ts';

const KEY = 'marker-key-of-the-back-end-4711';
const TOKEN = 'marker-token-of-the-vault-4712';
const SENSITIVE = 'marker-sensitive-argument-4713';
const BODY = 'bWFya2VyLXByaXZhdGUta2V5LTQ3MTQ'.repeat(2);
const PATTERN = `ghp_${'Mk4715'.repeat(6)}`;
const MARKERS = [KEY, TOKEN, SENSITIVE, BODY, PATTERN];
const PEM = `-----BEGIN PRIVATE KEY-----\n${BODY}\n${BODY}\n-----END PRIVATE KEY-----\n`;

const VAULT = `import { defineExtension, s } from '@fairlead/extension';
export default defineExtension({
  name: 'vault',
  version: '1.0.0',
  settings: { token: s.string({ default: '' }) },
  open: (scope) => ({ token: scope.settings.token }),
  status: ({ state }) => ({ vault: state.token }),
  tools: {
    unlock: {
      about: 'Unlocks.',
      effect: 'read',
      args: {},
      run: (_args, ctx) => {
        ctx.log.info('unlocked with ' + ctx.settings.token);
        ctx.progress('with ' + ctx.settings.token);
        return { text: 'The token is ' + ctx.settings.token, data: { token: ctx.settings.token } };
      },
    },
    burst: {
      about: 'Fails.',
      effect: 'read',
      args: {},
      run: (_args, ctx) => {
        throw new Error('cannot use ' + ctx.settings.token);
      },
    },
  },
});`;

const BY = { id: 'tok_ada', scopes: ['session:read', 'session:write', 'session:approve', 'admin'] };

test('no planted secret stands in entries, logs, approvals, errors, events, exports, commands, or in a byte of the database', async (t) => {
  hygiene(t);
  const folder = join(temporaryFolder(t), 'vault');
  mkdirSync(folder);
  writeFileSync(join(folder, 'extension.ts'), VAULT);
  const stub = await modelStub(t);
  const talking = await talkingHost(t, {
    env: { STUB_KEY: KEY, VAULT_TOKEN: TOKEN, PATH: process.env['PATH'] ?? '' },
    backend: `${stubBackend(stub.url, 'api_key_env = "STUB_KEY"')}
[policy.tools.write_file]
sensitive = ["content"]

[[extensions.path]]
path = ${JSON.stringify(folder)}

[extensions.vault.settings]
token = "\${VAULT_TOKEN}"
`,
  });
  const { host, session, workspace } = talking;
  writeFileSync(join(workspace, 'keys.txt'), `${KEY}\n${TOKEN}\n${PATTERN}\n${PEM}`);
  const messagesOf = (request: (typeof stub.requests)[number] | undefined) =>
    (request?.body['messages'] ?? []) as readonly JsonObject[];
  const isOfTool = ({ role }: JsonObject) => role === 'tool';
  stub.answers.push(
    replies(
      `I was told ${KEY}.`,
      ['read_file', { path: 'keys.txt' }],
      ['read_file', { path: `${TOKEN}.txt` }],
      ['unlock', {}],
      ['burst', {}],
      ['write_file', { path: 'out.txt', content: SENSITIVE }],
      ['shell', { command: 'cat keys.txt; printenv STUB_KEY VAULT_TOKEN; exit 3' }],
      ['shell', { command: `echo ${PATTERN} ${KEY}` }],
      ['nothing_like_it', { token: TOKEN }],
      ['compact', { summary: `We have ${KEY} and ${PATTERN}.` }],
      ['spawn_worker', { name: 'reader', task: `Read keys.txt with ${TOKEN}.` }],
    ),
    replies('', ['read_file', { path: 'keys.txt' }]),
    replies(`It says ${PATTERN}.`),
    refuse(401, { error: { message: `bad key ${KEY}`, token: TOKEN } }),
    replies('As I said.'),
  );
  await talking.ask('Read everything.');
  await talking.ask('What did you say?');

  // The markers were where they were planted, so that what is searched could have had them.
  assert.equal(readFileSync(join(workspace, 'out.txt'), 'utf8'), SENSITIVE);
  const entries = await talking.entries();
  const ends = entries.flatMap((entry) => (entry.type === 'tool_result' ? [entry.certainty] : []));
  assert.equal(ends.length, 10);
  assert.equal(ends.filter((certainty) => certainty === 'completed').length, 8);
  assert.equal(entries.filter((entry) => entry.type === 'approval_request').length, 3);
  assert.equal(stub.requests[0]?.headers.authorization, `Bearer ${KEY}`);

  const child = (await host.sessions.list({ closed: true })).find(
    ({ meta }) => meta.parent?.session === session,
  );
  const places = new Map<string, string>([
    ['entries', JSON.stringify(entries)],
    ['entries of the worker', JSON.stringify(await talking.entries(child?.id ?? ''))],
    ['export', await talking.exported()],
    // What a model says by itself is told as it comes; what is kept of it stands in the entries.
    ['events', JSON.stringify(talking.heard.filter(({ kind }) => kind !== 'delta'))],
    ['log', talking.logged.join('\n')],
    ['what tools told the model', JSON.stringify(stub.requests.flatMap(messagesOf).filter(isOfTool))],
    ['what the worker was told', JSON.stringify(messagesOf(stub.requests[1]))],
    ['what the next turn was told', JSON.stringify(messagesOf(stub.requests.at(-1)))],
  ]);
  for (const line of [
    '/info',
    '/costs',
    '/backends',
    '/print',
    '/extensions',
    '/extensions settings vault',
    '/approvals',
  ])
    places.set(line, JSON.stringify(await host.command({ session, line, by: BY })));
  await talking.close();
  places.set('log of the end', talking.logged.join('\n'));
  const state = join(dirname(workspace), 'state');
  for (const file of readdirSync(state, { withFileTypes: true }))
    if (file.isFile()) places.set(file.name, readFileSync(join(state, file.name), 'latin1'));
  assert.ok(places.has('fairlead.db'));
  const found = [...places].flatMap(([place, text]) =>
    MARKERS.filter((marker) => text.includes(marker)).map((marker) => `${marker} in ${place}`),
  );
  assert.deepEqual(found, []);
});
