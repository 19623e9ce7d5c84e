import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { manualClock, temporaryFolder } from '@fairlead/testing';
import { SkillFolders } from '../../src/skills/skill-folders.ts';
import { skillText } from './skills-room.ts';

/** A folder of skills, and what a look into it tells. */
function root(t: TestContext, clock = { wallMs: () => Number.MAX_SAFE_INTEGER }) {
  const above = temporaryFolder(t);
  const folder = join(above, 'skills');
  mkdirSync(folder);
  const folders = new SkillFolders(clock);
  return {
    ...{ above, folder, folders },
    write(path: string, content: string | Uint8Array) {
      const at = join(folder, path);
      mkdirSync(dirname(at), { recursive: true });
      writeFileSync(at, content);
      return at;
    },
    async look(within?: string) {
      const { skills, refused } = await folders.look(folder, within === undefined ? {} : { within });
      return [
        ...skills.map(({ name, files }) => [name, ...files.map(({ path }) => path)].join(' ')),
        ...refused.map(
          ({ name, reason, line }) => `!${name}${line === undefined ? '' : `:${line}`} ${reason}`,
        ),
      ];
    },
  };
}

test('a skill is a folder with a SKILL.md and other files, or one file', async (t) => {
  const r = root(t);
  r.write('pdf/SKILL.md', skillText('pdf'));
  r.write('pdf/scripts/fill.py', 'print()');
  r.write('pdf/references/a.md', 'x');
  r.write('note.md', skillText('note'));
  r.write('other.txt', 'no skill');
  r.write('.hidden/SKILL.md', skillText('hidden'));
  assert.deepEqual(await r.look(), ['pdf references/a.md scripts/fill.py', 'note']);
});

test('a folder that is not there has no skills, and says nothing', async (t) => {
  const { folders, folder } = root(t);
  assert.deepEqual(await folders.look(join(folder, 'none')), {
    skills: [],
    refused: [],
    inside: new Set(),
  });
});

test('a symlink out of its folder: the skill is refused, and says which', async (t) => {
  const r = root(t);
  writeFileSync(join(r.above, 'secret'), 'secret');
  r.write('a/SKILL.md', skillText('a'));
  symlinkSync('../../secret', join(r.folder, 'a', 'secret.txt'));
  assert.deepEqual(await r.look(), ['!a secret.txt is a link that leads out of its folder']);
});

test('links inside of a skill are read as what they lead to; to folders and to nowhere they are refused', async (t) => {
  const r = root(t);
  r.write('a/SKILL.md', skillText('a'));
  r.write('a/x.txt', 'x');
  symlinkSync('x.txt', join(r.folder, 'a', 'y.txt'));
  assert.deepEqual(await r.look(), ['a x.txt y.txt']);
  symlinkSync('.', join(r.folder, 'a', 'loop'));
  assert.deepEqual(await r.look(), ['!a loop is a link to what is no file']);
  rmSync(join(r.folder, 'a', 'loop'));
  symlinkSync('gone', join(r.folder, 'a', 'gone'));
  assert.deepEqual(await r.look(), ['!a gone is a link that leads nowhere']);
});

test('a 100 MB file: the skill is refused before anything of it is read', async (t) => {
  const r = root(t);
  r.write('a/SKILL.md', skillText('a'));
  truncateSync(r.write('a/model.bin', ''), 100 * 1024 * 1024);
  assert.deepEqual(await r.look(), ['!a its folder holds more than 5 MiB (at model.bin)']);
});

test('a SKILL.md of more than 64 KiB is refused, in a folder and alone', async (t) => {
  const r = root(t);
  r.write('a/SKILL.md', skillText('a', '', 'x'.repeat(65_536)));
  r.write('b.md', skillText('b', '', 'x'.repeat(65_536)));
  assert.deepEqual(await r.look(), ['!a its SKILL.md is larger than 64 KiB', '!b b.md is too large']);
});

test('more than 256 files is refused', async (t) => {
  const r = root(t);
  r.write('a/SKILL.md', skillText('a'));
  for (let at = 0; at < 255; at += 1) r.write(`a/files/${at}`, '');
  assert.deepEqual(await r.look(), ['!a its folder holds more than 256 files and folders']);
});

test('a name that differs from its folder is refused with both names', async (t) => {
  const r = root(t);
  r.write('a/SKILL.md', skillText('b'));
  r.write('c.md', skillText('d'));
  r.write('Big/SKILL.md', skillText('big'));
  assert.deepEqual(await r.look(), [
    '!Big its name must be lower-case letters, digits and single hyphens, 64 at most',
    '!a it calls itself b and stands under the name a: the two must be one',
    '!c it calls itself d and stands under the name c: the two must be one',
  ]);
});

test('what is neither file nor folder is refused without being opened', async (t) => {
  const r = root(t);
  r.write('a/SKILL.md', skillText('a'));
  execFileSync('mkfifo', [join(r.folder, 'a', 'pipe'), join(r.folder, 'b.md')]);
  assert.deepEqual(await r.look(), ['!a pipe is neither a file nor a folder', '!b b.md is no ordinary file']);
});

test('names that cannot be shown are refused', async (t) => {
  const r = root(t);
  r.write('a/SKILL.md', skillText('a'));
  r.write('a/x\u001b[31m', '');
  assert.deepEqual(await r.look(), ['!a a file in its folder has a name that cannot be shown']);
});

