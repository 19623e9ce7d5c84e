import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { FairleadError } from '@fairlead/base';
import { readOptOuts } from '@fairlead/hub';
import type { Database } from '@fairlead/store';
import { hygiene } from '@fairlead/testing';
import { parse } from 'smol-toml';
import { Agents } from '../../src/agents/agents.ts';
import { readAgentConfig } from '../../src/agents/read-agent-config.ts';
import { readAgents } from '../../src/agents/read-agents.ts';
import { type SeedOptions, seedAgents } from '../../src/agents/seed-agents.ts';
import { copyTo, type HostFloor, hostFloor } from '../host-floor.ts';

const isModel = (ref: string) => ref === 'local/m';

function tablesOf(source: string) {
  const reading = readAgents(parse(source));
  assert.ok(reading.ok, JSON.stringify(reading));
  return reading.value;
}

function seeding(floor: HostFloor, agents: Agents) {
  const files = new Map<string, string>();
  const seed = (source: string, over: Partial<SeedOptions> = {}) =>
    seedAgents({
      ...{ ...floor, agents, tables: tablesOf(source), hasBackend: true },
      readPromptFile: async (path) => {
        const text = files.get(path);
        if (text === undefined) throw new Error('absent');
        return text;
      },
      ...over,
    });
  return { seed, files };
}

async function setUp(t: Parameters<typeof hygiene>[0] & { after(hook: () => unknown): void }) {
  hygiene(t);
  const floor = await hostFloor(t);
  const agents = new Agents({ ...floor, isModel });
  return { ...floor, floor, agents, ...seeding(floor, agents) };
}

const SCOUT = `[[agents]]
name = "Scout"
model = "local/m"
system_prompt = "Look\\naround."
tools = ["fs_*", "shell"]
max_iterations = 9
tool_profile = { default = "brief", shell = "full" }
runners = []
grants = { fs = { read = ["/data"] } }
tool_grants.shell = { shell = { allow = ["git log"] } }
extensions_off = ["system"]
[[agents.workers]]
name = "reader"
tools = []
`;

test('a table of the file is an agent with its own database, at home here', async (t) => {
  const { seed, agents, peer } = await setUp(t);
  const [seeded] = await seed(SCOUT);
  assert.equal(seeded?.created, true);
  const agent = await agents.resolve('scout');
  assert.deepEqual(agent, { id: seeded.agent, name: 'Scout', home: peer.peerId, isHome: true });
  assert.deepEqual(await agents.directory.resolve('SCOUT'), { id: agent.id, name: 'Scout' });
  assert.deepEqual(await agents.config(agent.id), {
    config: {
      ...{ model: 'local/m', systemPrompt: 'Look\naround.', promptFiles: [], tools: ['fs_*', 'shell'] },
      ...{ maxIterations: 9, maxDepth: 3, runners: [], grants: { fs: { read: ['/data'] } } },
      toolProfile: new Map([
        ['default', 'brief'],
        ['shell', 'full'],
      ]),
      toolGrants: new Map([['shell', { shell: { allow: [['git', 'log']] } }]]),
      ...{ memoryBanks: [], skillBanks: [], workers: [{ name: 'reader', tools: [] }] },
    },
    problems: [],
  });
  assert.deepEqual([...(await readOptOuts(await agents.open(agent.id)))], ['system']);
});

test('seeding again writes nothing, and an edit made since stands until the file itself changes', async (t) => {
  const { seed, agents } = await setUp(t);
  const [first] = await seed(SCOUT);
  const id = first?.agent ?? '';
  const [again] = await seed(SCOUT);
  assert.deepEqual(again, { agent: id, name: 'Scout', created: false, written: [], unread: [] });
  const database = await agents.open(id);
  await database.doc('config').set(['max_iterations'], 20);
  await seed(SCOUT.replace('"local/m"', '"local/other"'));
  assert.equal((await agents.config(id)).config.maxIterations, 20);
  assert.deepEqual((await agents.config(id)).problems, [
    { field: 'model', problem: 'is no model of this peer' },
  ]);
  const [changed] = await seed(SCOUT.replace('max_iterations = 9', 'max_iterations = 11'));
  assert.deepEqual(changed?.written, ['model', 'max_iterations']);
  assert.equal((await agents.config(id)).config.maxIterations, 11);
});

test('a field that was taken out of the file goes back to its default, and an extension comes back', async (t) => {
  const { seed, agents } = await setUp(t);
  const [first] = await seed(SCOUT);
  const [second] = await seed('[[agents]]\nname = "Scout"\nextensions_off = ["core"]\n');
  assert.equal(second?.agent, first?.agent);
  const { config } = await agents.config(second?.agent ?? '');
  assert.equal(config.tools, undefined);
  assert.equal(config.maxIterations, 50);
  assert.deepEqual([...(await readOptOuts(await agents.open(second?.agent ?? '')))], ['core']);
});

