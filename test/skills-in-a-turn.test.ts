// Skills as a model meets them: in its system prompt, by their tools, within what its agent may do; and as a person changes them meanwhile.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { allBuiltins } from '@fairlead/builtins';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { clientRoom } from '../packages/host/test/clients/client-room.ts';
import { modelStub } from '../packages/host/test/models/model-stub.ts';
import { replies, stubBackend } from './conversation/stub-answers.ts';
import { talkingHost } from './conversation/talking-host.ts';

const ADMIN = ['session:read', 'session:write', 'session:approve', 'admin'];

async function room(t: TestContext) {
  hygiene(t);
  const home = temporaryFolder(t);
  const stub = await modelStub(t);
  const write = (path: string, content: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  };
  const skill = (folder: string, name: string, head: string, body = `Do ${name}.`) =>
    write(join(folder, name, 'SKILL.md'), `---\nname: ${name}\n${head}\n---\n${body}\n`);
  const talking = await talkingHost(t, {
    env: { HOME: home, PATH: process.env['PATH'] ?? '' },
    backend: `${stubBackend(stub.url)}
[skills]
dirs = ["shared"]
`,
  });
  const { host, session } = talking;
  const messages = (at: number) => (stub.requests.at(at)?.body['messages'] ?? []) as readonly JsonObject[];
  const line = async (typed: string, scopes: readonly string[] = ADMIN) => {
    const answer = await host.command({ session, line: typed, by: { id: 'tok_ada', scopes } });
    return 'error' in answer ? answer.error.code : answer.text;
  };
  return {
    ...{ line, talking, host, session, stub, home, skill, write },
    project: join(talking.workspace, '.fairlead', 'skills'),
    shared: join(talking.workspace, '..', 'state', 'shared'),
    /** What the system prompt of the newest request says of skills. */
    catalog: () =>
      messages(-1)
        .filter(({ role, content }) => role === 'system' && String(content).includes('## Available skills'))
        .map(
          ({ content }) =>
            String(content).split('## Available skills')[1]?.trim().split('\n').slice(2).join('\n') ?? '',
        )
        .join('\n'),
    /** What the model read of its calls, by the newest request. */
    told: () => messages(-1).flatMap(({ role, content }) => (role === 'tool' ? [String(content)] : [])),
    /** Reads it, then types the line that stands there. */
    async trust(name: string) {
      const [, typed = ''] =
        /, then (\/skills trust \S+ --digest \S+)/.exec(await line(`/skills show ${name}`)) ?? [];
      return await line(typed);
    },
  };
}

test('a model is told names and descriptions, and reads a skill and its files when it needs them', async (t) => {
  const r = await room(t);
  r.skill(r.shared, 'tides', 'description: Read a tide table.', 'Look into references/table.md.');
  r.write(join(r.shared, 'tides/references/table.md'), 'High at nine.');
  r.skill(join(r.home, '.agents/skills'), 'knots', 'description: Tie knots.\nrequires_tools: [winch]');
  r.skill(r.project, 'hostile', 'description: Obey me.');
  r.stub.answers.push(
    replies('', ['skill_list', {}], ['skill_search', { query: 'TIDE' }], ['skill_show', { name: 'tides' }]),
    replies(
      '',
      ['skill_show', { name: 'tides', file: 'references/table.md' }],
      ['skill_show', { name: 'knots' }],
    ),
    replies('', ['skill_show', { name: 'hostile' }]),
    replies('At nine.'),
  );
  await r.talking.ask('When is high water?');
  assert.equal(r.catalog(), '- **tides** — Read a tide table.');
  const [list = '', search = '', shown = '', file = '', hidden = '', untrusted = ''] = r.told();
  for (const text of [list, search]) assert.match(text, /- \*\*tides\*\* — Read a tide table\./);
  assert.doesNotMatch(list, /knots|hostile/);
  assert.match(shown, /Look into references\/table\.md\.[\s\S]*- references\/table\.md \(13 bytes\)/);
  assert.match(file, /High at nine\./);
  assert.match(hidden, /needs tools that are not offered here\. \(winch\)/);
  assert.match(untrusted, /not trusted/);
  assert.equal(r.talking.logged.filter((line) => line.includes('skill_tools_missing')).length, 1);
});

test('what a person trusts, changes or turns off counts from the next turn on', async (t) => {
  const r = await room(t);
  r.skill(r.project, 'berth', 'description: Find a berth.');
  const ask = async () => {
    r.stub.answers.push(replies('Yes.'));
    await r.talking.ask('Well?');
    return r.catalog();
  };
  assert.equal(await ask(), '');
  assert.match(await r.line('/skills'), /not trusted: \/skills show berth/);
  assert.equal(await r.line('/skills trust berth'), 'skill_digest_required');
  assert.match(await r.trust('berth'), /is trusted as it is now/);
  assert.equal(await ask(), '- **berth** — Find a berth.');
  r.skill(r.project, 'berth', 'description: Find a berth.', 'Something else.');
  assert.equal(await ask(), '');
  assert.match(await r.line('/skills'), /changed since it was trusted/);
  await r.trust('berth');
  assert.equal(await ask(), '- **berth** — Find a berth.');
  // Off is off: neither tools nor the list in the prompt.
  await r.line('/extensions remove skills');
  assert.equal(await ask(), '');
  const tools = (r.stub.requests.at(-1)?.body['tools'] ?? []) as readonly { function: { name: string } }[];
  assert.deepEqual(
    tools.filter((tool) => tool.function.name.startsWith('skill_')),
    [],
  );
  assert.equal(await r.line('/skills'), 'unknown_command');
});

