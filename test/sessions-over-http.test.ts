// A conversation as a program has it over HTTP: a real host with a scripted model; what is said, followed, approved, cancelled, continued,
// and what is left of it in the export.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import { hygiene, temporaryFolder, waitFor } from '@fairlead/testing';
import { ask } from '../packages/gateway/test/fixture/http-client.ts';
import {
  openStream,
  type StreamEvent,
  type StreamReader,
} from '../packages/gateway/test/fixture/stream-reader.ts';
import { endHost, startHost } from './fairlead-process.ts';

const write = (path: string) => ({ tool: 'write_file', arguments: { path, content: 'two\n' } });
const HANGS = { text: 'never said', faults: ['hang'] };

const SCRIPT = {
  format: 'fairlead-script-v1',
  scripts: {
    default: [
      {
        when: 'count',
        steps: [
          { text: 'I write it down.', chunk: 3, calls: [write('a.txt')] },
          { text: 'Written.', chunk: 3 },
        ],
      },
      { when: 'wait', steps: [HANGS] },
      { steps: [{ text: 'I go on.' }] },
      { when: 'once more', steps: [{ calls: [write('b.txt')] }, { text: 'Twice.' }] },
      { when: 'nobody', steps: [{ calls: [write('c.txt')] }, { text: 'Nobody was there.' }] },
      { when: 'hold', steps: [HANGS] },
      { when: 'stop', steps: [HANGS] },
    ],
  },
};

const CONFIGURATION = `
[[backends]]
name = "demo"
type = "scripted"
file = "script.json"

[[agents]]
name = "scout"
`;

async function setUp(t: TestContext) {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  const workspace = join(folder, 'work');
  for (const made of [stateDirectory, workspace]) mkdirSync(made, { mode: 0o700 });
  writeFileSync(join(stateDirectory, 'fairlead.toml'), CONFIGURATION);
  writeFileSync(join(stateDirectory, 'script.json'), JSON.stringify(SCRIPT));
  const host = await startHost(t, { stateDirectory, command: 'serve' });
  const port = Number(new URL(host.ready.url).port);
  const request = async (method: string, path: string, body?: Json, token = host.token) => {
    const answer = await ask(port, { method, path, token, ...(body === undefined ? {} : { body }) });
    const { envelope, status } = answer;
    return { status, envelope, code: envelope.error?.code ?? null, output: envelope.output as JsonObject };
  };
  const made = await request('POST', '/api/sessions', { name: 'work', agents: ['scout'], workspace });
  assert.equal(made.code, null, JSON.stringify(made.envelope));
  const session = String(made.output['id']);
  const at = (rest: string) => `/api/sessions/${session}${rest}`;
  const stream = (headers: Readonly<Record<string, string>> = {}, token = host.token) =>
    openStream(t, port, { path: at('/stream'), token, headers });
  return { host, port, workspace, request, session, at, stream };
}

/** Reads until `isLast`, that event included. */
async function until(reader: StreamReader, isLast: (event: StreamEvent) => boolean): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for (;;) {
    const event = await reader.next();
    if (event === null) throw new Error(`the stream ended after ${JSON.stringify(events)}`);
    events.push(event);
    if (isLast(event)) return events;
  }
}

const dataOf = (event: StreamEvent) => event.data as JsonObject;
const isEntry = (type: string) => (event: StreamEvent) =>
  event.event === 'entry' && dataOf(event)['type'] === type;

/** What the deltas of a step say when they are put where they belong. */
function textOf(events: readonly StreamEvent[], step: number): string {
  let text = '';
  for (const { event, data } of events) {
    const {
      step: of,
      kind,
      at,
      text: piece,
    } = data as { step: number; kind: string; at: number; text: string };
    if (event === 'delta' && of === step && kind === 'text') text = text.slice(0, at) + piece;
  }
  return text;
}

