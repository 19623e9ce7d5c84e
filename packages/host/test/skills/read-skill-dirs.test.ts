import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSkillSettings } from '../../src/skills/read-skill-dirs.ts';

test('[skills] has folders, as they stand in the file', () => {
  const dirs = ['~/skills', '/srv/team', 'here'];
  assert.deepEqual(readSkillSettings({ skills: { dirs } }), { ok: true, value: { dirs }, notices: [] });
  assert.deepEqual(readSkillSettings({}), { ok: true, value: { dirs: [] }, notices: [] });
});

test('what is no list of folders refuses the file with its place; a key that is not known is noticed', () => {
  for (const dirs of ['x', [''], [3], ['a\0b'], ['x'.repeat(4097)], Array(33).fill('x')]) {
    const reading = readSkillSettings({ skills: { dirs } });
    assert.ok(!reading.ok);
    assert.deepEqual(reading.at, ['skills', 'dirs']);
  }
  const reading = readSkillSettings({ skills: { dir: ['x'] } });
  assert.ok(reading.ok);
  assert.match(reading.notices[0]?.message ?? '', /did you mean dirs\?/);
});
