import assert from 'node:assert/strict';
import { test } from 'node:test';
import { harness } from '@fairlead/extension/testing';
import { skills } from '../../src/skills/skills.ts';
import { runSkillsLine, type SkillsLine } from '../../src/skills/skills-command.ts';
import { fakePeer } from '../fake-peer.ts';
import { fakeSkill, fakeSkills } from '../fake-skills.ts';

type Kept = NonNullable<Parameters<typeof fakeSkills>[1]>;

const BANK = { id: 'skl_team', name: 'team', grants: [{ agent: 'agt_ann', right: 'read' as const }] };

/** Runs one line over what is kept; answers its text, what the host was asked, and the banks that the session has after it. */
async function ran(
  line: Partial<SkillsLine> & Pick<SkillsLine, 'action'>,
  kept: Kept = {},
  attached: string[] = [],
) {
  const asked: unknown[][] = [];
  let banks = attached;
  const asker = { session: 'ses_1', agent: 'agt_ann', attached };
  const { text, data } = (await runSkillsLine(
    fakeSkills(asked, kept),
    asker,
    { right: 'read', ...line },
    {
      signal: new AbortController().signal,
      attach: async (now) => {
        banks = now;
      },
    },
  )) as { text: string; data: unknown };
  return { text, data, asked, banks };
}

test('list: each with where it is from and why it is not offered, and what is no skill with its line', async () => {
  const { text } = await ran(
    { action: 'list' },
    {
      skills: [
        fakeSkill({ name: 'a', description: 'First.' }),
        fakeSkill({
          name: 'b',
          state: 'untrusted',
          where: '/w/.fairlead/skills',
          notes: ['x has no effect'],
        }),
        fakeSkill({ name: 'c', state: 'changed' }),
        fakeSkill({ name: 'd', state: 'hidden', missing: ['shell', 'web_fetch'] }),
        fakeSkill({ name: 'e', state: 'shadowed' }),
      ],
      refused: [
        { name: 'z', where: '/s', reason: 'its head has no name', line: 1 },
        { name: '', where: '/t', reason: 'it is a link' },
      ],
      installed: [
        { name: 'p', source: 'https://example.org/p', ref: 'v1', revision: 'f'.repeat(40), digest: '' },
        { name: 'q', source: '/q', ref: null, revision: null, digest: '' },
      ],
    },
  );
  assert.equal(
    text,
    [
      '- **a** — First.',
      '  /home/ada/.agents/skills',
      '- **b** — About b.',
      `  /w/.fairlead/skills · not trusted: /skills show b, then /skills trust b --digest ${'d'.repeat(43)}`,
      '  x has no effect',
      '- **c** — About c.',
      `  /home/ada/.agents/skills · changed since it was trusted: /skills show c, then /skills trust c --digest ${'d'.repeat(43)}`,
      '- **d** — About d.',
      '  /home/ada/.agents/skills · hidden: shell, web_fetch is not offered',
      '- **e** — About e.',
      '  /home/ada/.agents/skills · another of its name stands before it',
      '',
      'Not read:',
      '- /s: z, line 1: its head has no name',
      '- /t: it is a link',
      '',
      'Installed:',
      '- p from https://example.org/p at ffffffffffff (v1)',
      '- q from /q',
    ].join('\n'),
  );
  assert.equal((await ran({ action: 'list' })).text, 'There are no skills here.');
});

test('search and show are over all layers alike, whatever is trusted', async () => {
  const kept = {
    skills: [
      fakeSkill({
        name: 'pdf',
        state: 'untrusted' as const,
        license: 'MIT',
        compatibility: 'Needs python.',
        allowedTools: 'Bash',
        requiresTools: ['shell'],
        files: [{ path: 'x.md', bytes: 3 }],
      }),
    ],
    texts: { pdf: 'Text.', 'pdf x.md': 'abc' },
  };
  assert.match((await ran({ action: 'search', name: 'PDF', with: 'about' }, kept)).text, /^- \*\*pdf\*\*/);
  assert.equal(
    (await ran({ action: 'search', name: 'none' }, kept)).text,
    'No skill has all of these words: none',
  );
  const { text } = await ran({ action: 'show', name: 'pdf' }, kept);
  for (const part of [
    'not trusted',
    'digest ddd',
    'license MIT',
    'Needs python.',
    'says that it uses Bash; that gives it nothing',
    'needs shell',
    'x.md (3 bytes)',
    '\n\nText.',
  ])
    assert.ok(text.includes(part), part);
  assert.equal((await ran({ action: 'show', name: 'pdf', with: 'x.md' }, kept)).text, 'abc');
});

