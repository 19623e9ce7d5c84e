import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isJsonObject, type JsonObject } from '@fairlead/base';
import { hygiene } from '@fairlead/testing';
import { Agents } from '../../src/agents/agents.ts';
import { Banks } from '../../src/banks/banks.ts';
import { seedBanks } from '../../src/banks/seed-banks.ts';
import { copyTo, hostFloor } from '../host-floor.ts';
import { skillsRoom, skillText } from './skills-room.ts';

const TOOLS = new Set(['shell', 'skill_show']);

/** A skill as a bank keeps it. */
function record(name: string, over: JsonObject = {}): JsonObject {
  return {
    name,
    description: `About ${name}.`,
    body: `Do ${name}.`,
    files: [],
    tags: [],
    requires_tools: [],
    at: 0,
    ...over,
  };
}

test('the first directory wins: project, user, installed, agent, granted banks, session banks', async (t) => {
  hygiene(t);
  const r = await skillsRoom(t);
  const { banks, ann, skills, place } = r;
  const [team, extra] = [await banks.create('team'), await banks.create('extra')];
  await banks.grant('team', ann, 'read');
  await banks.grant('extra', ann, 'read');
  // As where another peer granted it: the agent's home points to nothing.
  await (await r.agents.open(ann)).doc('skill_banks').clear([extra.id]);
  const places = [
    'work/.fairlead/skills/a/SKILL.md',
    'work/.agents/skills/a/SKILL.md',
    'shared/a/SKILL.md',
    'home/.config/fairlead/skills/a/SKILL.md',
    'home/.agents/skills/a/SKILL.md',
    'state/skills/a/SKILL.md',
  ];
  for (const path of places) r.write(path, skillText('a', `description: ${path}`));
  await (await r.agents.open(ann)).latest('skills').put('a', record('a'));
  await (await banks.database(team.id)).latest('skills').put('a', record('a', { description: 'team' }));
  await (await banks.database(extra.id)).latest('skills').put('a', record('a', { description: 'extra' }));
  const here = { ...place, attached: [extra.id, team.id, extra.id, 'skl_none'] };
  assert.deepEqual(await r.states(here), [
    'a untrusted project',
    'a untrusted project',
    'a offered user',
    'a shadowed user',
    'a shadowed user',
    'a shadowed installed',
    'a shadowed agent',
    'a shadowed bank',
    'a shadowed session_bank',
  ]);
  // One after the other: what is trusted first in order has the name.
  const shown: string[] = [];
  for (let at = 0; at < 9; at += 1) {
    for (const { name, state, digest } of (await skills.here(here, TOOLS)).skills)
      if (state === 'untrusted' || state === 'changed') await skills.trust(here, name, digest);
    const [offered] = await skills.offered(here, TOOLS);
    shown.push(offered?.description ?? 'none');
    const gone = places[at];
    if (gone !== undefined) rmSync(join(r.floor.folder, gone, '..'), { recursive: true });
    else if (at === 6) await (await r.agents.open(ann)).latest('skills').put('a', null);
    else await (await banks.database(at === 7 ? team.id : extra.id)).latest('skills').put('a', null);
  }
  assert.deepEqual(shown, [...places, 'About a.', 'team', 'extra']);
  assert.deepEqual(await skills.offered(here, TOOLS), []);
});

test('an untrusted skill takes no name from a trusted one, and is shown to no model', async (t) => {
  const r = await skillsRoom(t);
  r.write('work/.fairlead/skills/a/SKILL.md', skillText('a', 'description: hostile'));
  r.write('work/.agents/skills/b.md', skillText('b'));
  r.write('home/.agents/skills/a/SKILL.md', skillText('a', 'description: mine'));
  assert.deepEqual(
    (await r.skills.offered(r.place, TOOLS)).map(({ description }) => description),
    ['mine'],
  );
  assert.equal((await r.skills.show(r.place, TOOLS, 'a')).skill.description, 'mine');
  await assert.rejects(r.skills.show(r.place, TOOLS, 'b'), { code: 'skill_untrusted' });
  assert.equal((await r.skills.read(r.place, TOOLS, 'b')).text, 'Do b.');
  // What waits for trust is what a person reads and trusts.
  assert.equal((await r.skills.read(r.place, TOOLS, 'a')).skill.description, 'hostile');
});