test('no SKILL.md, one that is written otherwise, one that is no UTF-8', async (t) => {
  const r = root(t);
  r.write('a/README.md', 'x');
  r.write('b/skill.md', skillText('b'));
  r.write('c/SKILL.md', Buffer.from([0x2d, 0x2d, 0x2d, 0xff]));
  r.write('d/SKILL.md', 'no head');
  assert.deepEqual(await r.look(), [
    '!a it has no SKILL.md',
    '!b skill.md must be written SKILL.md',
    '!c its text is not UTF-8',
    '!d:1 it does not begin with a line of three hyphens (---)',
  ]);
});

test('a skill that is a link out of a project is refused; a person’s own links are followed', async (t) => {
  const r = root(t);
  mkdirSync(join(r.above, 'elsewhere', 'a'), { recursive: true });
  writeFileSync(join(r.above, 'elsewhere', 'a', 'SKILL.md'), skillText('a'));
  symlinkSync('../elsewhere/a', join(r.folder, 'a'));
  assert.deepEqual(await r.look(), ['a']);
  assert.deepEqual(await r.look(r.folder), [
    '!a it is a link that leads out of the folder that it stands in',
  ]);
});

test('a folder takes its name before a file beside it', async (t) => {
  const r = root(t);
  r.write('a/SKILL.md', skillText('a'));
  r.write('a.md', skillText('a'));
  assert.deepEqual(await r.look(), ['a', '!a a folder of this name stands beside the file and is taken']);
});

test('a change counts at the next look, and not only at the next start', async (t) => {
  const r = root(t);
  r.write('a/SKILL.md', skillText('a'));
  assert.deepEqual(await r.look(), ['a']);
  r.write('a/SKILL.md', skillText('a', 'nothing'));
  assert.match((await r.look())[0] ?? '', /^!a:3 its head is no YAML/);
  r.write('a/SKILL.md', skillText('a'));
  r.write('b.md', skillText('b'));
  assert.deepEqual(await r.look(), ['a', 'b']);
  rmSync(join(r.folder, 'a'), { recursive: true });
  assert.deepEqual(await r.look(), ['b']);
});

test('what did not change is not read again, and what may have changed within a tick is', async (t) => {
  const clock = manualClock();
  const r = root(t, clock);
  const at = r.write('a/SKILL.md', skillText('a'));
  const [first] = (await r.folders.look(r.folder)).skills;
  // The machine's clock is ahead of this one: the file is as good as just written.
  assert.notEqual((await r.folders.look(r.folder)).skills[0], first);
  const later = new SkillFolders({ wallMs: () => Number.MAX_SAFE_INTEGER });
  const [kept] = (await later.look(r.folder)).skills;
  assert.equal((await later.look(r.folder)).skills[0], kept);
  utimesSync(at, 1, 1);
  const [again] = (await later.look(r.folder)).skills;
  assert.notEqual(again, kept);
  assert.equal(again?.digest, kept?.digest);
});

test('a digest is of every path and content, whatever else is different', async (t) => {
  const r = root(t);
  r.write('a/SKILL.md', skillText('a'));
  r.write('a/x', '1');
  const digest = async () => (await r.folders.look(r.folder)).skills[0]?.digest;
  const before = await digest();
  assert.match(before ?? '', /^[A-Za-z0-9_-]{43}$/);
  r.write('a/x', '2');
  assert.notEqual(await digest(), before);
  r.write('a/x', '1');
  linkSync(join(r.folder, 'a', 'x'), join(r.above, 'hard'));
  assert.equal(await digest(), before);
  renameSync(join(r.folder, 'a', 'x'), join(r.folder, 'a', 'y'));
  assert.notEqual(await digest(), before);
  renameSync(join(r.folder, 'a', 'y'), join(r.folder, 'a', 'x'));
  r.write('a/.git/config', 'x');
  assert.equal(await digest(), before);
});

test('a file is given out only as it was when the digest was made', async (t) => {
  const r = root(t);
  r.write('a/SKILL.md', skillText('a'));
  r.write('a/x', 'one');
  const [skill] = (await r.folders.look(r.folder)).skills;
  assert.equal(Buffer.from((await skill?.readFile('x')) ?? '').toString(), 'one');
  for (const path of ['y', '../../secret', '/etc/passwd', 'x/../x', ''])
    await assert.rejects(async () => await skill?.readFile(path), { code: 'skill_file_unknown' });
  writeFileSync(join(r.above, 'secret'), 'secret');
  rmSync(join(r.folder, 'a', 'x'));
  symlinkSync('../../secret', join(r.folder, 'a', 'x'));
  await assert.rejects(async () => await skill?.readFile('x'), { code: 'skill_changed' });
  rmSync(join(r.folder, 'a'), { recursive: true });
  await assert.rejects(async () => await skill?.readFile('x'), { code: 'skill_changed' });
});

test('a folder of too many skills gives those that are first, and says so', async (t) => {
  const r = root(t);
  for (let at = 0; at < 520; at += 1) r.write(`s${at}.md`, skillText(`s${at}`));
  const told = await r.look();
  assert.equal(told.length, 513);
  assert.equal(told.at(-1), '! it holds more than 512 skills; the rest is left out');
});

test('what the system does not let be read is told by its code alone', async (t) => {
  const r = root(t);
  r.write('a/SKILL.md', skillText('a'));
  symlinkSync('loop', join(r.folder, 'loop'));
  symlinkSync('loop.md', join(r.folder, 'loop.md'));
  assert.deepEqual(await r.look(), ['a', '!loop the system does not let it be read (ELOOP)']);
});
