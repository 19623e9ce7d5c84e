import assert from 'node:assert/strict';
import { test } from 'node:test';
import { harness } from '@fairlead/extension/testing';
import { hygiene } from '@fairlead/testing';
import { skills } from '../../src/skills/skills.ts';
import { fakePeer } from '../fake-peer.ts';
import { fakeSkill, fakeSkills } from '../fake-skills.ts';

type Kept = NonNullable<Parameters<typeof fakeSkills>[1]>;
type Test = { after(hook: () => unknown): void };

async function opened(t: Test, kept: Kept = {}, banks: readonly string[] = []) {
  hygiene(t as never);
  const peer = fakePeer({ workspace: '/', skills: (asked) => fakeSkills(asked, kept) });
  const h = await harness(skills, { peer, settings: { banks: [...banks] } });
  t.after(() => h.close());
  return { h, asked: peer.asked };
}

test('scopes and manifest: one global instance with three tools that only read, a command, a block for the prompt', () => {
  const { manifest } = skills;
  assert.deepEqual(manifest.scopes, ['global']);
  assert.deepEqual(manifest.hooks, ['tool', 'command']);
  assert.deepEqual(manifest.provides, ['prompt_augmentation']);
  assert.deepEqual(
    manifest.tools.map(({ name }) => name),
    ['skill_list', 'skill_search', 'skill_show'],
  );
  assert.deepEqual(
    manifest.commands.map(({ name }) => name),
    ['skills'],
  );
});

test('list and search sentinels: a sentence where there is none', async (t) => {
  const { h } = await opened(t);
  assert.equal((await h.tools.skill_list()).text, 'There are no skills.');
  assert.equal(
    (await h.tools.skill_search({ query: 'PDF forms' })).text,
    'No skill has all of these words: PDF forms',
  );
});

test('list: name and description of what is offered, in its order', async (t) => {
  const { h } = await opened(t, {
    skills: [
      fakeSkill({ name: 'b', description: 'Second letter.' }),
      fakeSkill({ name: 'hidden', state: 'hidden', missing: ['shell'] }),
      fakeSkill({ name: 'a', description: '' }),
    ],
  });
  const { text, data } = await h.tools.skill_list();
  assert.equal(text, '- **b** — Second letter.\n- **a**');
  assert.deepEqual(data, {
    skills: [
      { name: 'b', description: 'Second letter.' },
      { name: 'a', description: '' },
    ],
  });
});

test('search is case-insensitive, over name, description, triggers and tags, and every word counts', async (t) => {
  const { h } = await opened(t, {
    skills: [
      fakeSkill({ name: 'pdf', description: 'Fills In Forms.' }),
      fakeSkill({ name: 'tax', triggers: ['Annual Return'] }),
      fakeSkill({ name: 'trip', tags: ['Travel'] }),
      fakeSkill({ name: 'other', state: 'untrusted', description: 'forms' }),
    ],
  });
  const found = async (query: string) => {
    const { data } = await h.tools.skill_search({ query });
    return (data as { skills: { name: string }[] }).skills.map(({ name }) => name);
  };
  assert.deepEqual(await found('FORMS'), ['pdf']);
  assert.deepEqual(await found('fills pdf'), ['pdf']);
  assert.deepEqual(await found('annual'), ['tax']);
  assert.deepEqual(await found('tRAVEL'), ['trip']);
  assert.deepEqual(await found('forms annual'), []);
  assert.deepEqual(await found('about'), ['tax', 'trip']);
});

