import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext, test } from 'node:test';
import { type JsonObject, systemClock, systemRandom } from '@fairlead/base';
import { readEntry } from '@fairlead/host';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { loadHostConfig } from '../packages/cli/src/host/host-config.ts';
import { openHostFloor } from '../packages/cli/src/host/host-floor.ts';

const CONFIGURATION = `
model = "local/tiny"

[[backends]]
name = "local"
type = "scripted"
file = "script.json"

[[backends.models]]
name = "tiny"

[[agents]]
name = "scout"
`;

/** Lets this machine's own addresses be reached. */
const PRIVATE = '\n[policy.grants]\nnetwork = { allow_private = true }\n';

/** What an agent read of the calls it was told to make, and what was asked of people. */
async function turn(
  t: TestContext,
  configuration: string,
  calls: readonly (readonly [tool: string, args: JsonObject])[],
) {
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const workspace = join(folder, 'work');
  for (const made of [stateDirectory, workspace]) mkdirSync(made, { recursive: true, mode: 0o700 });
  const steps = [...calls.map(([tool, args]) => ({ calls: [{ tool, arguments: args }] })), { text: 'Done.' }];
  const script = { format: 'fairlead-script-v1', scripts: { default: [{ steps }] } };
  writeFileSync(join(stateDirectory, 'script.json'), JSON.stringify(script));
  writeFileSync(join(stateDirectory, 'fairlead.toml'), CONFIGURATION + configuration);
  const context = {
    ...{ cwd: folder, home: join(folder, 'home'), cloneRoot: folder, clock: systemClock() },
    env: { PATH: process.env['PATH'] ?? '', SEARCH_KEY: 'planted-key-of-the-engine' },
    platform: process.platform,
    random: systemRandom(),
    stdout: () => {},
    stderr: () => {},
    readStdin: async () => Buffer.alloc(0),
    streams: () => ({ input: new PassThrough(), output: new PassThrough() }),
  };
  const loaded = await loadHostConfig(context, stateDirectory, {});
  await using floor = await openHostFloor({ context, stateDirectory, loaded, log: () => {} });
  const { agents } = floor;
  const session = await agents.newSession({ agents: ['scout'], workspace });
  const from = { kind: 'person', id: 'tok_ada', name: 'Ada' } as const;
  await agents.runOnce({ session, text: 'Go on.', from, approve: 'all' });
  const results: (readonly [certainty: string, code: string | undefined, text: string])[] = [];
  let asked = 0;
  for await (const { id, value } of (await agents.sessions.open(session)).table('entries').scan()) {
    const entry = readEntry(id, value);
    if (entry?.type === 'tool_result') results.push([entry.certainty, entry.code, entry.text]);
    if (entry?.type === 'approval_request') asked += 1;
  }
  return { results, asked };
}

/** A server of this machine, and the lines of what it was asked. */
async function server(t: TestContext, answer: (path: string, response: ServerResponse) => void) {
  const seen: string[] = [];
  const http = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    answer(request.url ?? '', response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    http.closeAllConnections();
    http.close();
  });
  return { seen, url: `http://127.0.0.1:${(http.address() as AddressInfo).port}` };
}

const html = (response: ServerResponse, body: string) => {
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end(body);
};

test('an agent reads a page, where its session may reach it', async (t) => {
  hygiene(t);
  const { url, seen } = await server(t, (_path, response) =>
    html(response, '<title>Hi</title><p>A <b>page</b>'),
  );
  const { results, asked } = await turn(t, PRIVATE, [['web_fetch', { url: `${url}/p` }]]);
  assert.deepEqual(results, [['completed', undefined, `[200] ${url}/p\n\n# Hi\n\nA **page**`]]);
  assert.deepEqual([seen, asked], [['GET /p'], 1]);
});