test('trust is of a digest: a change takes it away, and the old text has it back', async (t) => {
  const r = await skillsRoom(t);
  const path = 'work/.fairlead/skills/a/SKILL.md';
  r.write(path, skillText('a'));
  r.write('work/.fairlead/skills/a/run.sh', 'echo');
  const { digest } = await r.trust('a');
  assert.deepEqual(await r.states(), ['a offered project']);
  r.write('work/.fairlead/skills/a/run.sh', 'rm -r /');
  assert.deepEqual(await r.states(), ['a changed project']);
  await assert.rejects(r.skills.show(r.place, TOOLS, 'a'), { code: 'skill_untrusted' });
  r.write('work/.fairlead/skills/a/run.sh', 'echo');
  assert.deepEqual(await r.states(), ['a offered project']);
  await r.skills.untrust('a');
  assert.deepEqual(await r.states(), ['a untrusted project']);
  await assert.rejects(r.skills.trust(r.place, 'a', 'AAAAAAAAAAAA'), { code: 'skill_changed' });
  await r.skills.trust(r.place, 'a', digest.slice(0, 12));
  assert.deepEqual(await r.states(), ['a offered project']);
  await assert.rejects(r.skills.trust(r.place, 'none', undefined), { code: 'skill_unknown' });
});

test('what was changed between reading and trusting is not trusted: the digest of what was read is needed', async (t) => {
  const r = await skillsRoom(t);
  const path = 'work/.fairlead/skills/a/SKILL.md';
  r.write(path, skillText('a'));
  const { skill } = await r.skills.read(r.place, TOOLS, 'a');
  r.write(path, skillText('a', 'description: hostile'));
  for (const digest of [undefined, '', skill.digest.slice(0, 11)])
    await assert.rejects(r.skills.trust(r.place, 'a', digest), { code: 'skill_digest_required' });
  await assert.rejects(r.skills.trust(r.place, 'a', skill.digest), { code: 'skill_changed' });
  assert.deepEqual(await r.states(), ['a untrusted project']);
  r.write(path, skillText('a'));
  await r.skills.trust(r.place, 'a', skill.digest);
  assert.deepEqual(await r.states(), ['a offered project']);
});

test('trust is of a name too: the same text under another name has none', async (t) => {
  const r = await skillsRoom(t);
  r.write('work/.fairlead/skills/a.md', skillText('a'));
  const { digest } = await r.trust('a');
  await r.floor.store.write([{ sql: 'UPDATE skill_pins SET name = ?', parameters: ['b'] }]);
  assert.equal((await r.skills.here(r.place, TOOLS)).skills[0]?.digest, digest);
  assert.deepEqual(await r.states(), ['a untrusted project']);
});

test('a person’s own folder that stands in the workspace is trusted as the project is: its agents may write there', async (t) => {
  const r = await skillsRoom(t, { dirs: ['work/mine', './work/.agents/skills'] });
  r.write('work/mine/a.md', skillText('a'));
  r.write('work/.agents/skills/b.md', skillText('b'));
  assert.deepEqual(await r.states(), ['b untrusted project', 'a untrusted user']);
});

test('a skill of a person’s own that is a link into the workspace is trusted as the project is', async (t) => {
  const r = await skillsRoom(t);
  r.write('work/drafts/a/SKILL.md', skillText('a'));
  r.write('other/b/SKILL.md', skillText('b'));
  mkdirSync(join(r.home, '.agents', 'skills'), { recursive: true });
  symlinkSync(join(r.workspace, 'drafts', 'a'), join(r.home, '.agents', 'skills', 'a'));
  symlinkSync(join(r.floor.folder, 'other', 'b'), join(r.home, '.agents', 'skills', 'b'));
  assert.deepEqual(await r.states(), ['a untrusted user', 'b offered user']);
});

test('whoever reads a skill before trusting it sees what a model would: nothing in it is unseen', async (t) => {
  const r = await skillsRoom(t);
  const hidden = String.fromCodePoint(0xe0041);
  r.write(
    'work/.agents/skills/a.md',
    skillText('a', `description: "x${hidden}\\u200b\\u202ey"`, `Do.\u001b[8m${hidden}\u200b`),
  );
  const { skill, text } = await r.skills.read(r.place, TOOLS, 'a');
  assert.equal(text, 'Do.\\u001b[8m\\udb40\\udc41\\u200b');
  assert.equal(skill.description, 'x y');
});