test('a renamed agent keeps its table, and one that was dropped is made anew', async (t) => {
  const { seed, agents, peer } = await setUp(t);
  const [first] = await seed(SCOUT);
  const id = first?.agent ?? '';
  await (await agents.open(id)).doc('meta').set(['name'], 'Ranger');
  const [again] = await seed(SCOUT);
  assert.equal(again?.agent, id);
  assert.equal((await agents.resolve('ranger')).id, id);
  await peer.drop(id);
  agents.forget(id);
  const [anew] = await seed(SCOUT);
  assert.equal(anew?.created, true);
  assert.notEqual(anew?.agent, id);
});

test('a table writes nothing any more to an agent that moved to another peer', async (t) => {
  const { seed, agents } = await setUp(t);
  const [first] = await seed(SCOUT);
  await (await agents.open(first?.agent ?? '')).doc('meta').set(['home'], 'another');
  const [again] = await seed(SCOUT.replace('max_iterations = 9', 'max_iterations = 11'));
  assert.deepEqual([again?.agent, again?.written], [first?.agent, []]);
});

test('an agent that was made by hand is taken over by a table of its name', async (t) => {
  const { seed, agents } = await setUp(t);
  const made = await agents.create('scout');
  const [seeded] = await seed(SCOUT);
  assert.equal(seeded?.agent, made.id);
  await assert.rejects(agents.create('SCOUT'), { code: 'session_invalid' });
  await assert.rejects(agents.create('agt_x'), { code: 'session_invalid' });
});

test('without a table there is one agent where a back end could answer, and none without', async (t) => {
  const { seed, agents } = await setUp(t);
  assert.deepEqual(await seed('', { hasBackend: false }), []);
  await seed('');
  assert.deepEqual(
    (await agents.list()).map(({ name }) => name),
    ['fairlead'],
  );
});

test('a prompt file is stored as text with its digest, and one that is gone leaves what was read', async (t) => {
  const { seed, files, agents } = await setUp(t);
  const source = '[[agents]]\nname = "scout"\nsystem_prompt_files = ["/home/me/scout.md"]\n';
  files.set('/home/me/scout.md', 'Be brief.');
  const [first] = await seed(source);
  const prompt = async () => (await agents.config(first?.agent ?? '')).config.promptFiles;
  assert.deepEqual(await prompt(), [
    {
      name: 'scout.md',
      text: 'Be brief.',
      digest: createHash('sha256').update('Be brief.').digest('base64url'),
    },
  ]);
  files.clear();
  const [second] = await seed(source);
  assert.deepEqual(second?.unread, ['/home/me/scout.md']);
  assert.equal((await prompt())[0]?.text, 'Be brief.');
});

test('the file is refused with the place of what cannot be used, and never with the value', () => {
  const faults: readonly [string, readonly (string | number)[]][] = [
    ['[[agents]]\n', ['agents', 0, 'name']],
    ['[[agents]]\nname = "a."\n', ['agents', 0, 'name']],
    ['[[agents]]\nname = "a"\ntoolz = []\n', ['agents', 0, 'toolz']],
    ['[[agents]]\nname = "a"\n[[agents]]\nname = "A"\n', ['agents', 1, 'name']],
    ['[[agents]]\nname = "a"\ntools = ["x y"]\n', ['agents', 0, 'tools']],
    ['[[agents]]\nname = "a"\ntool_profile = "some"\n', ['agents', 0, 'tool_profile']],
    ['[[agents]]\nname = "a"\ntool_profile = { "x y" = "full" }\n', ['agents', 0, 'tool_profile', 'x y']],
    ['[[agents]]\nname = "a"\ngrants.fs.red = []\n', ['agents', 0, 'grants', 'fs', 'red']],
    ['[[agents]]\nname = "a"\nsystem_prompt_files = [""]\n', ['agents', 0, 'system_prompt_files']],
    [
      '[[agents]]\nname = "a"\n[[agents.workers]]\nname="w"\n[[agents.workers]]\nname="W"\n',
      ['agents', 0, 'workers'],
    ],
    ['agents = 1\n', ['agents']],
  ];
  for (const [source, at] of faults) {
    const reading = readAgents(parse(source));
    assert.deepEqual(reading.ok ? null : reading.at, at, source);
  }
});

