import assert from 'node:assert/strict';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '@fairlead/testing';
import fc from 'fast-check';
import { contentDigest } from '../../src/skills/skill.ts';
import { SkillFolders } from '../../src/skills/skill-folders.ts';
import { skillText } from './skills-room.ts';

const part = fc.constantFrom('a', 'b', 'SKILL.md', 'x.md', '.git', 'ä', 'A', 'a b', '\u001b', '\u202e');
const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const thing = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(skillText('a'), skillText('b'), skillText('x')).map((text) => ({ text })),
  },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }).map((text) => ({ text })) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('../secret', '../../secret', '/etc', '.', '..', 'a', 'SKILL.md', 'nowhere', '../a')
      .map((link) => ({ link })),
  },
  { weight: 1, arbitrary: fc.constant({}) },
);

const SECRET = 'secret-that-stands-outside';

test('whatever stands in a folder of skills, looking at it never throws, and gives out nothing from outside', async (t) => {
  const above = temporaryFolder(t);
  const root = join(above, 'skills');
  writeFileSync(join(above, 'secret'), SECRET);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(path, thing), { maxLength: 14 }), async (things) => {
      rmSync(root, { recursive: true, force: true });
      mkdirSync(root);
      for (const [at, made] of things) put(join(root, at), made);
      const { skills, refused } = await new SkillFolders({ wallMs: () => 0 }).look(root, { within: root });
      for (const { name, files, digest, body, readFile } of skills) {
        assert.match(name, /^[a-z0-9-]+$/);
        assert.match(digest, /^[A-Za-z0-9_-]{43}$/);
        assert.ok(!body.includes(SECRET));
        for (const file of files) {
          const content = Buffer.from(await readFile(file.path));
          assert.equal(content.length, file.bytes);
          assert.ok(
            !content.includes(SECRET) && contentDigest(content) !== contentDigest(Buffer.from(SECRET)),
          );
        }
      }
      for (const { reason } of refused) assert.match(reason, /^[^\p{Cc}]{5,200}$/u);
    }),
    { numRuns: 200 },
  );
});

/** What cannot be put there, because something else stands in the way, is not. */
function put(at: string, made: { readonly text?: string; readonly link?: string }): void {
  try {
    mkdirSync(made.text === undefined && made.link === undefined ? at : dirname(at), { recursive: true });
    if (made.text !== undefined) writeFileSync(at, made.text, { flag: 'wx' });
    else if (made.link !== undefined) symlinkSync(made.link, at);
  } catch {
    // Taken.
  }
}
