import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { copyTo, hostFloor } from '../host-floor.ts';
import { commandRoom } from './command-room.ts';

test('/agent lists who takes part here, and marks who answers', async (t) => {
  const { done, session, ann } = await commandRoom(t);
  const answer = await done('/agent');
  assert.equal(answer.text, `*  ann  ${ann}  local/small`);
  assert.deepEqual(answer.data, {
    session,
    host: ann,
    agents: [{ id: ann, name: 'ann', model: 'local/small', from: 'host' }],
  });
  assert.deepEqual(await done('/agents list'), answer);
});

test('/agent add and remove change who takes part, and say who answers then', async (t) => {
  const { done, refused, session, ann, bob, sessions } = await commandRoom(t);
  const added = await done('/agent add BOB');
  assert.deepEqual(added, { text: 'bob takes part here now.', data: { session, agent: bob, host: ann } });
  assert.deepEqual(await done('/agent add bob'), added);
  const gone = await done('/agent remove ann');
  assert.match(gone.text, /^ann takes no part here any more\. Nobody answers/);
  assert.match(await refused('/agent remove ann'), /^agent_not_attached: /);
  assert.equal((await done('/agent remove bob')).text, 'bob takes no part here any more.');
  assert.match((await done('/agent')).text, /^No agent takes part here/);
  assert.equal(
    (await done('/agent add ann')).text,
    'ann takes part here now and answers where nobody is mentioned.',
  );
  assert.match(await refused('/agent add eve'), /^agent_unknown: /);
  await sessions.close(session);
  assert.match(await refused('/agent add bob'), /^session_closed: /);
});

test('/agent host says who answers; without a name nobody does', async (t) => {
  const { done, refused, session, bob } = await commandRoom(t);
  await done('/agent add bob');
  assert.deepEqual((await done('/agent host bob')).data, { session, host: bob });
  assert.deepEqual((await done('/agent host')).data, { session, host: null });
  assert.match(await refused('/agent host eve'), /^agent_not_attached: /);
});

test('/agent burst sets how many turns agents take among themselves, clears it, and refuses zero', async (t) => {
  const { done, refused, session, sessions } = await commandRoom(t);
  assert.deepEqual((await done('/agent burst 2')).data, { session, burst: 2, inForce: 2 });
  assert.equal((await sessions.meta(session)).burst, 2);
  assert.deepEqual((await done('/agent burst')).data, { session, burst: null, inForce: 6 });
  for (const turns of ['0', '65', 'two'])
    assert.match(await refused(`/agent burst ${turns}`), /^command_usage: .*\n\/agent burst \[turns\]$/);
});

test('/agent room shows who is there, who answers and how many turns are left', async (t) => {
  const { done, session, ann, bob, say, host } = await commandRoom(t);
  await host.clock.advance(1);
  await done('/agent add bob');
  const agent = { kind: 'agent', id: bob, name: 'bob' } as const;
  await say(session, { type: 'ack', turn: 'trn_1', for: [], agent: bob, model: 'local/large' }, agent);
  const { text, data } = await done('/agent room');
  assert.match(text, /^\* {2}ann .*\n {3}bob .*\nAgents took 1 of 6 turns since a person spoke/);
  assert.deepEqual(data, {
    session,
    host: ann,
    agents: [
      { id: ann, name: 'ann' },
      { id: bob, name: 'bob' },
    ],
    burst: { limit: 6, used: 1, left: 5 },
  });
});

test('/agent new makes an agent with the fields that are given, each checked before anything is made', async (t) => {
  const { done, refused, agents } = await commandRoom(t);
  const line = `/agent new eve model=local/large tools=read_file,fs_* max_iterations=7 'system_prompt=Be short.' tool_profile='{"default":"brief"}' grants='{"fs":{"write":[]}}'`;
  const { data } = await done(line);
  const { agent } = data as { agent: string };
  assert.deepEqual((data as JsonObject)['fields'], {
    model: 'local/large',
    tools: ['read_file', 'fs_*'],
    max_iterations: 7,
    system_prompt: 'Be short.',
    tool_profile: { default: 'brief' },
    grants: { fs: { write: [] } },
  });
  const { config, problems } = await agents.config(agent);
  assert.deepEqual(problems, []);
  assert.deepEqual(
    [config.model, config.tools, config.systemPrompt],
    ['local/large', ['read_file', 'fs_*'], 'Be short.'],
  );
  const before = (await agents.list()).length;
  const refusals: readonly (readonly [string, RegExp])[] = [
    ['/agent new eve', /^session_invalid: .*name is taken/],
    ['/agent new agt_x', /^session_invalid: /],
    ['/agent new dan tols=a', /^agent_field_invalid: .*there is no field tols; did you mean tools\?/],
    ['/agent new dan max_iterations=0', /^agent_field_invalid: .*max_iterations must be/],
    ['/agent new dan max_iterations=many', /^agent_field_invalid: /],
    ['/agent new dan model=local/none', /^model_unknown: /],
    ['/agent new dan brief', /^agent_field_invalid: .*brief is no field=value/],
    ['/agent new dan burst=2 burst=3', /^agent_field_invalid: .*burst stands there twice/],
    ['/agent new dan system_prompt_files=/etc/passwd', /^agent_field_invalid: .*there is no field/],
    ['/agent new', /^command_usage: .*\n\/agent new <name> \[field=value\]…$/],
  ];
  for (const [wrong, expected] of refusals) assert.match(await refused(wrong), expected);
  assert.equal((await agents.list()).length, before);
  await done('/agent new dan');
  assert.deepEqual((await agents.config((await agents.resolve('dan')).id)).config.systemPrompt, '');
});