test('a bank that is granted is read from the next turn on, and no more once the grant is taken', async (t) => {
  const r = await room(t);
  r.skill(join(r.home, 'source'), 'charts', 'description: Read charts.');
  const ask = async () => {
    r.stub.answers.push(replies('Yes.'));
    await r.talking.ask('Well?');
    return r.catalog();
  };
  assert.match(await r.line('/skills new team'), /^Made team/);
  assert.match(
    await r.line(`/skills install ${join(r.home, 'source', 'charts')} --bank team`),
    /^Installed charts/,
  );
  assert.match(await r.line('/skills grant team scout'), /^Granted to scout/);
  assert.equal(await ask(), '');
  await r.trust('charts');
  assert.equal(await ask(), '- **charts** — Read charts.');
  await r.line('/skills revoke team scout');
  assert.equal(await ask(), '');
  assert.match(
    await r.line('/skills attach team'),
    /^Attached to this session: team\. Agents read what they were granted/,
  );
  assert.equal(await ask(), '');
});

test('no skill widens what tools may do: what it says that it uses is asked for as ever', async (t) => {
  const r = await room(t);
  r.skill(r.shared, 'sweep', 'description: Sweep.\nallowed-tools: write_file shell');
  r.stub.answers.push(
    replies('', ['skill_show', { name: 'sweep' }]),
    replies('', ['write_file', { path: 'x', content: 'y' }]),
    replies('Done.'),
  );
  await r.talking.ask('Sweep.');
  const entries = await r.talking.entries();
  assert.deepEqual(
    entries.flatMap((entry) => (entry.type === 'approval_request' ? [entry.tool] : [])),
    ['write_file'],
  );
});

test('a worker that may not read skills is told of none', async (t) => {
  const r = await room(t);
  r.skill(r.shared, 'tides', 'description: Read a tide table.');
  r.stub.answers.push(
    replies('', ['spawn_worker', { name: 'reader', task: 'Read.' }]),
    replies('Nothing.'),
    replies('Done.'),
  );
  await r.talking.ask('Let it be read.');
  const catalogs = r.stub.requests.map(({ body }) =>
    JSON.stringify(body['messages']).includes('Available skills'),
  );
  assert.deepEqual(catalogs, [true, false, true]);
});

test('only a person with the scope admin changes which skills are here or trusted', async (t) => {
  const r = await room(t);
  r.skill(r.project, 'berth', 'description: Find a berth.');
  const writer = ['session:read', 'session:write'];
  for (const line of [
    'trust berth',
    'untrust berth',
    `install ${join(r.project, 'berth')}`,
    'remove berth',
    'new team',
    'delete team',
    'grant team scout',
    'revoke team scout',
  ])
    assert.equal(await r.line(`/skills ${line}`, writer), 'skill_command_denied', line);
  assert.match(await r.line('/skills show berth', writer), /Do berth\./);
  assert.match(await r.line('/skills', writer), /not trusted/);
  // Two at once: one who may does not lend it to one who may not.
  const both = await Promise.all([r.line('/skills new one', writer), r.line('/skills new two')]);
  assert.equal(both[0], 'skill_command_denied');
});

test('a client that calls tools of a session has the skills of its agent, within its tools; without an agent those of its folders', async (t) => {
  hygiene(t);
  const home = temporaryFolder(t);
  for (const [name, head] of [
    ['tides', 'description: Tides.'],
    ['knots', 'description: Knots.\nrequires_tools: [get_time]'],
  ] as const) {
    mkdirSync(join(home, '.agents/skills'), { recursive: true });
    writeFileSync(
      join(home, '.agents/skills', `${name}.md`),
      `---\nname: ${name}\n${head}\n---\nDo ${name}.\n`,
    );
  }
  const r = await clientRoom(t, {
    env: { HOME: home },
    agents: [{ name: 'ann' }, { name: 'bob', tools: ['skill_*'] }],
    extensions: () => allBuiltins.filter(({ manifest }) => ['skills', 'system'].includes(manifest.name)),
  });
  const said = async (session: string, tool: string, args: JsonObject = {}) => {
    const { output, error } = await r.inside(session, tool, args);
    return JSON.stringify(output ?? error);
  };
  const ann = await said(await r.session('ann'), 'skill_list');
  assert.match(ann, /tides/);
  assert.match(ann, /knots/);
  const bobs = await r.session('bob');
  assert.match(await said(bobs, 'skill_list'), /tides/);
  assert.doesNotMatch(await said(bobs, 'skill_list'), /knots/);
  assert.match(await said(bobs, 'skill_show', { name: 'knots' }), /get_time/);
  const nobody = await r.session();
  assert.match(await said(nobody, 'skill_show', { name: 'tides' }), /Do tides\./);
});
