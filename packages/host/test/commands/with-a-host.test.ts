import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Json, JsonObject } from '@fairlead/base';
import { defineExtension, s } from '@fairlead/extension';
import { hygiene, waitFor } from '@fairlead/testing';
import { ALLOWED, gateTool, passTurn, sayTurn } from '../host/gate-tool.ts';
import { type HostRoomOptions, hostRoom } from '../host/host-room.ts';

const SCOPES = ['session:read', 'session:write', 'session:approve', 'admin'];

interface Done {
  readonly text: string;
  readonly data?: Json;
  readonly open?: string;
}

/** A host with lines of a person typed into it. */
async function typed(t: TestContext, options: HostRoomOptions) {
  hygiene(t);
  const room = await hostRoom(t, options);
  const type = async (session: string, line: string): Promise<Done> => {
    const answer = await room.host.command({ session, line, by: { id: 'person:tok_1', scopes: SCOPES } });
    assert.ok(!('error' in answer), JSON.stringify(answer));
    return answer;
  };
  const refused = async (session: string, line: string): Promise<string> => {
    const answer = await room.host.command({ session, line, by: { id: 'person:tok_1', scopes: SCOPES } });
    assert.ok('error' in answer, JSON.stringify(answer));
    return answer.error.code;
  };
  return { ...room, type, refused };
}

const TEAM = {
  agents: [{ name: 'ann' }, { name: 'bob' }, { name: 'eve' }],
  groups: { pair: ['bob', 'ann'] },
};

test('/new with a group: its first agent answers there, and a mention wakes the other', async (t) => {
  const room = await typed(t, {
    ...TEAM,
    scripts: { 'agent:bob': [sayTurn('Bob here.')], 'agent:ann': [sayTurn('Ann here.')] },
  });
  const first = await room.session('eve');
  assert.deepEqual((await room.type(first, '/groups')).data, { groups: { pair: ['bob', 'ann'] } });
  const { text, open = '' } = await room.type(first, '/new pair --name review');
  assert.equal(text, 'A new session “review” with bob, ann.');
  await room.ask(open, 'who is there?');
  await room.ask(open, 'and @ann?');
  assert.deepEqual(await room.told(open), [
    ...['Ada: who is there?', 'ack bob 1', 'bob: Bob here.', 'end completed'],
    ...['Ada: and @ann?', 'ack ann 1', 'ann: Ann here.', 'end completed'],
  ]);
  assert.deepEqual(await room.told(first), []);
  assert.match((await room.type(open, '/sessions')).text, /^\* {2}review /m);
  assert.equal((await room.type(first, '/join review')).open, open);
});

test('a new session had no agent and answered nobody: /new without a group has those of the session it was typed in', async (t) => {
  const room = await typed(t, { ...TEAM, scripts: { 'agent:eve': [sayTurn('Still me.')] } });
  const { open = '' } = await room.type(await room.session('eve'), '/new');
  await room.ask(open, 'hello');
  assert.deepEqual((await room.told(open)).slice(1), ['ack eve 1', 'eve: Still me.', 'end completed']);
});

test('an extension that is turned off by a line is gone from the next turn of that session alone, and back after the next line', async (t) => {
  const notes = defineExtension({
    name: 'notes',
    version: '1.0.0',
    tools: { note: { about: 'Notes.', args: {}, effect: 'read', run: () => 'noted' } },
    commands: {
      notes: { about: 'Shows them.', args: { last: s.integer({ default: 1 }) }, run: () => 'none' },
    },
  });
  const has = (text: string) => ({ steps: [{ expect: { tools: ['note'] }, text }] });
  const lacks = (text: string) => ({ steps: [{ expect: { absent: ['note'] }, text }] });
  const room = await typed(t, {
    scripts: { default: [has('on'), lacks('off'), has('on again')] },
    extensions: () => [notes],
    policy: ALLOWED,
  });
  const session = await room.session('ann');
  const other = await room.session('ann');
  await room.ask(session, 'one');
  await room.type(session, '/extensions remove notes');
  assert.equal(await room.refused(session, '/notes'), 'unknown_command');
  assert.equal((await room.type(other, '/notes 3')).text, 'none');
  await room.ask(session, 'two');
  await room.ask(other, 'one');
  await room.type(session, '/extensions add notes');
  await room.ask(session, 'three');
  const said = (await room.told(session)).filter((line) => line.startsWith('ann: '));
  assert.deepEqual(said, ['ann: on', 'ann: off', 'ann: on again']);
  assert.ok((await room.told(other)).includes('ann: on'));
});