test('show: the text, what it says that it uses, and its files', async (t) => {
  const files = [
    { path: 'references/a.md', bytes: 12 },
    { path: 'scripts/x.py', bytes: 345 },
  ];
  const { h, asked } = await opened(t, {
    skills: [fakeSkill({ name: 'pdf', description: 'Forms.', allowedTools: 'Bash Read', files })],
    texts: { pdf: 'Do this.', 'pdf scripts/x.py': 'print()' },
  });
  const { text, data } = await h.tools.skill_show({ name: 'pdf' });
  assert.equal(
    text,
    [
      '# pdf',
      'It says that it uses: Bash Read. What you may use is what you are offered.',
      'Do this.',
      'Its files, to be read with skill_show and file:',
      '- references/a.md (12 bytes)\n- scripts/x.py (345 bytes)',
    ].join('\n\n'),
  );
  assert.deepEqual(data, { name: 'pdf', description: 'Forms.' });
  const file = await h.tools.skill_show({ name: 'pdf', file: 'scripts/x.py' });
  assert.equal(file.text, 'print()');
  assert.deepEqual(file.data, { name: 'pdf', description: 'Forms.', file: 'scripts/x.py' });
  const none = await h.tools.skill_show({ name: 'none' });
  assert.deepEqual([none.isError, none.text.includes('no skill of this name')], [true, true]);
  assert.deepEqual(
    asked.map(([what, , name, path]) => [what, name, path]),
    [
      ['skills.show', 'pdf', undefined],
      ['skills.show', 'pdf', 'scripts/x.py'],
      ['skills.show', 'none', undefined],
    ],
  );
});

test('show: a long text comes in parts, none of which cuts a character in two', async (t) => {
  const long = `${'x'.repeat(47_999)}😀${'y'.repeat(10)}`;
  const { h } = await opened(t, { skills: [fakeSkill({ name: 'a' })], texts: { 'a x': long } });
  const part = async (offset: number) => (await h.tools.skill_show({ name: 'a', file: 'x', offset })).text;
  assert.equal(await part(0), `${'x'.repeat(47_999)}\n[12 more characters: offset 47999]`);
  assert.equal(await part(47_999), `😀${'y'.repeat(10)}`);
  assert.equal(await part(48_011), '[nothing behind 48011 characters]');
});

test('show: whatever is shown of a skill at once is within what an entry holds', async (t) => {
  const files = Array.from({ length: 255 }, (_, at) => ({ path: `${'ä'.repeat(200)}${at}`, bytes: 1 }));
  const text = '漢'.repeat(21_000);
  const { h } = await opened(t, {
    skills: [fakeSkill({ name: 'a', allowedTools: '漢'.repeat(500), files })],
    texts: { a: text },
  });
  const shown = (await h.tools.skill_show({ name: 'a' })).text;
  assert.ok(Buffer.byteLength(shown) < 60 * 1024, `${Buffer.byteLength(shown)}`);
  assert.ok(shown.includes('漢\n[5000 more characters: offset 16000]\n'));
  assert.equal(shown.split('\n').at(-1), '- and 236 more');
});

test('catalog formats: a heading, how to read one, a line for each; nothing where there is none', async (t) => {
  const { h } = await opened(t, {
    skills: [fakeSkill({ name: 'b', description: 'Second.' }), fakeSkill({ name: 'a', description: '' })],
  });
  assert.equal(
    await h.prompt(['skill_show']),
    [
      '## Available skills',
      '',
      'Written instructions for some tasks. Where one fits what you are asked, read it with skill_show before you begin.',
      '',
      '- **b** — Second.',
      '- **a**',
    ].join('\n'),
  );
  assert.equal(await h.prompt(['shell']), '');
  const none = await opened(t);
  assert.equal(await none.h.prompt(['skill_show']), '');
});

test('a catalog of very many skills ends with how many more there are', async (t) => {
  const many = Array.from({ length: 40 }, (_, at) =>
    fakeSkill({ name: `s${at}`, description: 'x'.repeat(1000) }),
  );
  const { h } = await opened(t, { skills: many });
  const text = await h.prompt(['skill_show']);
  assert.ok(text.length < 17_000);
  assert.match(text, /\n- and 24 more: search them with skill_search$/);
});

test('every question says whose it is, and which banks the session has', async (t) => {
  const { h, asked } = await opened(t, {}, ['skl_x']);
  await h.tools.skill_list();
  await h.prompt(['skill_show']);
  const [[, list], [, prompt]] = asked as [[string, object], [string, object]];
  assert.deepEqual(Object.keys(list).sort(), ['agent', 'attached', 'session', 'tool']);
  assert.deepEqual(Object.keys(prompt).sort(), ['agent', 'attached', 'session']);
  assert.deepEqual((list as { attached: unknown }).attached, ['skl_x']);
});