test('an address that is not granted is refused before anybody is asked, and nothing is sent', async (t) => {
  hygiene(t);
  const { url, seen } = await server(t, (_path, response) => html(response, 'secret'));
  const { port } = new URL(url);
  const refused = await turn(t, '', [
    ['web_fetch', { url }],
    ['web_fetch', { url: `http://localhost:${port}/` }],
    ['web_fetch', { url: `http://[::ffff:127.0.0.1]:${port}/` }],
    ['web_fetch', { url: `http://2130706433:${port}/` }],
    ['web_fetch', { url: 'file:///etc/passwd' }],
  ]);
  assert.deepEqual(
    refused.results.map(([certainty, code]) => [certainty, code]),
    [
      ['not_started', 'network_address_refused'],
      ['not_started', 'network_address_refused'],
      ['not_started', 'network_address_refused'],
      ['not_started', 'network_address_refused'],
      ['not_started', 'network_request_invalid'],
    ],
  );
  assert.deepEqual([seen, refused.asked], [[], 0]);
});

test('a redirect to what is not granted is not followed', async (t) => {
  hygiene(t);
  const inside = await server(t, (_path, response) => html(response, 'secret'));
  const { url, seen } = await server(t, (path, response) => {
    if (path === '/ok') return html(response, 'fine');
    response.writeHead(302, { location: path === '/out' ? inside.url : '/ok' });
    response.end();
  });
  const { port } = new URL(url);
  const grants = `\n[policy.grants]\nnetwork = { allow_private = true, endpoints = [{ host = "127.0.0.1", path_prefix = "/" }] }\n`;
  const onlyHere = grants.replace('path_prefix = "/"', 'path_prefix = "/a"');
  const followed = await turn(t, grants, [['web_fetch', { url: `${url}/in` }]]);
  assert.deepEqual(followed.results, [['completed', undefined, `[200] ${url}/ok\n\nfine`]]);
  const stopped = await turn(t, onlyHere, [['web_fetch', { url: `${url}/a` }]]);
  assert.deepEqual(
    stopped.results.map(([certainty, code]) => [certainty, code]),
    [['completed', 'network_redirect_refused']],
  );
  assert.deepEqual(seen, ['GET /in', 'GET /ok', 'GET /a']);
  assert.deepEqual([inside.seen, port !== ''], [[], true]);
});

const engine = (url: string, more = '') =>
  `\n[[web.search]]\ntype = "serper"\nbase_url = "${url}"\napi_key_env = "SEARCH_KEY"\n${more}`;

test('a search does not get round the network grants: an engine that is not granted is not asked', async (t) => {
  hygiene(t);
  const { url, seen } = await server(t, (_path, response) => response.end('{"organic":[]}'));
  const refused = await turn(t, engine(url), [['web_search', { query: 'x' }]]);
  assert.deepEqual(
    refused.results.map(([certainty, code]) => [certainty, code]),
    [['not_started', 'network_address_refused']],
  );
  assert.deepEqual(seen, []);
  const granted = await turn(t, PRIVATE + engine(url), [['web_search', { query: 'x' }]]);
  assert.deepEqual(granted.results, [['completed', undefined, '[]']]);
  assert.deepEqual([seen, granted.asked], [['POST /search'], 0]);
});

test('nobody is asked to approve a search that no engine could be asked for', async (t) => {
  hygiene(t);
  const always = '\n[policy.tools.web_search]\napproval = "always"\n';
  const { results, asked } = await turn(t, engine('http://10.0.0.1') + always, [
    ['web_search', { query: 'x' }],
  ]);
  assert.deepEqual(
    results.map(([certainty, code]) => [certainty, code]),
    [['not_started', 'network_address_refused']],
  );
  assert.equal(asked, 0);
});

test('a key of a search engine reaches no entry, also where the engine sends it back', async (t) => {
  hygiene(t);
  const said = JSON.stringify({
    organic: [{ title: 'planted-key-of-the-engine', link: 'https://e.example/' }],
  });
  const { url } = await server(t, (_path, response) => response.end(said));
  const { results } = await turn(t, PRIVATE + engine(url), [['web_search', { query: 'x' }]]);
  const [[certainty, , text] = ['', undefined, '']] = results;
  assert.equal(certainty, 'completed');
  assert.doesNotMatch(text, /planted-key/);
  assert.match(text, /REDACTED/);
});