test('an agent that is made and changed by lines is live at its next turn', async (t) => {
  const room = await typed(t, {
    scripts: {
      default: [{ steps: [{ expect: { absent: ['pass'] }, text: 'Without.' }] }, sayTurn('Made.')],
      'agent:dan': [sayTurn('I am dan.')],
    },
    extensions: () => [gateTool().extension],
  });
  const session = await room.session('ann');
  await room.type(session, '/agent set ann tools []');
  await room.ask(session, 'go');
  await room.type(session, '/agent new dan system_prompt=Short. tools=');
  await room.type(session, '/agent add dan');
  await room.type(session, '/agent host dan');
  await room.ask(session, 'who?');
  assert.deepEqual(
    (await room.told(session)).filter((line) => /^\w+: /.test(line)),
    ['Ada: go', 'ann: Without.', 'Ada: who?', 'dan: I am dan.'],
  );
  assert.equal(await room.refused(session, '/agent delete dan'), 'agent_attached');
  await room.type(session, '/agent remove dan');
  await room.type(session, '/agent delete dan');
  assert.equal(await room.refused(session, '/agent add dan'), 'agent_unknown');
});

test('/agent reload writes what changed in the file and leaves what was changed by hand', async (t) => {
  const { readAgents } = await import('../../src/agents/read-agents.ts');
  const reading = readAgents({ agents: [{ name: 'ann', burst: 3 }] });
  assert.ok(reading.ok);
  const room = await typed(t, { scripts: {}, readAgentTables: async () => reading.value });
  const session = await room.session('ann');
  await room.type(session, '/agent set ann max_iterations 9');
  assert.equal((await room.type(session, '/agent reload')).text, 'ann: burst written');
  assert.equal((await room.type(session, '/agent reload ann')).text, 'ann: as it was');
  assert.deepEqual((await room.type(session, '/agent show ann')).data, {
    agent: (await room.host.agents.resolve('ann')).id,
    name: 'ann',
    fields: { burst: 3, max_iterations: 9 },
    problems: [],
  });
  assert.equal(await room.refused(session, '/agent reload nobody'), 'agent_unknown');
});

test('lines run during a turn: what it does, what it asks, a decision, a pause and its end', async (t) => {
  const { extension, entered, open } = gateTool();
  const room = await typed(t, {
    scripts: { default: [passTurn, sayTurn('Later.')] },
    extensions: () => [extension],
    policy: { tools: { pass: { approval: 'always' } } },
  });
  const session = await room.session('ann');
  // Somebody watches, so that there is somebody to ask.
  await room.hear(session);
  await room.say(session, 'go');
  const asked = async () => (await room.type(session, '/approvals')).data as { approvals: JsonObject[] };
  await waitFor(async () => (await asked()).approvals.length === 1, { what: 'the question' });
  assert.match((await room.type(session, '/info')).text, /^approvals +1$/m);
  const [approval] = (await asked()).approvals;
  await room.type(session, `/approve ${String(approval?.['id']).slice(0, 10)}`);
  await entered;
  assert.match((await room.type(session, '/info')).text, /^turn +ann: pass$/m);
  assert.equal(await room.refused(session, '/continue'), 'turn_running');
  open();
  await room.host.idle();
  const entries = await room.entries(session);
  const decision = entries.find((entry) => entry.type === 'approval_decision');
  assert.ok(decision?.type === 'approval_decision');
  assert.deepEqual([decision.decision, decision.by, decision.via], ['approved', 'person:tok_1', 'command']);
  assert.equal((await room.type(session, '/pause')).text, 'This host is paused. /resume lets it go on.');
  await room.ask(session, 'more');
  assert.match((await room.type(session, '/info')).text, /^waiting +1$/m);
  await room.type(session, '/resume');
  await room.host.idle();
  assert.equal((await room.told(session)).at(-2), 'ann: Later.');
  assert.match((await room.type(session, '/costs')).text, /^local\/script {2}3 requests/);
  await room.type(session, '/close');
  assert.equal(await room.refused(session, '/new --agents nobody'), 'agent_unknown');
  assert.equal(await room.refused(session, '/compact'), 'session_closed');
});
