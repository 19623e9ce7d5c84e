import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { filterEnvironment, sensitiveNames } from '../src/index.ts';

test('Fairlead’s own credentials and those named by the caller are sensitive', () => {
  assert.deepEqual(sensitiveNames(['OPENAI_API_KEY', 'FAIRLEAD_PAT']), [
    'FAIRLEAD_TOKEN',
    'FAIRLEAD_PAT',
    'FAIRLEAD_RUNNER_TOKEN',
    'AUTHORIZATION',
    'WEBCODEX_TOKEN',
    'WEBCODEX_AGENT_TOKEN',
    'WEBCODEX_USER_TOKEN',
    'WEBCODEX_PAT',
    'OPENAI_API_KEY',
  ]);
});

test('on Unix a name is its exact spelling', () => {
  const env = {
    FAIRLEAD_TOKEN: '1',
    fairlead_token: '2',
    FAIRLEAD_TOKENS: '3',
    '=C:': '4',
    EMPTY: '',
    ABSENT: undefined,
  };
  assert.deepEqual(filterEnvironment(env, ['FAIRLEAD_TOKEN'], 'linux'), {
    fairlead_token: '2',
    FAIRLEAD_TOKENS: '3',
    '=C:': '4',
    EMPTY: '',
  });
});

test('on Windows a name has no case, and the shell’s own variables are dropped', () => {
  const env = { Fairlead_Token: '1', '=C:': 'C:\\', '=::': '::\\', Path: 'C:\\bin' };
  assert.deepEqual(filterEnvironment(env, ['FAIRLEAD_TOKEN'], 'win32'), { Path: 'C:\\bin' });
});

test('whatever the environment: no sensitive name is left, and nothing else is touched', () => {
  const name = fc.oneof(
    fc.constantFrom(
      'FAIRLEAD_TOKEN',
      'fairlead_token',
      'Authorization',
      '__proto__',
      'constructor',
      '=C:',
      'PATH',
      'Path',
    ),
    fc.string({ minLength: 1, maxLength: 12 }),
  );
  const environment = fc
    .uniqueArray(fc.tuple(name, fc.string()), { selector: ([key]) => key })
    .map((entries) => ({
      entries,
      env: Object.fromEntries(entries),
    }));
  const extra = fc.array(name, { maxLength: 4 });
  fc.assert(
    fc.property(
      environment,
      extra,
      fc.constantFrom('linux', 'darwin', 'win32'),
      ({ entries, env }, names, platform) => {
        const sensitive = sensitiveNames(names);
        const kept = filterEnvironment(env, sensitive, platform);
        const same = (left: string, right: string): boolean =>
          platform === 'win32' ? left.toUpperCase() === right.toUpperCase() : left === right;
        const expected = entries.filter(
          ([key]) =>
            !sensitive.some((other) => same(other, key)) && !(platform === 'win32' && key.startsWith('=')),
        );
        assert.deepEqual(new Map(Object.entries(kept)), new Map(expected));
      },
    ),
  );
});