test('a project’s folder of skills that leads out of the workspace is not read', async (t) => {
  const r = await skillsRoom(t);
  r.write('elsewhere/a.md', skillText('a'));
  mkdirSync(join(r.workspace, '.fairlead'));
  symlinkSync(join(r.floor.folder, 'elsewhere'), join(r.workspace, '.fairlead', 'skills'));
  assert.deepEqual(await r.states(), []);
  assert.deepEqual(await r.refused(), [
    ': it is a link that leads out of the workspace, so nothing in it is read',
  ]);
});

test('gate on all four surfaces: without its tools a skill is neither listed, found, catalogued nor shown', async (t) => {
  const r = await skillsRoom(t);
  r.write('home/.agents/skills/a.md', skillText('a', 'requires_tools: [shell, web_fetch]'));
  r.write('home/.agents/skills/b.md', skillText('b', 'requires_tools: [shell]'));
  // List, search and catalog are made of `offered`.
  const offered = async (tools: ReadonlySet<string>) =>
    (await r.skills.offered(r.place, tools)).map(({ name }) => name);
  assert.deepEqual(await offered(TOOLS), ['b']);
  await assert.rejects(r.skills.show(r.place, TOOLS, 'a'), {
    code: 'skill_tools_missing',
    message: /\(web_fetch\)/,
  });
  assert.deepEqual(await offered(new Set()), []);
  assert.deepEqual(await offered(new Set([...TOOLS, 'web_fetch'])), ['a', 'b']);
  assert.deepEqual(await r.states(r.place, [...TOOLS]), ['a hidden user', 'b offered user']);
});

test('warn once for each skill and set of missing tools', async (t) => {
  const r = await skillsRoom(t);
  r.write('home/.agents/skills/a.md', skillText('a', 'requires_tools: [shell, web_fetch]'));
  for (let at = 0; at < 3; at += 1) await r.skills.offered(r.place, TOOLS);
  await assert.rejects(r.skills.show(r.place, TOOLS, 'a'));
  assert.deepEqual(r.warnings, ['The skill a is hidden: web_fetch is not offered.']);
  for (let at = 0; at < 3; at += 1) await r.skills.offered(r.place, new Set());
  assert.deepEqual(r.warnings.slice(1), ['The skill a is hidden: shell, web_fetch is not offered.']);
});

test('a bank’s skill keeps its requires_tools, and is gated as any other', async (t) => {
  const r = await skillsRoom(t);
  const { id } = await r.banks.create('team');
  await r.banks.grant('team', r.ann, 'read');
  await (await r.banks.database(id))
    .latest('skills')
    .put('a', record('a', { requires_tools: ['web_fetch'] }));
  await r.trust('a');
  assert.deepEqual(await r.states(r.place, [...TOOLS]), ['a hidden bank']);
});

test('a grant that ended, or a bank that was taken off the list, counts at the next look', async (t) => {
  const r = await skillsRoom(t);
  const { id } = await r.banks.create('team');
  await (await r.banks.database(id)).latest('skills').put('a', record('a'));
  assert.deepEqual(await r.states({ ...r.place, attached: [id] }), []);
  await r.banks.grant('team', r.ann, 'read');
  assert.deepEqual(await r.states(), ['a untrusted bank']);
  assert.deepEqual(await r.states({ session: 'ses_1', attached: [id] }), []);
  await r.banks.revoke('team', r.ann);
  assert.deepEqual(await r.states({ ...r.place, attached: [id] }), []);
  await r.banks.grant('team', r.ann, 'write');
  await r.banks.remove('team');
  assert.deepEqual(await r.states(), []);
});

