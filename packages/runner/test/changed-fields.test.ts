// native-plugin-protocol §15: keys are named, values and paths are not
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isConfigField } from '@fairlead/protocol';
import { parseRunnerConfig, type RunnerConfig } from '../src/config/runner-config.ts';
import { changedFields, withStartPart } from '../src/configuration/changed-fields.ts';
import { fieldPlaces } from '../src/configuration/field-place.ts';

function configOf(text: string): RunnerConfig {
  const reading = parseRunnerConfig(text, 'linux');
  assert.ok(reading.ok, JSON.stringify(reading));
  return reading.config;
}

/** Each changed key, with `!` where only a start applies it. */
function changed(before: string, after: string): string[] {
  const { changed: fields } = changedFields(configOf(before), configOf(after));
  return fields.map(({ field, applies }) => (applies === 'live' ? field : `${field}!`));
}

const provider = (id: string, more = '') =>
  `[[plugins.providers]]\nid = "${id}"\nname = "N"\ncommand = "node"\n${more}\n`;

describe('the changed keys', () => {
  const rows: readonly (readonly [string, string, readonly string[]])[] = [
    ['', '', []],
    ['', 'client_id = "x"', ['client_id!']],
    ['server_url = "http://a"', 'server_url = "http://b"', ['server_url!']],
    ['token = "a"', '', ['token!']],
    ['display_name = "A"', 'display_name = "B"', ['display_name']],
    ['', 'project_registry_dir = "p"', ['project_registry_dir']],
    ['', 'websocket_connect_timeout_secs = 6', ['websocket_connect_timeout_secs']],
    ['', 'websocket_connect_timeout_secs = 5', []],
    ['', '[shell]\ninit_timeout_secs = 5', ['shell.init_timeout_secs']],
    [
      '',
      '[shell]\nprogram = "bash"\nargs = ["-lc"]\ndialect = "posix"',
      ['shell.program', 'shell.args', 'shell.dialect'],
    ],
    ['[shell]\npath_prepend = ["/a"]', '[shell]\npath_prepend = ["/b"]', ['shell.path_prepend']],
    ['[shell.env]\nA = "1"', '[shell.env]\nB = "1"', ['shell.env']],
    ['[shell.env]\nA = "1"\nB = "2"', '[shell.env]\nB = "2"\nA = "1"', []],
    [
      '',
      '[shell]\ndefault_profile = "x"\n[shell.profiles.x]\ninit_script = ":"',
      ['shell.default_profile', 'shell.profiles.x'],
    ],
    ['[shell.profiles.x]\nenv = { A = "1" }', '', ['shell.profiles.x']],
    [
      '[shell.profiles.x]\nenv = { A = "1" }',
      '[shell.profiles.x]\nenv = { A = "2" }\ninit_script = ":"',
      ['shell.profiles.x.env', 'shell.profiles.x.init_script'],
    ],
    ['', provider('p'), ['plugins.providers.p']],
    [provider('p'), '', ['plugins.providers.p']],
    [
      provider('p'),
      provider(
        'p',
        'args = ["x"]\ncwd = "/x"\ntimeout_secs = 9\nmax_queued = 1\nisolation = "pid"\ntool_timeout_secs = { a = 1 }',
      ),
      ['args', 'cwd', 'timeout_secs', 'tool_timeout_secs', 'max_queued', 'isolation'].map(
        (key) => `plugins.providers.p.${key}`,
      ),
    ],
    [
      provider('p'),
      provider('p').replace('"N"', '"M"').replace('node', 'deno'),
      ['plugins.providers.p.name', 'plugins.providers.p.command'],
    ],
    [
      `[shell.profiles.x]\n${provider('p')}`,
      `[shell.profiles.x]\n${provider('p', 'profile = "x"')}`,
      ['plugins.providers.p.profile'],
    ],
    [
      provider('p'),
      `[plugins]\nrequest_timeout_secs = 9\n${provider('p')}`,
      ['plugins.request_timeout_secs'],
    ],
    [provider('p') + provider('q'), provider('q') + provider('p'), ['plugins.providers']],
    [
      provider('p') + provider('q'),
      provider('q') + provider('r') + provider('p'),
      ['plugins.providers.r', 'plugins.providers'],
    ],
    [provider('p') + provider('q'), provider('q'), ['plugins.providers.p']],
    // Names with dots in them are names.
    [
      provider('p'),
      provider('p', 'args = ["x"]') + provider('p.args'),
      ['plugins.providers.p.args', 'plugins.providers.p.args'],
    ],
    ['', '[policy]\nallow_raw_shell = true\n[nonsense]\na = 1', []],
  ];
  for (const [before, after, expected] of rows)
    test(`from ${JSON.stringify(before.slice(0, 40))} to ${JSON.stringify(after.slice(0, 60))}`, () => {
      assert.deepEqual(changed(before, after).sort(), [...expected].sort());
      assert.deepEqual(changed(after, before).length, expected.length);
    });

  test('are names and nothing else, whatever the values are', () => {
    const planted = 'planted-secret-value';
    const text = (value: string) => `
client_id = "${value}"
display_name = "${value}"
server_url = "http://${value}"
token = "${value}"
project_registry_dir = "/${value}"
[shell]
program = "${value}"
path_prepend = ["/${value}"]
[shell.env]
"${value.replaceAll('-', '_').toUpperCase()}" = "${value}"
[shell.profiles.p]
init_script = "${value}"
${provider('p', `args = ["${value}"]\ncwd = "/${value}"`)}`;
    const report = changedFields(configOf(text('before')), configOf(text(planted)));
    assert.equal(report.changed_count, 11);
    assert.doesNotMatch(JSON.stringify(report), /planted|secret/i);
    for (const { field } of report.changed) assert.equal(isConfigField(field), true, field);
  });

  test('are at most 256, and counted', () => {
    const many = Array.from({ length: 300 }, (_, index) => `[shell.profiles.p${index}]`).join('\n');
    const { changed: fields, changed_count: count } = changedFields(configOf(''), configOf(many));
    assert.deepEqual([fields.length, count], [256, 300]);
  });
});