test('a program says something once, follows the turn, approves a call, and reads all of it again', async (t) => {
  const { host, request, at, stream, workspace, session } = await setUp(t);
  const models = await request('GET', '/api/models');
  assert.deepEqual(models.output['models'], ['demo/script']);
  const reader = await stream();
  const message = { text: 'count the lines', key: 'k1' };
  const said = await request('POST', at('/entries'), message);
  assert.equal(said.output['again'], false);
  const again = await request('POST', at('/entries'), message);
  assert.deepEqual([again.output['id'], again.output['again']], [said.output['id'], true]);

  const before = await until(
    reader,
    ({ event, data }) => event === 'approval' && (data as JsonObject)['state'] === 'open',
  );
  assert.equal(textOf(before, 0), 'I write it down.');
  assert.ok(before.filter(({ event }) => event === 'delta').length > 4);
  const { approvals } = (await request('GET', '/api/approvals')).output as { approvals: JsonObject[] };
  const [asked] = approvals;
  assert.deepEqual([approvals.length, asked?.['tool'], asked?.['session']], [1, 'write_file', session]);
  assert.deepEqual(asked?.['arguments'], { path: 'a.txt', content: 'two\n' });
  const approval = String(dataOf(before.at(-1) as StreamEvent)['approval']);
  assert.equal(asked?.['id'], approval);
  const narrow = await request('POST', '/api/admin/tokens', {
    name: 'reader',
    scopes: ['session:read', 'session:write'],
  });
  const refused = await request(
    'POST',
    `/api/approvals/${approval}`,
    { decision: 'approve' },
    String(narrow.output['secret']),
  );
  assert.deepEqual([refused.status, refused.code], [403, 'insufficient_scope']);
  // A late reader hears what goes on, though nothing of it is an entry.
  const late = await stream();
  const state = await until(late, ({ event }) => event === 'state');
  assert.deepEqual(
    [state.at(-1)?.event, dataOf(state.at(-1) as StreamEvent)['state']],
    ['state', 'approval'],
  );
  late.cut();
  const decided = await request('POST', `/api/approvals/${approval}`, { decision: 'approve' });
  assert.deepEqual(decided.output, { approval, state: 'approved', again: false });

  const after = await until(reader, isEntry('turn_end'));
  assert.equal(textOf(after, 1), 'Written.');
  assert.equal(readFileSync(join(workspace, 'a.txt'), 'utf8'), 'two\n');
  const entries = [...before, ...after].filter(({ event }) => event === 'entry');
  assert.deepEqual(
    entries.map((event) => dataOf(event)['type']),
    [
      'message',
      'ack',
      'message',
      'approval_request',
      'approval_decision',
      'tool_call',
      'tool_result',
      'message',
      'turn_end',
    ],
  );
  const decision = entries.find(isEntry('approval_decision'));
  assert.deepEqual(
    [decision && dataOf(decision)['via'], decision && dataOf(decision)['decision']],
    ['http', 'approved'],
  );
  assert.equal(dataOf(entries.at(-1) as StreamEvent)['status'], 'completed');

  // Cut after the third entry: the rest comes again, and nothing twice.
  reader.cut();
  const third = entries[2];
  const resumed = await stream({ 'last-event-id': third?.id ?? '' });
  const rest = (await until(resumed, isEntry('turn_end'))).filter(({ event }) => event === 'entry');
  assert.deepEqual(rest, entries.slice(3));

  const page = await request('GET', at('/entries?limit=4'));
  const newest = page.output['entries'] as unknown as { readonly id: string }[];
  assert.deepEqual(
    newest.map(({ id }) => id),
    entries
      .slice(-4)
      .reverse()
      .map((event) => dataOf(event)['id']),
  );
  const next = await request(
    'GET',
    at(`/entries?before=${encodeURIComponent(String(page.output['before']))}`),
  );
  assert.equal((next.output['entries'] as unknown as unknown[]).length, entries.length - 4);
  assert.equal(next.output['before'], null);

  const exported = await fetch(`${host.ready.url}${at('/export')}`, {
    headers: { authorization: `Bearer ${host.token}`, connection: 'close' },
  });
  const [head, ...lines] = (await exported.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject);
  assert.deepEqual([head?.['format'], head?.['session']], ['fairlead-session-v1', session]);
  assert.deepEqual(
    lines.map(({ id, type }) => [id, type]),
    entries.map((event) => [dataOf(event)['id'], dataOf(event)['type']]),
  );
  assert.deepEqual(await endHost(host).then(({ exit }) => exit), 0);
});