test('a bank of another peer is read within its grants, and no more once what takes them away has arrived', async (t) => {
  const r = await skillsRoom(t);
  const far = await hostFloor(t, { seed: 2 });
  const farAgents = new Agents({ peer: far.peer, clock: far.clock, isModel: () => true });
  const theirs = new Banks({
    kind: 'skill_bank',
    agents: farAgents,
    peer: far.peer,
    store: far.store,
    clock: far.clock,
  });
  const { id } = await theirs.create('team');
  const bank = await theirs.database(id);
  await bank.access.grant(r.floor.peer.peerId, 'read');
  await bank.latest('skills').put('a', record('a'));
  await theirs.grant(id, r.ann, 'write');
  const place = { ...r.place, attached: [id] };
  assert.deepEqual(await r.states(place), []);
  await copyTo(r.floor, bank);
  // Pointed to by nobody here: it counts where it is attached.
  assert.deepEqual(await r.states(), []);
  assert.deepEqual(await r.states(place), ['a untrusted session_bank']);
  await r.trust('a', place);
  assert.deepEqual(await r.states(place), ['a offered session_bank']);
  await bank.latest('skills').put('a', record('a', { body: 'Something else.' }));
  await copyTo(r.floor, bank);
  assert.deepEqual(await r.states(place), ['a changed session_bank']);
  await theirs.revoke(id, r.ann);
  assert.deepEqual(await r.states(place), ['a changed session_bank']);
  await copyTo(r.floor, bank);
  assert.deepEqual(await r.states(place), []);
  await theirs.grant(id, r.ann, 'read');
  await copyTo(r.floor, bank);
  assert.deepEqual(await r.states(place), ['a changed session_bank']);
  await bank.access.revoke(r.floor.peer.peerId);
  await copyTo(r.floor, bank);
  assert.deepEqual(await r.states(place), []);
});

test('skill_banks of fairlead.toml are applied: made, granted and read', async (t) => {
  const r = await skillsRoom(t);
  const tables = {
    agents: [
      {
        name: 'ann',
        fields: { skill_banks: ['team', 'no name'] },
        promptFiles: [],
        extensionsOff: undefined,
      },
    ],
    groups: new Map(),
  };
  assert.deepEqual(await seedBanks(r.banks, r.agents, { tables, field: 'skill_banks' }), ['no name']);
  const { id } = await r.banks.find('team');
  await (await r.banks.database(id)).latest('skills').put('a', record('a'));
  assert.deepEqual(await r.states(), ['a untrusted bank']);
});

test('a bank that the agent’s configuration names is read as a granted one, where it was granted', async (t) => {
  const r = await skillsRoom(t);
  const { id } = await r.banks.create('team');
  const agent = await r.agents.open(r.ann);
  await agent.doc('config').set(['skill_banks'], ['Team']);
  await (await r.banks.database(id)).latest('skills').put('a', record('a'));
  assert.deepEqual(await r.states(), []);
  await r.banks.grant('team', r.ann, 'read');
  await agent.doc('skill_banks').clear([id]);
  assert.deepEqual(await r.states(), ['a untrusted bank']);
});

test('what this peer wrote into its agent is trusted; what another peer wrote there is not', async (t) => {
  const r = await skillsRoom(t);
  const agent = await r.agents.open(r.ann);
  await agent.latest('skills').put('own', record('own'));
  const other = await hostFloor(t, { seed: 2 });
  await agent.access.grant(other.peer.peerId, 'write');
  const copy = await copyTo(other, agent);
  await copy.latest('skills').put('foreign', record('foreign'));
  await copyTo(r.floor, copy);
  assert.deepEqual(await r.states(), ['foreign untrusted agent', 'own offered agent']);
});

test('a record that is none is told with its reason, and hides no other', async (t) => {
  const r = await skillsRoom(t);
  const table = (await r.agents.open(r.ann)).latest('skills');
  const odd: readonly (readonly [string, JsonObject | string])[] = [
    ['a-text', 'x'],
    ['b-name', record('other')],
    ['c-files', record('c-files', { files: [{ path: '../x', text: '' }] })],
    ['d-files', record('d-files', { files: [{ path: 'a//b', text: '' }] })],
    ['e-files', record('e-files', { files: {} })],
    ['f-files', record('f-files', { files: [3] })],
    ['g-body', record('g-body', { body: 3 })],
    ['h-tools', record('h-tools', { requires_tools: [3] })],
    ['i-long', record('i-long', { body: 'x'.repeat(65_536) })],
    ['J', record('J')],
    ['k', record('k', { files: [{ path: 'x/y.md', text: 'ä' }] })],
  ];
  for (const [name, value] of odd) await table.put(name, value);
  assert.deepEqual((await r.refused()).toSorted(), [
    'J: name must be 1 to 64 lower-case letters, digits and single hyphens',
    'a-text: its record is no object',
    'b-name: its record calls itself otherwise',
    'c-files: its record has files that cannot be read',
    'd-files: its record has files that cannot be read',
    'e-files: its record has files that cannot be read',
    'f-files: its record has files that cannot be read',
    'g-body: its record has no text',
    'h-tools: requires_tools must be a list of words: put them in quotes',
    'i-long: it is larger than 64 KiB',
  ]);
  assert.deepEqual(await r.states(), ['k offered agent']);
  assert.equal((await r.skills.show(r.place, TOOLS, 'k', 'x/y.md')).text, 'ä');
  await assert.rejects(r.skills.show(r.place, TOOLS, 'k', 'x'), { code: 'skill_file_unknown' });
});

