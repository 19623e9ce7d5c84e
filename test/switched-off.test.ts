// What turning an extension off takes away, and from whom: seen in what the model is sent, in what its calls answer, in what a person types.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { type ModelStub, modelStub } from '../packages/host/test/models/model-stub.ts';
import { replies, stubBackend } from './conversation/stub-answers.ts';
import { type TalkingHost, talkingHost } from './conversation/talking-host.ts';

const NOTES = `import { defineExtension, s } from '@fairlead/extension';
export default defineExtension({
  name: 'notes',
  version: '1.0.0',
  prompt: () => 'PROMPT-OF-NOTES',
  tail: () => 'TAIL-OF-NOTES',
  on: {
    beforeAgentStart: () => 'START-OF-NOTES',
    toolCall: ({ tool }) => (tool === 'get_time' ? { block: 'notes do not like clocks' } : undefined),
    toolResult: ({ text }) => text + ' SEEN-BY-NOTES',
  },
  tools: { note: { about: 'Takes a note.', args: { text: s.string() }, run: ({ text }) => 'noted ' + text } },
  commands: { jot: { about: 'Takes a note.', run: () => 'jotted' } },
});`;

const BY = { id: 'tok_ada', scopes: ['session:read', 'session:write', 'session:approve', 'admin'] };
const ALL = ['PROMPT-OF-NOTES', 'TAIL-OF-NOTES', 'START-OF-NOTES'];

async function talking(t: Parameters<typeof talkingHost>[0]) {
  const folder = join(temporaryFolder(t), 'notes');
  mkdirSync(folder);
  writeFileSync(join(folder, 'extension.ts'), NOTES);
  const stub = await modelStub(t);
  const host = await talkingHost(t, {
    backend: `${stubBackend(stub.url)}
[[agents]]
name = "other"

[[extensions.path]]
path = ${JSON.stringify(folder)}
`,
  });
  return { stub, host };
}

/** What the model was sent last: names of tools, and all text. */
function sent({ requests }: ModelStub) {
  const { tools = [], messages } = requests.at(-1)?.body ?? {};
  const names = (tools as readonly JsonObject[]).map((tool) => (tool['function'] as JsonObject)['name']);
  return { names, text: JSON.stringify(messages) };
}

/** What came of the last call. */
async function result(host: TalkingHost, session?: string) {
  const entries = await host.entries(session);
  const last = entries.findLast((entry) => entry.type === 'tool_result');
  assert.ok(last?.type === 'tool_result');
  const { certainty, code, text } = last;
  return { certainty, code, text };
}

const command = async (host: TalkingHost, line: string, session = host.session) =>
  await host.host.command({ session, line, by: BY });

test('an extension that is turned off in a session is gone from its next turn, there alone, and comes back when it is turned on', async (t) => {
  hygiene(t);
  const { stub, host } = await talking(t);
  const elsewhere = await host.host.newSession({ agents: ['scout'] });
  const ask = async (session: string, text: string) => {
    await host.host.post({ session, text, from: { kind: 'person', id: 'tok_ada', name: 'Ada' } });
    await host.host.idle();
  };
  stub.answers.push(replies('', ['note', { text: 'a' }]), replies('Noted.'));
  await host.ask('note a');
  assert.ok(sent(stub).names.includes('note'));
  for (const word of ALL) assert.ok(sent(stub).text.includes(word), word);
  assert.equal((await result(host)).text, 'noted a SEEN-BY-NOTES');
  assert.deepEqual(await command(host, '/jot'), { text: 'jotted' });

  const off = await command(host, '/extensions remove notes');
  assert.ok('text' in off, JSON.stringify(off));
  // The clock that its gate would have blocked, and the tool that the model remembers.
  stub.answers.push(replies('', ['note', { text: 'b' }], ['get_time', {}]), replies('No more.'));
  await host.ask('note b');
  assert.equal(sent(stub).names.includes('note'), false);
  assert.ok(sent(stub).names.includes('get_time'));
  for (const word of ALL) assert.equal(sent(stub).text.includes(word), false, word);
  const results = (await host.entries()).filter((entry) => entry.type === 'tool_result').slice(-2);
  const refused = results.find(({ certainty }) => certainty === 'not_started');
  assert.equal(refused?.code, 'tool_inactive');
  assert.match(refused?.text ?? '', /notes.*\/extensions add notes/s);
  const clock = results.find(({ certainty }) => certainty === 'completed');
  assert.equal(clock?.error, false);
  assert.equal(clock?.text.includes('SEEN-BY-NOTES'), false);
  const jot = await command(host, '/jot');
  assert.equal('error' in jot && jot.error.code, 'unknown_command');

  stub.answers.push(replies('', ['note', { text: 'c' }]), replies('Noted.'));
  await ask(elsewhere, 'note c');
  assert.ok(sent(stub).names.includes('note'));
  for (const word of ALL) assert.ok(sent(stub).text.includes(word), word);
  assert.equal((await result(host, elsewhere)).text, 'noted c SEEN-BY-NOTES');
  assert.deepEqual(await command(host, '/jot', elsewhere), { text: 'jotted' });

  await command(host, '/extensions add notes');
  stub.answers.push(replies('Back.'));
  await host.ask('and now?');
  assert.ok(sent(stub).names.includes('note'));
});

