import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '@fairlead/testing';
import { readWeb } from '../../src/network/read-web.ts';
import { peerWeb } from '../../src/network/web-requests.ts';

const read = (...search: object[]) => readWeb({ web: { search } });

test('engines are read in the order of the file', () => {
  assert.deepEqual(
    read(
      { type: 'brave', api_key_env: 'BRAVE_KEY' },
      { type: 'searxng', base_url: 'https://search.example/searx/' },
      { type: 'duckduckgo' },
    ),
    {
      ok: true,
      value: {
        search: [
          { type: 'brave', apiKeyEnv: 'BRAVE_KEY' },
          { type: 'searxng', baseUrl: 'https://search.example/searx' },
          { type: 'duckduckgo' },
        ],
      },
      notices: [],
    },
  );
  assert.deepEqual(readWeb({}), { ok: true, value: { search: [] }, notices: [] });
});

test('an engine that could never answer refuses the file, with its place', () => {
  const refused = (search: object) => {
    const reading = read(search);
    return reading.ok ? 'ok' : [reading.at.join('.'), reading.problem];
  };
  assert.deepEqual(refused({}), ['web.search.0.type', 'is missing']);
  assert.deepEqual(refused({ type: 'braev' }), [
    'web.search.0.type',
    'must be one of kagi, tavily, brave, serper, searxng, duckduckgo (did you mean brave?)',
  ]);
  for (const type of ['kagi', 'tavily', 'brave', 'serper'])
    assert.deepEqual(refused({ type }), [
      'web.search.0.api_key_env',
      'must name the variable that holds the key',
    ]);
  assert.deepEqual(refused({ type: 'searxng' }), [
    'web.search.0.base_url',
    'must be the address of the server, such as http://127.0.0.1:8888',
  ]);
  assert.deepEqual(refused({ type: 'kagi', api_key_env: 'not a name' }), [
    'web.search.0.api_key_env',
    'must be the name of a variable',
  ]);
  for (const base_url of ['ftp://x', 'nonsense', 'https://u:p@x', 'https://x?q=1', 'https://x/#f'])
    assert.deepEqual(refused({ type: 'duckduckgo', base_url })[0], 'web.search.0.base_url', base_url);
});

test('what has no effect, and a key that goes in the clear, is noticed', () => {
  const reading = read({ type: 'serper', api_key_env: 'K', base_url: 'http://far.example', kye: 1 });
  assert.deepEqual(reading.ok && reading.notices.map(({ at, message }) => `${at.join('.')}: ${message}`), [
    'web.search.0.kye: is not known to this version; it is kept and has no effect',
    'web.search.0.base_url: is not encrypted: whoever can watch that network can read the key',
  ]);
});

test('a key comes from the environment, and an empty one is none', () => {
  const { search } = peerWeb({
    settings: {
      search: [
        { type: 'brave', apiKeyEnv: 'A' },
        { type: 'kagi', apiKeyEnv: 'B' },
      ],
    },
    env: { A: ' secret \n', B: '  ' },
    clock: manualClock(),
    grant: async () => undefined,
  });
  assert.deepEqual(search, [{ type: 'brave', key: 'secret' }, { type: 'kagi' }]);
});