test('a list of very many, and a text without end, fit into one answer', async () => {
  const skills = Array.from({ length: 2000 }, (_, at) =>
    fakeSkill({
      name: `s${at}`,
      description: '😀'.repeat(1024),
      files: Array.from({ length: 255 }, (_file, index) => ({
        path: `${'x'.repeat(500)}${index}`,
        bytes: 1,
      })),
    }),
  );
  const refused = Array.from({ length: 2000 }, (_, at) => ({ name: `r${at}`, where: '/w', reason: 'x' }));
  const all = await ran({ action: 'list' }, { skills, refused });
  assert.ok(Buffer.byteLength(JSON.stringify([all.text, all.data])) < 1024 * 1024);
  assert.equal(all.text.split('\n').filter((line) => line === '- and 1900 more').length, 2);
  const kept = { skills: [fakeSkill({ name: 'a' })], texts: { 'a x': `${'x'.repeat(199_999)}😀y` } };
  const { text } = await ran({ action: 'show', name: 'a', with: 'x' }, kept);
  assert.equal(text, `${'x'.repeat(199_999)}\uFFFD\n[2 more characters]`);
});

test('trust says the digest; untrust says what is left', async () => {
  const kept = { skills: [fakeSkill({ name: 'pdf' })] };
  const trusted = await ran({ action: 'trust', name: 'pdf', digest: 'dddddddd' }, kept);
  assert.match(trusted.text, /^pdf \(.*\) is trusted as it is now: d{43}\./);
  assert.deepEqual(trusted.asked, [['skills.trust', 'pdf', 'dddddddd']]);
  const { text, asked } = await ran({ action: 'untrust', name: 'pdf' }, kept);
  assert.equal(text, 'pdf is trusted no more, unless its place is.');
  assert.deepEqual(asked, [['skills.untrust', 'pdf']]);
});

test('install and remove: here, into a bank, into an agent', async () => {
  const here = await ran(
    { action: 'install', name: 'https://example.org/p', ref: 'v1', folder: 'pdf' },
    { revision: 'abc' },
  );
  assert.equal(
    here.text,
    `Installed pdf at abc, digest ${'e'.repeat(43)}. It is not trusted yet: /skills show pdf, then /skills trust pdf --digest ${'e'.repeat(43)}.`,
  );
  assert.deepEqual(here.asked, [
    ['skills.install', { source: 'https://example.org/p', ref: 'v1', inner: 'pdf' }, {}],
  ]);
  const bank = await ran({ action: 'install', name: '/p', bank: 'team' });
  assert.deepEqual(bank.asked, [['skills.install', { source: '/p' }, { bank: 'team' }]]);
  const agent = await ran({ action: 'install', name: '/p', agent: 'ann' });
  assert.equal(agent.text, `Installed pdf, digest ${'e'.repeat(43)}.`);
  const gone = await ran({ action: 'remove', name: 'pdf', bank: 'team' });
  assert.deepEqual(
    [gone.text, gone.asked],
    ['Taken away: pdf', [['skills.remove', 'pdf', { bank: 'team' }]]],
  );
});

