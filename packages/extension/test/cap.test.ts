import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineCap, memory, messenger } from '../src/authoring/cap.ts';
import { HOST_ONLY_KINDS, isHostOnly, isProvidable, PROVIDABLE_KINDS } from '../src/manifest/kinds.ts';

test('a cap lists its methods, and names its kind', () => {
  const Weather = defineCap<{ now(input: { city: string }): Promise<number> }>('example.weather', {
    now: true,
  });
  assert.equal(Weather.kind, 'example.weather');
  assert.deepEqual(Weather.methods, ['now']);
  assert.equal(Weather.isOptional, false);
  assert.equal(Weather.provider, undefined);
  assert.throws(() => {
    (Weather.methods as string[]).push('then');
  }, TypeError);
});

test('`optional` and `from` give the same cap with one thing said, in either order', () => {
  const chat = messenger.from('telegram').optional;
  assert.deepEqual([chat.kind, chat.provider, chat.isOptional], ['messenger', 'telegram', true]);
  const other = messenger.optional.from('telegram');
  assert.deepEqual([other.kind, other.provider, other.isOptional], ['messenger', 'telegram', true]);
  assert.deepEqual([messenger.provider, messenger.isOptional], [undefined, false]);
});

test('memory searches and remembers', () => {
  assert.deepEqual([memory.kind, memory.methods], ['memory', ['search', 'remember']]);
});

test('a kind belongs to the host, or to extensions, or to nobody', () => {
  assert.deepEqual(HOST_ONLY_KINDS, [
    'session_read',
    'session_write',
    'settings',
    'tool_registration',
    'command_registration',
    'agent_state_admin',
  ]);
  assert.deepEqual(PROVIDABLE_KINDS, [
    'messenger',
    'memory',
    'prompt_augmentation',
    'context_tail',
    'status_segment',
  ]);
  for (const kind of HOST_ONLY_KINDS) assert.deepEqual([isHostOnly(kind), isProvidable(kind)], [true, false]);
  for (const kind of PROVIDABLE_KINDS)
    assert.deepEqual([isHostOnly(kind), isProvidable(kind)], [false, true]);
  for (const kind of ['example.weather', 'a.b.c', 'org.example-1.wx_2'])
    assert.equal(isProvidable(kind), true);
  for (const kind of ['weather', '.a', 'a.', 'a..b', '1.b', 'a b.c', ''])
    assert.equal(isProvidable(kind), false);
});
