import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SecretMask } from '../../src/settings/secret-mask.ts';

test('of secrets that hold or overlap one another nothing is left', () => {
  for (const secrets of [
    ['abcdefgh', 'abcdefghijkl'],
    ['abcdefghijkl', 'abcdefgh'],
    ['abcdefgh', 'efghijkl'],
  ])
    assert.equal(new SecretMask(secrets).text('<abcdefghijkl>'), '<••••••>');
  assert.equal(new SecretMask(['aaaa']).text('aaaaa b aaaa'), '•••••• b ••••••');
  assert.equal(
    new SecretMask(['abcd']).text('abcd at the start, at the end abcd'),
    '•••••• at the start, at the end ••••••',
  );
});

test('free text keeps words of fewer than four characters, a setting that is wholly one does not', () => {
  const mask = new SecretMask(['on', 'F', '', 'four']);
  assert.equal(mask.text('on'), 'on');
  assert.equal(mask.text('F is on, twenty-four'), 'F is on, twenty-••••••');
  assert.deepEqual(mask.setting(['on', 'F', 'Fog', '']), ['••••••', '••••••', 'Fog', '']);
  assert.deepEqual(mask.json({ on: ['F', 5, null, 'four'], four: true }), {
    on: ['F', 5, null, '••••••'],
    '••••••': true,
  });
  assert.deepEqual(
    [mask.isIn('x four'), mask.isIn({ a: [{ four: 1 }] }), mask.isIn({ a: ['Fog', 1] })],
    [true, true, false],
  );
});

test('a secret of many lines is found made one line and inside JSON, and the head of one that was cut off', () => {
  const mask = new SecretMask(['line one\nline "two"']);
  assert.equal(mask.text('key: line one\nline "two"!'), 'key: ••••••!');
  assert.equal(mask.text('key: line one line "two"!'), 'key: ••••••!');
  assert.equal(mask.text(JSON.stringify({ key: 'line one\nline "two"' })), '{"key":"••••••"}');
  assert.equal(mask.text('refused: line one li…'), 'refused: ••••••…');
  assert.equal(mask.text('refused: lin…'), 'refused: lin…');
  assert.equal(mask.text('refused (line o… and nothing…)'), 'refused (••••••… and nothing…)');
});