test('a group names agents, and one that there is not is noticed', () => {
  const reading = readAgents(parse('[agent_groups]\nall = ["a", "b"]\n[[agents]]\nname = "A"\n'));
  assert.ok(reading.ok);
  assert.deepEqual([...reading.value.groups], [['all', ['a', 'b']]]);
  assert.deepEqual(
    reading.notices.map(({ at }) => at),
    [['agent_groups', 'all']],
  );
});

test('what another peer wrote into an agent narrows it or has no effect', () => {
  const closed = {
    shell: { allow: [] },
    network: { endpoints: [], allowPrivate: false },
    fs: { read: [], write: [] },
  };
  const read = (document: Parameters<typeof readAgentConfig>[0]) => readAgentConfig(document, isModel);
  assert.deepEqual(read({ tools: 'all' }).config.tools, []);
  assert.deepEqual(read({ runners: [5] }).config.runners, []);
  assert.deepEqual(read({ grants: { fz: {} } }).config.grants, closed);
  assert.deepEqual(read({ tool_grants: 'x' }).config.grants, closed);
  assert.equal(read({ max_depth: 99 }).config.maxDepth, 0);
  assert.equal(read({ max_iterations: 1e9 }).config.maxIterations, 50);
  assert.equal(read({ model: 'evil/m' }).config.model, undefined);
  assert.deepEqual(read({ workers: [{ name: 'w', model: 'evil/m' }] }).config.workers, [{ name: 'w' }]);
  const files = [
    { name: 'a', text: 'x', digest: 'd' },
    'no',
    { name: 1 },
    { name: 'b', text: 'x'.repeat(65_537), digest: '' },
  ];
  assert.deepEqual(read({ system_prompt_files: files }).config.promptFiles, [
    { name: 'a', text: 'x', digest: 'd' },
  ]);
  assert.deepEqual(
    read({ tools: 'all', max_depth: 99 }).problems.map(({ field }) => field),
    ['tools', 'max_depth'],
  );
});

test('an agent is at home where its database says, else where it was made, and elsewhere it wakes nobody', async (t) => {
  const { peer, agents } = await setUp(t);
  const there = await hostFloor(t, { seed: 2 });
  const others = new Agents({ ...there, isModel });
  const agent = await agents.create('scout');
  const database = await agents.open(agent.id);
  await database.access.grant(there.peer.peerId, 'admin');
  await copyTo(there, database);
  assert.deepEqual(await others.find(agent.id), { ...agent, isHome: false });
  assert.equal(await others.isHome(agent.id), false);
  assert.equal(await others.directory.resolve('scout'), null);
  await (await others.open(agent.id)).doc('meta').clear(['home']);
  assert.equal((await others.find(agent.id))?.home, peer.peerId);
  await (await others.open(agent.id)).doc('meta').set(['home'], there.peer.peerId);
  assert.equal(await others.isHome(agent.id), true);
});

test('of several agents with one name the one at home here is meant, and otherwise nobody is', async (t) => {
  const { agents, peer } = await setUp(t);
  const mine = await agents.create('scout');
  const meta = (name: string, home: string) => (tx: { patch(doc: string, part: object): void }) =>
    tx.patch('meta', { name, home });
  await peer.create('agent', meta('Scout', 'another'));
  assert.equal((await agents.resolve('Scout')).id, mine.id);
  await peer.create('agent', meta('SCOUT', peer.peerId));
  assert.equal((await agents.resolve('scout')).id, mine.id);
  await assert.rejects(agents.resolve('sCOUT'), { code: 'agent_ambiguous' });
  assert.equal(await agents.directory.resolve('scout'), null);
  await assert.rejects(agents.resolve('nobody'), { code: 'agent_unknown' });
  await assert.rejects(agents.resolve(`agt_${'x'.repeat(43)}`), { code: 'agent_unknown' });
  await assert.rejects(agents.directory.open('ses_1'), { code: 'database_not_found' });
  const nameless = await peer.create('agent');
  assert.equal(await agents.find(nameless.root), undefined);
});

test('an agent that cannot be read leaves no handle behind, and is read when it is asked for again', async (t) => {
  const { floor, agents } = await setUp(t);
  const { id } = await agents.create('ann');
  const later = new Agents({ ...floor, isModel });
  const opened: Database[] = [];
  const open = floor.peer.open.bind(floor.peer);
  t.mock.method(floor.peer, 'open', async (root: string) => {
    const database = await open(root);
    if (opened.length === 0)
      database.since = () => Promise.reject(new FairleadError('store_io_failed', 'Gone.'));
    opened.push(database);
    return database;
  });
  await assert.rejects(later.open(id), { code: 'store_io_failed' });
  assert.throws(() => opened[0]?.changes('meta'), { code: 'database_released' });
  assert.equal((await later.open(id)).root, id);
});