test('what only a start reads stays as it is until then', () => {
  const inForce = configOf('client_id = "a"\nserver_url = "http://a"');
  const file = configOf('client_id = "b"\ntoken = "t"\ndisplay_name = "B"');
  const next = withStartPart(file, inForce);
  assert.deepEqual(
    [next.clientId, next.serverUrl, next.token, next.displayName],
    ['a', 'http://a', undefined, 'B'],
  );
});

describe('the place of a fault', () => {
  const rows: readonly (readonly [string, string])[] = [
    ['token', 'token'],
    ['plugins.providers[0].timeout_secs', 'plugins.providers[0].timeout_secs'],
    ['the file', '*'],
    ['column 7', '*'],
    // Names of variables, and what is quoted because it is no plain key.
    ['shell.env.GITHUB_TOKEN', 'shell.env.*'],
    ['shell.profiles.node.env.GITHUB_TOKEN', 'shell.profiles.node.env.*'],
    ['shell.profiles."my profile"', 'shell.profiles.*'],
    ['shell.env."a = b"', 'shell.env.*'],
    ['plugins.providers[1].tool_timeout_secs."a.b"', 'plugins.providers[1].tool_timeout_secs.*'],
    ['"x y"', '*'],
    // A key that is as long as a secret is none of ours.
    ['fairlead_runner_abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG', '*'],
    [`colour.${'x'.repeat(41)}`, 'colour.*'],
    ['colour', 'colour'],
  ];
  for (const [key, field] of rows)
    test(`${key} is told as ${field}`, () => {
      assert.deepEqual(fieldPlaces([{ key, message: 'm', line: 3 }], 8), [{ field, line: 3 }]);
      assert.equal(isConfigField(field), true);
    });

  test('has no line where the note has none, and no more than the most is told', () => {
    const notes = Array.from({ length: 9 }, () => ({ key: 'a', message: 'm' }));
    assert.deepEqual(fieldPlaces(notes, 8), Array(8).fill({ field: 'a' }));
  });
});
