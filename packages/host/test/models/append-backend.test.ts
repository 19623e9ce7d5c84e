import assert from 'node:assert/strict';
import { test } from 'node:test';
import { appendBackend, type NewBackend } from '../../src/models/configuration/append-backend.ts';

const LOCAL: NewBackend = {
  name: 'local',
  type: 'openai_compatible',
  base_url: 'http://127.0.0.1:8080/v1',
  models: [{ name: 'tiny "q"', tools: false, price: { input: 0.5, output: 1 } }],
};

test('a back end is put behind what stands, and the default before it', () => {
  const source = '# mine\n[gateway]\nport = 1\n';
  const appended = appendBackend(source, LOCAL, 'local/tiny "q"');
  assert.ok(appended.ok);
  assert.equal(
    appended.text,
    [
      'model = "local/tiny \\"q\\""',
      '# mine',
      '[gateway]',
      'port = 1',
      '',
      '[[backends]]',
      'name = "local"',
      'type = "openai_compatible"',
      'base_url = "http://127.0.0.1:8080/v1"',
      '',
      '[[backends.models]]',
      'name = "tiny \\"q\\""',
      'tools = false',
      '',
      '[backends.models.price]',
      'input = 0.5',
      'output = 1',
      '',
    ].join('\n'),
  );
  const again = appendBackend(appended.text, { ...LOCAL, name: 'other' }, 'other/tiny "q"');
  assert.ok(again.ok);
  assert.ok(again.text.startsWith(appended.text));
  assert.equal(again.text.match(/^model = /gm)?.length, 1);
});

test('a file that does not end its last line, and none at all, are added to', () => {
  for (const source of ['', '[gateway]', '[gateway]\n\n']) {
    const appended = appendBackend(source, LOCAL);
    assert.ok(appended.ok);
    assert.ok(appended.text.endsWith(appended.block));
    assert.ok(!appended.block.includes('model ='));
  }
});

test('what would not stand there as it was meant is not written', () => {
  assert.deepEqual(appendBackend('a = = b', LOCAL), { ok: false, reason: 'not_toml' });
  assert.deepEqual(appendBackend('backends = []', LOCAL), { ok: false, reason: 'not_appended' });
  assert.deepEqual(appendBackend('', { name: 'a', type: 'anthropic', models: [{ name: 'm' }] }), {
    ok: false,
    reason: 'refused',
    at: ['backends', 0, 'api_key_env'],
    problem: 'must name the variable that holds the key',
  });
  const one = appendBackend('', LOCAL);
  assert.ok(one.ok);
  const twice = appendBackend(one.text, LOCAL);
  assert.ok(!twice.ok && twice.reason === 'refused');
  assert.deepEqual(twice.at, ['backends', 1, 'name']);
});
