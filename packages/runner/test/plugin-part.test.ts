// native-plugin-protocol §11: what reload applies, and what counts as the plugins being the same
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { samePluginPart, withPluginPart } from '../src/config/plugin-part.ts';
import { parseRunnerConfig, type RunnerConfig } from '../src/config/runner-config.ts';

function configOf(text: string): RunnerConfig {
  const reading = parseRunnerConfig(text, 'linux');
  assert.ok(reading.ok, JSON.stringify(reading));
  return reading.config;
}

const provider = (id: string, more = '') =>
  `[[plugins.providers]]\nid = "${id}"\nname = "${id}"\ncommand = "node"\n${more}\n`;
const profiles = '[shell.profiles.a]\nenv = { A = "1" }\n[shell.profiles.b]\nenv = { B = "1" }\n';
const BASE = `[shell]\n${profiles}${provider('p', 'profile = "a"')}`;

describe('plugins and their environments', () => {
  const same: readonly (readonly [string, string, string])[] = [
    ['the same text', BASE, BASE],
    ['another name of the Runner', BASE, `display_name = "other"\n${BASE}`],
    ['another limit of init scripts', BASE, BASE.replace('[shell]', '[shell]\ninit_timeout_secs = 5')],
    ['a profile that no provider uses', BASE, BASE.replace('B = "1"', 'B = "2"')],
    ['such a profile taken out', BASE, BASE.replace(/\[shell.profiles.b\]\nenv = .*\n/, '')],
    [
      'a default profile that every provider overrides',
      BASE,
      BASE.replace('[shell]', '[shell]\ndefault_profile = "b"'),
    ],
    [
      'a default spelled out',
      `${provider('p')}`,
      `[plugins]\nrequest_timeout_secs = 30\n${provider('p', 'max_queued = 0')}`,
    ],
    [
      'variables in another order',
      `[shell.env]\nA = "1"\nB = "2"\n${provider('p')}`,
      `[shell.env]\nB = "2"\nA = "1"\n${provider('p')}`,
    ],
    ['a key that has no effect', BASE, `[policy]\nallow_raw_shell = true\n${BASE}`],
    ['an environment of no provider', '[shell.env]\nA = "1"', '[shell.env]\nA = "2"'],
  ];
  for (const [what, left, right] of same)
    test(`are the same with ${what}`, () =>
      assert.equal(samePluginPart(configOf(left), configOf(right)), true));

  const other: readonly (readonly [string, string, string])[] = [
    ['a provider more', BASE, BASE + provider('q', 'profile = "a"')],
    ['another order', provider('p') + provider('q'), provider('q') + provider('p')],
    ['another name', BASE, BASE.replace('name = "p"', 'name = "P"')],
    ['another command', BASE, BASE.replace('command = "node"', 'command = "deno"')],
    ['an argument', BASE, BASE.replace('command', 'args = ["x"]\ncommand')],
    ['a folder', BASE, BASE.replace('command', 'cwd = "/"\ncommand')],
    ['another budget', provider('p'), `[plugins]\nrequest_timeout_secs = 31\n${provider('p')}`],
    ['the budget of one tool', provider('p'), provider('p', 'tool_timeout_secs = { a = 1 }')],
    ['isolation', provider('p'), provider('p', 'isolation = "pid"')],
    ['its profile', BASE, BASE.replace('A = "1"', 'A = "2"')],
    ['another profile', BASE, BASE.replace('profile = "a"', 'profile = "b"')],
    ['an init script', BASE, BASE.replace('env = { A', 'init_script = ":"\nenv = { A')],
    ['the base environment', provider('p'), `[shell.env]\nA = "1"\n${provider('p')}`],
    ['the shell program', provider('p'), `[shell]\nprogram = "bash"\n${provider('p')}`],
    ['folders before PATH', provider('p'), `[shell]\npath_prepend = ["/x"]\n${provider('p')}`],
    [
      'a default profile that counts',
      `[shell]\ndefault_profile = "a"\n${profiles}${provider('p')}`,
      `[shell]\ndefault_profile = "b"\n${profiles}${provider('p')}`,
    ],
  ];
  for (const [what, left, right] of other)
    test(`differ with ${what}`, () => assert.equal(samePluginPart(configOf(left), configOf(right)), false));
});

describe('a reload of the plugins', () => {
  test('takes the plugins and what their environments are made from, and nothing else', () => {
    const inForce = configOf(`
client_id = "one"
display_name = "One"
server_url = "http://one"
token = "t1"
project_registry_dir = "one"
websocket_connect_timeout_secs = 1
[shell]
default_profile = "unused"
init_timeout_secs = 1
program = "sh"
[shell.env]
A = "1"
[shell.profiles.unused]
env = { U = "1" }
${provider('old', 'profile = "unused"')}`);
    const file = configOf(`
client_id = "two"
display_name = "Two"
server_url = "http://two"
token = "t2"
project_registry_dir = "two"
websocket_connect_timeout_secs = 2
[shell]
default_profile = "used"
init_timeout_secs = 2
program = "bash"
args = ["-lc"]
dialect = "posix"
path_prepend = ["/x"]
[shell.env]
A = "2"
[shell.profiles.used]
env = { U = "2" }
[shell.profiles.unused]
env = { U = "2" }
[plugins]
request_timeout_secs = 2
${provider('new', 'profile = "used"')}`);
    assert.deepEqual(withPluginPart(inForce, file), {
      clientId: 'one',
      displayName: 'One',
      serverUrl: 'http://one',
      token: 't1',
      projectRegistryDir: 'one',
      websocketConnectTimeoutSecs: 1,
      shell: {
        defaultProfile: 'unused',
        program: 'bash',
        args: ['-lc'],
        dialect: 'posix',
        pathPrepend: ['/x'],
        env: { A: '2' },
        profiles: new Map([
          ['unused', { env: { U: '1' } }],
          ['used', { env: { U: '2' } }],
        ]),
        initTimeoutMs: 1000,
      },
      plugins: file.plugins,
    });
  });

  test('takes the default profile where a provider has none of its own, also its absence', () => {
    const withDefault = configOf(`[shell]\ndefault_profile = "a"\n${profiles}${provider('p')}`);
    const without = configOf(`[shell]\n${profiles}${provider('p')}`);
    assert.equal(withPluginPart(without, withDefault).shell.defaultProfile, 'a');
    assert.equal(withPluginPart(withDefault, without).shell.defaultProfile, undefined);
  });

  test('gives what is the same as the file’s plugins', () => {
    const inForce = configOf(provider('p'));
    const file = configOf(BASE);
    assert.equal(samePluginPart(withPluginPart(inForce, file), file), true);
  });
});