test('banks: made, granted, revoked, listed, taken off the list', async () => {
  assert.equal((await ran({ action: 'banks' })).text, 'There are no skill banks.');
  assert.equal(
    (
      await ran({ action: 'banks' }, { banks: [BANK, { ...BANK, id: 'skl_b', name: 'b', grants: [] }] }, [
        'skl_team',
      ])
    ).text,
    '- team (skl_team) · attached here\n  agt_ann read\n- b (skl_b)',
  );
  const kept = { banks: [BANK] };
  assert.equal((await ran({ action: 'new', name: 'more' })).text, 'Made more (skl_new)');
  const granted = await ran({ action: 'grant', name: 'team', with: 'ann', right: 'write' }, kept);
  assert.deepEqual(granted.asked, [['skills.grant', 'team', 'ann', 'write']]);
  assert.equal(granted.text, 'Granted to ann (write): team (skl_team)');
  assert.equal(
    (await ran({ action: 'revoke', name: 'team', with: 'ann' }, kept)).text,
    'Taken from ann: team (skl_team)',
  );
  assert.match((await ran({ action: 'delete', name: 'team' }, kept)).text, /its database stays: team/);
});

test('attach by name or id is idempotent, keeps the others, and says who reads it; detach also by an id that is gone', async () => {
  const kept = { banks: [BANK, { ...BANK, id: 'skl_b', name: 'b', grants: [] }] };
  const one = await ran({ action: 'attach', name: 'team' }, kept, ['skl_x']);
  assert.deepEqual([one.text, one.banks], ['Attached to this session: team.', ['skl_x', 'skl_team']]);
  assert.deepEqual((await ran({ action: 'attach', name: 'skl_team' }, kept, ['skl_team'])).banks, [
    'skl_team',
  ]);
  assert.equal(
    (await ran({ action: 'attach', name: 'b' }, kept)).text,
    'Attached to this session: b. Agents read what they were granted: /skills grant b AGENT.',
  );
  await assert.rejects(ran({ action: 'attach', name: 'none' }, kept), { code: 'bank_unknown' });
  assert.deepEqual((await ran({ action: 'detach', name: 'team' }, kept, ['skl_team', 'skl_x'])).banks, [
    'skl_x',
  ]);
  assert.deepEqual((await ran({ action: 'detach', name: 'skl_x' }, kept, ['skl_team', 'skl_x'])).banks, [
    'skl_team',
  ]);
});

test('a line that says too little is refused, and nothing is asked', async () => {
  const lines: readonly (Partial<SkillsLine> & Pick<SkillsLine, 'action'>)[] = [
    { action: 'show' },
    { action: 'search' },
    { action: 'trust' },
    { action: 'install' },
    { action: 'install', name: '/p', bank: 'b', agent: 'a' },
    { action: 'remove' },
    { action: 'new' },
    { action: 'grant', name: 'team' },
    { action: 'revoke', name: 'team' },
    { action: 'attach' },
    { action: 'detach' },
  ];
  for (const line of lines) await assert.rejects(ran(line), { code: 'skills_line_incomplete' }, line.action);
});

test('a line as it is typed: attached banks are the session’s own setting', async (t) => {
  const peer = fakePeer({
    workspace: '/',
    skills: (asked) => fakeSkills(asked, { banks: [BANK], skills: [fakeSkill({ name: 'pdf' })] }),
  });
  const h = await harness(skills, { peer });
  t.after(() => h.close());
  assert.match(await h.command('/skills'), /^- \*\*pdf\*\*/);
  assert.equal(
    await h.command('/skills attach team'),
    'Attached to this session: team. Agents read what they were granted: /skills grant team AGENT.',
  );
  await h.tools.skill_list();
  const [, asker] = peer.asked.at(-1) as [string, { attached: readonly string[] }];
  assert.deepEqual(asker.attached, ['skl_team']);
  await h.command('/skills install https://example.org/p --ref v1 --folder a/b');
  assert.deepEqual(peer.asked.at(-1), [
    'skills.install',
    { source: 'https://example.org/p', ref: 'v1', inner: 'a/b' },
    {},
  ]);
  await h.command('/skills grant team ann write');
  assert.deepEqual(peer.asked.at(-1), ['skills.grant', 'team', 'ann', 'write']);
  assert.match(await h.command('/skills nonsense'), /\/skills/);
});