test('an extension that an agent opted out of is gone for that agent alone; a person still has its commands', async (t) => {
  hygiene(t);
  const { stub, host } = await talking(t);
  await host.host.sessions.attach(host.session, 'other');
  const off = await command(host, '/extensions remove notes agent');
  assert.ok('text' in off, JSON.stringify(off));
  stub.answers.push(replies('', ['note', { text: 'a' }], ['get_time', {}]), replies('Not mine.'));
  await host.ask('@scout note a');
  assert.equal(sent(stub).names.includes('note'), false);
  for (const word of ALL) assert.equal(sent(stub).text.includes(word), false, word);
  const codes = (await host.entries()).flatMap((entry) => (entry.type === 'tool_result' ? [entry.code] : []));
  assert.deepEqual(codes.toSorted(), ['tool_inactive', undefined]);
  assert.deepEqual(await command(host, '/jot'), { text: 'jotted' });

  stub.answers.push(replies('', ['note', { text: 'b' }]), replies('Noted.'));
  await host.ask('@other note b');
  assert.ok(sent(stub).names.includes('note'));
  for (const word of ALL) assert.ok(sent(stub).text.includes(word), word);
  assert.equal((await result(host)).text, 'noted b SEEN-BY-NOTES');
});

test('inspect offers and runs no tool, read_only runs what reads; both refuse with session_guard_denied, and not for the asking of who may only write', async (t) => {
  hygiene(t);
  const { stub, host } = await talking(t);
  const { sessions } = host.host;
  writeFileSync(join(host.workspace, 'a.txt'), 'here\n');
  const calls = [
    ['read_file', { path: 'a.txt' }],
    ['write_file', { path: 'b.txt', content: 'x' }],
    ['shell', { command: 'touch c.txt' }],
  ] as const;
  const outcomes = async () => {
    const before = (await host.entries()).length;
    stub.answers.push(replies('', ...calls), replies('Done.'));
    await host.ask('do it all');
    const entries = (await host.entries()).slice(before);
    const tools = new Map(
      entries.flatMap((entry) => (entry.type === 'tool_call' ? [[entry.call, entry.tool]] : [])),
    );
    const ends = entries.flatMap((entry) =>
      entry.type === 'tool_result'
        ? [`${tools.get(entry.call)} ${entry.certainty} ${entry.code ?? 'fine'}`]
        : [],
    );
    return ends.toSorted();
  };
  await assert.rejects(sessions.setMode(host.session, 'inspect', { scopes: ['session:write'] }), {
    code: 'session_mode_denied',
  });
  await sessions.setMode(host.session, 'read_only', BY);
  assert.deepEqual(await outcomes(), [
    'read_file completed fine',
    'shell not_started session_guard_denied',
    'write_file not_started session_guard_denied',
  ]);
  assert.equal(sent(stub).names.includes('write_file'), false);
  await sessions.setMode(host.session, 'inspect', BY);
  assert.deepEqual(await outcomes(), [
    'read_file not_started session_guard_denied',
    'shell not_started session_guard_denied',
    'write_file not_started session_guard_denied',
  ]);
  assert.deepEqual(sent(stub).names, []);
  await sessions.setMode(host.session, 'normal', BY);
  assert.deepEqual((await outcomes())[0], 'read_file completed fine');
  assert.equal(host.heard.filter((event) => event.kind === 'approval' && event.state === 'open').length, 2);
});
