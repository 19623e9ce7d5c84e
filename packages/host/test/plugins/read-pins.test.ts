import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPins } from '../../src/plugins/read-pins.ts';
import { readPolicy } from '../../src/policy/read-policy.ts';

const read = (...pinned: object[]) => readPins({ plugins: { pinned } });
const PIN = { runner: 'local', plugin: 'notes', tool: 'add' };

function refused(...pinned: object[]): readonly unknown[] {
  const reading = read(...pinned);
  return reading.ok ? ['ok'] : [reading.at.join('.'), reading.problem];
}

test('a pin is called by plugin and tool, or as the file says', () => {
  const reading = read(PIN, { ...PIN, as: 'jot', agents: ['scout'] }, { ...PIN, tool: 'a.b' });
  assert.deepEqual(reading.ok && reading.value, [
    { ...PIN, name: 'notes__add' },
    { ...PIN, name: 'jot', agents: ['scout'] },
    { ...PIN, tool: 'a.b', name: 'notes__a_b_nlerqe' },
  ]);
});

test('what no model could call, and what two would be called, refuses the file', () => {
  assert.deepEqual(refused({ ...PIN, plugin: '7notes' })[0], 'plugins.pinned.0.as');
  assert.deepEqual(refused({ ...PIN, as: 'a b' })[0], 'plugins.pinned.0.as');
  assert.deepEqual(refused({ ...PIN, as: 'plugin_tool' }), [
    'plugins.pinned.0.as',
    'is the name of the tool that calls any plugin',
  ]);
  assert.deepEqual(refused(PIN, PIN), [
    'plugins.pinned.1.as',
    'must be given: another pin has this name toward models',
  ]);
  for (const key of ['runner', 'plugin', 'tool'])
    assert.deepEqual(refused({ ...PIN, [key]: undefined }), [`plugins.pinned.0.${key}`, 'is missing']);
  assert.deepEqual(refused({ ...PIN, agents: [7] }), [
    'plugins.pinned.0.agents',
    'must be a list of names of agents',
  ]);
});

test('a misspelt policy key refuses the file: it would be none', () => {
  assert.deepEqual(refused({ ...PIN, aproval: 'always' }), [
    'plugins.pinned.0.aproval',
    'is not known here (did you mean approval?)',
  ]);
});

test('the policy of a pin stands with that of tools of servers, by its name toward models', () => {
  const reading = readPolicy({
    plugins: { pinned: [{ ...PIN, as: 'jot', approval: 'always', effect: 'read' }, PIN] },
  });
  assert.deepEqual(reading.ok && reading.value.sources?.get('plugins'), {
    words: {},
    tools: new Map([
      ['jot', { approval: 'always', effect: 'read' }],
      ['notes__add', {}],
    ]),
  });
});

test('plugins themselves are configured where they run: what is said of them here is noticed', () => {
  const reading = readPins({ plugins: { providers: [] } });
  assert.deepEqual(reading.ok && reading.notices.map(({ at, message }) => `${at.join('.')}: ${message}`), [
    'plugins.providers: is not known to this version; it is kept and has no effect',
  ]);
});