test('/agent set takes the value as it was typed, or what one pair of quotes holds', async (t) => {
  const { done, refused, agents, ann } = await commandRoom(t);
  const value = async (line: string) => ((await done(line)).data as JsonObject)['value'];
  assert.equal(
    await value('/agent set ann system_prompt Don’t   use --flags, "ever".'),
    'Don’t   use --flags, "ever".',
  );
  assert.equal(await value(`/agent set ann system_prompt 'Be  short.'`), 'Be  short.');
  assert.equal(await value('/agent set ann system_prompt "two\nlines"'), 'two\nlines');
  assert.equal(await value('/agent set ann system_prompt 42'), '42');
  assert.deepEqual(await value('/agent set ann tools []'), []);
  assert.deepEqual(await value('/agent set ann tools read_file, shell'), ['read_file', 'shell']);
  assert.deepEqual(await value('/agent set ann tools ""'), []);
  assert.deepEqual(await value(`/agent set ann grants {"shell": {"allow": ["git status"]}}`), {
    shell: { allow: ['git status'] },
  });
  assert.equal(await value('/agent set ann tool_profile brief'), 'brief');
  assert.equal(await value('/agent set ann max_depth 0'), 0);
  const { config, problems } = await agents.config(ann);
  assert.deepEqual(problems, []);
  assert.deepEqual([config.maxDepth, config.tools], [0, []]);
  assert.match(await refused('/agent set ann max_depth 9'), /^agent_field_invalid: .*max_depth/);
  assert.match(await refused('/agent set ann name eve'), /^agent_field_invalid: .*there is no field name/);
  assert.match(await refused('/agent set eve tools a'), /^agent_unknown: /);
  for (const line of ['/agent set', '/agent set ann', '/agent set ann tools', '/agent set ann tools  '])
    assert.match(await refused(line), /^command_usage: .*\n\/agent set <agent> <field> <value…>$/);
});

test('/agent show and unset: what is set, what of it cannot be used, and back to the default', async (t) => {
  const { done, refused, agents, ann } = await commandRoom(t);
  assert.equal((await done('/agent show ann')).text, 'Every field is as it is by default.');
  await done('/agent set ann burst 3');
  await (await agents.open(ann)).doc('config').set(['tools'], 'all');
  const { text, data } = await done('/agent show ann');
  assert.match(text, /^burst {2}3\ntools {2}"all"\ntools {2}⚠ must be a list/m);
  assert.deepEqual((data as JsonObject)['fields'], { burst: 3, tools: 'all' });
  assert.deepEqual((await done('/agent unset ann tools')).data, { agent: ann, field: 'tools' });
  assert.equal((await agents.config(ann)).config.tools, undefined);
  assert.match(await refused('/agent unset ann home'), /^agent_field_invalid: /);
  assert.match(await refused('/agent show'), /^command_usage: /);
});

test('an agent that is at home on another peer is shown as that, and not changed here', async (t) => {
  const { done, refused, host, agents } = await commandRoom(t);
  const other = await hostFloor(t, { seed: 7 });
  const database = await other.peer.create('agent', (tx) =>
    tx.patch('meta', { name: 'far', home: other.peer.peerId }),
  );
  await copyTo(host, database);
  assert.equal((await agents.resolve('far')).isHome, false);
  assert.match(await refused('/agent set far tools a'), /^agent_elsewhere: /);
  assert.match(await refused('/agent unset far tools'), /^agent_elsewhere: /);
  assert.match(
    (await done('/agent home-status far')).text,
    /^far {2}agt_\S+ {2}at home on \S+ {2}0 sessions$/,
  );
  const hosted = (await done('/agent hosted')).data as { agents: JsonObject[] };
  assert.deepEqual(
    hosted.agents.map(({ name, isHome, sessions }) => [name, isHome, sessions]),
    [
      ['ann', true, 1],
      ['bob', true, 0],
    ],
  );
  assert.equal(((await done('/agent home-status')).data as { agents: JsonObject[] }).agents.length, 3);
});

test('/agent reload says what was written, made, and could not be read', async (t) => {
  const { done, asked } = await commandRoom(t);
  const { text } = await done('/agent reload');
  assert.equal(text, 'ann: tools written; rules.md could not be read\nbob: made');
  await done('/agent reload ann');
  assert.deepEqual(asked, ['reloadAgents *', 'reloadAgents ann']);
});

test('/agent delete refuses while the agent takes part in an open session, then drops all of it', async (t) => {
  const { done, run, refused, agents, sessions, session, ann, peer } = await commandRoom(t);
  assert.deepEqual(await run('/agent delete ann'), {
    error: {
      code: 'agent_attached',
      message: 'The agent takes part in sessions that are open; nothing was deleted. (1 session)',
      detail: { sessions: [session] },
    },
  });
  await sessions.close(session);
  assert.deepEqual((await done('/agent delete ann')).data, { agent: ann, name: 'ann' });
  assert.equal(await agents.find(ann), undefined);
  await assert.rejects(peer.open(ann), { code: 'database_not_found' });
  assert.match(await refused('/agent delete ann'), /^agent_unknown: /);
  assert.equal((await done('/agent')).text, '*  ann  '.concat(ann, '  local/small'));
});