test('show gives a text file of a skill, and nothing beside it: a script outside is no file of it', async (t) => {
  const r = await skillsRoom(t);
  r.write('home/.agents/skills/a/SKILL.md', skillText('a', 'license: MIT', 'Run ../outside.sh'));
  r.write('home/.agents/skills/outside.sh', 'echo');
  r.write('home/.agents/skills/a/x.md', 'text');
  r.write('home/.agents/skills/a/x.bin', Buffer.from([0xff]));
  assert.equal((await r.skills.show(r.place, TOOLS, 'a', 'x.md')).text, 'text');
  await assert.rejects(r.skills.show(r.place, TOOLS, 'a', '../outside.sh'), { code: 'skill_file_unknown' });
  await assert.rejects(r.skills.show(r.place, TOOLS, 'a', 'x.bin'), { code: 'skill_file_not_text' });
  await assert.rejects(r.skills.show(r.place, TOOLS, 'none'), { code: 'skill_unknown' });
});

test('a session without an agent has the skills of its folders', async (t) => {
  const r = await skillsRoom(t);
  r.write('home/.agents/skills/a.md', skillText('a'));
  assert.deepEqual(await r.states({ session: 'ses_1', attached: [] }), ['a offered user']);
  assert.deepEqual(await r.states({ session: 'ses_1', agent: `agt_${'A'.repeat(43)}`, attached: [] }), [
    'a offered user',
  ]);
});

test('folders of a person: [skills] dirs, then XDG_CONFIG_HOME or ~/.config, then ~/.agents', async (t) => {
  const r = await skillsRoom(t, { dirs: ['~/more', '/nowhere/skills'] });
  r.write('home/more/a.md', skillText('a'));
  r.write('home/.config/fairlead/skills/b.md', skillText('b'));
  assert.deepEqual(await r.states(), ['a offered user', 'b offered user']);
  const other = await skillsRoom(t, { env: { XDG_CONFIG_HOME: join(r.home, '.config') } });
  assert.deepEqual(await other.states(), ['b offered user']);
});

test('a skill of a record says the same of itself as the one that it was made of', async (t) => {
  const r = await skillsRoom(t);
  await r.banks.create('team');
  await r.banks.grant('team', r.ann, 'read');
  const head =
    'description: "Colons: and \\"quotes\\""\ntriggers: [one two]\ntags: [t]\nrequires_tools: [shell]';
  const source = r.write('elsewhere/a/SKILL.md', skillText('a', head, '# A\n\nText'));
  r.write('elsewhere/a/references/x.md', 'x');
  const { signal } = new AbortController();
  const done = await r.skills.install({ source: join(source, '..') }, { bank: 'team' }, signal);
  assert.deepEqual([done.name, done.revision, done.files], ['a', null, 1]);
  await r.trust('a');
  const { skill, text } = await r.skills.show(r.place, TOOLS, 'a');
  assert.deepEqual(
    [skill.description, skill.triggers, skill.tags, skill.requiresTools, skill.files, text],
    [
      'Colons: and "quotes"',
      ['one two'],
      ['t'],
      ['shell'],
      [{ path: 'references/x.md', bytes: 1 }],
      '# A\n\nText',
    ],
  );
  const { id } = await r.banks.find('team');
  const row = await (await r.banks.database(id)).latest('skills').get('a');
  assert.ok(isJsonObject(row?.value));
  assert.deepEqual(Object.keys(row.value).sort(), [
    ...['at', 'body', 'description', 'files', 'name', 'requires_tools', 'tags', 'triggers'],
  ]);
  await r.skills.remove('a', { bank: 'team' });
  assert.deepEqual(await r.states(), []);
  await assert.rejects(r.skills.remove('a', { bank: 'team' }), { code: 'skill_unknown' });
});