test('a turn is cancelled and continued, a run approves beforehand, a pause holds, a command answers', async (t) => {
  const { request, at, stream, workspace, host } = await setUp(t);
  const say = (text: string) => request('POST', at('/entries'), { text, key: text });
  const reader = await stream();
  const ended = async () => dataOf((await until(reader, isEntry('turn_end'))).at(-1) as StreamEvent);

  await say('count');
  const asks = await until(
    reader,
    ({ event, data }) => event === 'approval' && (data as JsonObject)['state'] === 'open',
  );
  const approval = String(dataOf(asks.at(-1) as StreamEvent)['approval']);
  await request('POST', `/api/approvals/${approval}`, { decision: 'deny' });
  assert.equal((await ended())['status'], 'completed');
  const settled = await request('POST', `/api/approvals/${approval}`, { decision: 'approve' });
  assert.equal(settled.code, 'approval_settled');

  await say('wait');
  await until(reader, ({ event, data }) => event === 'state' && (data as JsonObject)['state'] === 'model');
  const running = (await request('GET', at(''))).output['running'] as JsonObject;
  assert.equal(running['state'], 'model');
  const status = (await request('GET', '/api/admin/status')).output['agents'] as JsonObject;
  assert.equal((status['running'] as unknown as JsonObject[])[0]?.['turn'], running['turn']);
  assert.deepEqual((await request('POST', at('/cancel'))).output, { cancelled: true });
  assert.equal((await ended())['status'], 'cancelled');
  assert.deepEqual((await request('POST', at('/cancel'))).output, { cancelled: false });
  const { turn } = (await request('POST', at('/continue'))).output;
  const resumed = await ended();
  assert.deepEqual([resumed['turn'], resumed['status']], [turn, 'completed']);
  // A turn holds its session for a moment after its end was told.
  const next = await waitFor(
    async () => {
      const answer = await request('POST', at('/continue'));
      return answer.code === 'turn_running' ? null : answer;
    },
    { what: 'the session to be free' },
  );
  assert.equal(next.code, 'nothing_to_continue');

  const run = await request('POST', at('/run'), { text: 'once more', approve: ['write_file'] });
  assert.deepEqual(
    [run.output['status'], run.output['text']],
    ['completed', 'Twice.'],
    JSON.stringify(run.envelope),
  );
  const [call] = run.output['calls'] as unknown as JsonObject[];
  assert.deepEqual([call?.['tool'], call?.['certainty']], ['write_file', 'completed']);
  assert.equal(readFileSync(join(workspace, 'b.txt'), 'utf8'), 'two\n');
  const unattended = await request('POST', at('/run'), { text: 'nobody' });
  const [unasked] = unattended.output['calls'] as unknown as JsonObject[];
  assert.deepEqual([unasked?.['certainty'], unasked?.['code']], ['not_started', 'approval_unattended']);
  assert.equal(unattended.output['text'], 'Nobody was there.');

  // Whoever goes away cancels.
  const controller = new AbortController();
  const held = fetch(`${host.ready.url}${at('/run')}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${host.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'hold' }),
    signal: controller.signal,
  });
  await until(reader, (event) => isEntry('message')(event) && dataOf(event)['text'] === 'hold');
  await until(reader, isEntry('ack'));
  controller.abort();
  await assert.rejects(held, { name: 'AbortError' });
  assert.equal((await ended())['status'], 'cancelled');

  const help = await request('POST', at('/command'), { line: '/help' });
  assert.match(String(help.output['text']), /\/sessions/);
  const wrong = await request('POST', at('/command'), { line: '/nonsense' });
  assert.deepEqual(
    [wrong.status, wrong.code, wrong.envelope.dispatch_certainty],
    [400, 'unknown_command', 'not_started'],
  );

  assert.deepEqual((await request('POST', '/api/admin/pause')).output, { paused: true, changed: true });
  const paused = (await request('GET', '/api/admin/status')).output['agents'] as JsonObject;
  assert.equal(typeof paused['pausedAtMs'], 'number');
  assert.equal((await request('POST', at('/run'), { text: 'now' })).code, 'host_paused');
  assert.deepEqual((await request('POST', '/api/admin/resume')).output, { paused: false, changed: true });

  const changed = await request('PATCH', at(''), { name: 'done', mode: 'inspect', closed: true });
  const { name, mode, closed } = changed.output;
  assert.deepEqual([name, mode, closed], ['done', 'inspect', true]);
  assert.equal((await say('too late')).code, 'session_closed');
  assert.deepEqual(await endHost(host).then(({ exit }) => exit), 0);
});

test('the end of the host ends its streams and answers who waits for a turn; a revoked token ends its own', async (t) => {
  const { host, request, at, stream } = await setUp(t);
  const minted = await request('POST', '/api/admin/tokens', { name: 'reader', scopes: ['session:read'] });
  const listening = await stream({}, String(minted.output['secret']));
  await request('DELETE', `/api/admin/tokens/${(minted.output['token'] as JsonObject)['id']}`);
  await listening.ended;
  const reader = await stream();
  // The second turn of the script hangs.
  const first = await request('POST', at('/run'), { text: 'count', approve: 'all' });
  assert.equal(first.output['text'], 'Written.');
  const run = request('POST', at('/run'), { text: 'wait' });
  await until(reader, (event) => isEntry('message')(event) && dataOf(event)['text'] === 'wait');
  await until(reader, isEntry('ack'));
  const { exit, tookMs } = await endHost(host);
  assert.equal(exit, 0);
  assert.ok(tookMs < 20_000, `took ${tookMs} ms`);
  await reader.ended;
  const { code, envelope } = await run;
  assert.deepEqual([code, envelope.dispatch_certainty], ['gateway_stopping', 'outcome_unknown']);
});
