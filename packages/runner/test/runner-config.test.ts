import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { noteText } from '../src/config/config-table.ts';
import { readRunnerConfig } from '../src/config/read-runner-config.ts';
import { parseRunnerConfig, type RunnerConfig } from '../src/config/runner-config.ts';

function parsed(text: string, platform: NodeJS.Platform = 'linux'): RunnerConfig {
  const reading = parseRunnerConfig(text, platform);
  assert.ok(reading.ok, JSON.stringify(reading));
  return reading.config;
}

function faults(text: string, platform: NodeJS.Platform = 'linux'): string[] {
  const reading = parseRunnerConfig(text, platform);
  return reading.ok ? [] : reading.faults.map(noteText);
}

function warnings(text: string): string[] {
  const reading = parseRunnerConfig(text, 'linux');
  return reading.ok ? reading.warnings.map(noteText) : ['refused'];
}

const provider = (lines: string) => `[[plugins.providers]]\nid = "p"\nname = "P"\ncommand = "node"\n${lines}`;

test('the tables of a file that was written elsewhere are read, with their defaults', () => {
  const text = `
client_id = "my-runner"

[shell]
default_profile = "node"
path_prepend = ["/opt/bin"]
env = { A = "1" }

[shell.profiles.node]
program = "bash"
args = ["-lc"]
env = { B = "2" }
init_script = """
source ~/.nvm/nvm.sh
nvm use 22
"""

[plugins]
request_timeout_secs = 40

[[plugins.providers]]
id = "repo-tools"
name = "Repo Tools"
command = "node"
args = ["tools/plugin.mjs"]
cwd = "/root/git/example"
profile = "node"
timeout_secs = 30

[[plugins.providers]]
id = "second"
name = "Second"
command = "python3"
max_queued = 16
isolation = "pid"

[plugins.providers.tool_timeout_secs]
search = 120
"with.dot" = 1
`;
  assert.deepEqual(parsed(text), {
    clientId: 'my-runner',
    websocketConnectTimeoutSecs: 5,
    shell: {
      defaultProfile: 'node',
      pathPrepend: ['/opt/bin'],
      env: { A: '1' },
      profiles: new Map([
        [
          'node',
          {
            program: 'bash',
            args: ['-lc'],
            env: { B: '2' },
            initScript: 'source ~/.nvm/nvm.sh\nnvm use 22\n',
          },
        ],
      ]),
      initTimeoutMs: 30_000,
    },
    plugins: {
      requestTimeoutSecs: 40,
      providers: [
        {
          id: 'repo-tools',
          name: 'Repo Tools',
          command: 'node',
          args: ['tools/plugin.mjs'],
          cwd: '/root/git/example',
          profile: 'node',
          timeoutMs: 30_000,
          toolTimeoutMs: new Map(),
          maxQueued: 0,
          isolation: 'none',
        },
        {
          id: 'second',
          name: 'Second',
          command: 'python3',
          args: [],
          timeoutMs: 40_000,
          toolTimeoutMs: new Map([
            ['search', 120_000],
            ['with.dot', 1_000],
          ]),
          maxQueued: 16,
          isolation: 'pid',
        },
      ],
    },
  });
  assert.deepEqual(warnings(text), []);
});

test('an empty file is a Runner without providers', () => {
  assert.deepEqual(parsed(''), {
    websocketConnectTimeoutSecs: 5,
    shell: { pathPrepend: [], env: {}, profiles: new Map(), initTimeoutMs: 30_000 },
    plugins: { requestTimeoutSecs: 30, providers: [] },
  });
});

test('what dials the gateway is read', () => {
  const config = parsed(`
display_name = "Büro"
server_url = "https://fairlead.example/base"
token = "fairlead_runner_x"
project_registry_dir = "projects"
websocket_connect_timeout_secs = 9
[shell]
program = "/bin/bash"
args = ["-c"]
dialect = "posix"
init_timeout_secs = 60
`);
  assert.deepEqual(
    [
      config.displayName,
      config.serverUrl,
      config.token,
      config.projectRegistryDir,
      config.websocketConnectTimeoutSecs,
    ],
    ['Büro', 'https://fairlead.example/base', 'fairlead_runner_x', 'projects', 9],
  );
  assert.deepEqual(
    [config.shell.program, config.shell.args, config.shell.dialect],
    ['/bin/bash', ['-c'], 'posix'],
  );
  assert.equal(config.shell.initTimeoutMs, 60_000);
});

describe('bounds, each with its line', () => {
  const rows: readonly (readonly [string, string])[] = [
    [
      '\nclient_id = "a b"',
      'line 2: client_id must be 1 to 128 letters, digits, _ . - and begin with a letter or digit',
    ],
    [
      'client_id = "../x"',
      'line 1: client_id must be 1 to 128 letters, digits, _ . - and begin with a letter or digit',
    ],
    ['client_id = 7', 'line 1: client_id must be a string'],
    [
      'display_name = " "',
      'line 1: display_name must be one line of 1 to 128 bytes without control characters, not blank',
    ],
    ['server_url = "ftp://x"', 'line 1: server_url must be an http or https URL'],
    ['server_url = "http://u:p@x"', 'line 1: server_url must not hold a user name or password'],
    [
      '[shell]\ninit_timeout_secs = 61',
      'line 2: shell.init_timeout_secs must be a whole number from 1 to 60',
    ],
    ['[shell]\ninit_timeout_secs = 0', 'line 2: shell.init_timeout_secs must be a whole number from 1 to 60'],
    [
      'websocket_connect_timeout_secs = 0',
      'line 1: websocket_connect_timeout_secs must be a whole number from 1 to 120',
    ],
    ['plugins = 3', 'line 1: plugins must be a table'],
    ['[plugins]\nproviders = 3', 'line 2: plugins.providers must be a list of tables'],
    ['[plugins]\nproviders = [3]', 'line 2: plugins.providers[0] must be a table'],
    [
      '[plugins]\nrequest_timeout_secs = 0',
      'line 2: plugins.request_timeout_secs must be a whole number from 1 to 120',
    ],
    [
      '[plugins]\nrequest_timeout_secs = 1.5',
      'line 2: plugins.request_timeout_secs must be a whole number from 1 to 120',
    ],
    [
      provider('timeout_secs = 121'),
      'line 5: plugins.providers[0].timeout_secs must be a whole number from 1 to 120',
    ],
    [
      provider('max_queued = 17'),
      'line 5: plugins.providers[0].max_queued must be a whole number from 0 to 16',
    ],
    [provider('isolation = "vm"'), 'line 5: plugins.providers[0].isolation must be one of none, pid'],
    [provider('cwd = "relative"'), 'line 5: plugins.providers[0].cwd must be an absolute path'],
    [provider(`cwd = "/${'x'.repeat(4096)}"`), 'line 5: plugins.providers[0].cwd must have 1 to 4096 bytes'],
    [
      provider('profile = "absent"'),
      'line 5: plugins.providers[0].profile names a profile that is not in the file',
    ],
    [provider('args = "x"'), 'line 5: plugins.providers[0].args must be a list of strings'],
    [provider('args = [\n "x",\n 1,\n]'), 'line 7: plugins.providers[0].args[1] must be a string'],
    [provider('args = ["a\\u0000b"]'), 'line 5: plugins.providers[0].args[0] must not hold a NUL character'],
    [
      provider(`args = ["${'x'.repeat(4097)}"]`),
      'line 5: plugins.providers[0].args[0] must have 0 to 4096 bytes',
    ],
    [
      provider(`args = [${'"x",'.repeat(65)}]`),
      'line 5: plugins.providers[0].args must have at most 64 items',
    ],
    [
      provider(`args = [${`"${'x'.repeat(4096)}",`.repeat(4)}"x"]`),
      'line 5: plugins.providers[0].args must have at most 16384 bytes in all',
    ],
    [
      provider('tool_timeout_secs = { "a b" = 3 }'),
      'line 5: plugins.providers[0].tool_timeout_secs."a b" must be a tool name: 1 to 128 letters, digits, _ . -',
    ],
    [
      provider('tool_timeout_secs = { a = 0 }'),
      'line 5: plugins.providers[0].tool_timeout_secs.a must be a whole number from 1 to 120',
    ],
    ['[[plugins.providers]]\nname = "P"\ncommand = "c"', 'line 1: plugins.providers[0] needs the key id'],
    [
      '[[plugins.providers]]\nid = "Upper"\nname = "P"\ncommand = "c"',
      'line 2: plugins.providers[0].id must be 1 to 64 lower-case letters, digits, _ . -',
    ],
    [
      '[[plugins.providers]]\nid = "p"\nname = "\\u001b[1m"\ncommand = "c"',
      'line 3: plugins.providers[0].name must be 1 to 128 bytes without control characters, not blank',
    ],
    [
      `[[plugins.providers]]\nid = "p"\nname = "P"\ncommand = "${'c'.repeat(1025)}"`,
      'line 4: plugins.providers[0].command must have 1 to 1024 bytes',
    ],
    [`${provider('')}\n${provider('')}`, 'line 7: plugins.providers[1].id is used by another provider above'],
    [
      '[shell]\ndefault_profile = "absent"',
      'line 2: shell.default_profile names a profile that is not in the file',
    ],
    ['[shell]\ndialect = "fish"', 'line 2: shell.dialect must be one of posix, powershell'],
    ['[shell.env]\n"a-b" = "x"', 'line 2: shell.env.a-b must be made of letters, digits and _'],
    ['[shell.env]\nA = 1', 'line 2: shell.env.A must be a string'],
    ['[shell.profiles."a..b"]', 'line 1: shell.profiles."a..b" has a name that a profile cannot have'],
    ['[shell.profiles.a]\ndescription = ""', 'line 2: shell.profiles.a.description must not be blank'],
    [
      '[shell.profiles.a]\ndescription = "\\u0007"',
      'line 2: shell.profiles.a.description must not hold control characters',
    ],
    [
      `[shell.profiles.a]\ndescription = "${'x'.repeat(4097)}"`,
      'line 2: shell.profiles.a.description must have 1 to 4096 bytes',
    ],
    ['[shell.profiles]\na = 1', 'line 2: shell.profiles.a must be a table'],
    [`[shell]\nargs = [${'"x",'.repeat(65)}]`, 'line 2: shell.args must have at most 64 items'],
  ];
  for (const [text, expected] of rows) {
    test(expected, () => {
      assert.deepEqual(faults(text), [expected]);
    });
  }

  test('more than eight providers are refused', () => {
    const nine = Array.from({ length: 9 }, (_, n) => provider('').replace('"p"', `"p${n}"`)).join('\n');
    assert.deepEqual(faults(nine), ['line 1: plugins.providers must be at most 8']);
  });

  test('every fault of a file is found in one reading', () => {
    assert.deepEqual(faults('client_id = 1\n[plugins]\nrequest_timeout_secs = 500'), [
      'line 1: client_id must be a string',
      'line 3: plugins.request_timeout_secs must be a whole number from 1 to 120',
    ]);
  });

  test('what an absolute path is, the platform decides', () => {
    assert.deepEqual(faults(provider("cwd = 'C:\\work'"), 'win32'), []);
    assert.equal(faults(provider("cwd = 'C:\\work'"), 'linux').length, 1);
  });
});

describe('warnings', () => {
  test('an unknown key is kept, warned about with its line and the nearest key', () => {
    assert.deepEqual(warnings(`cilent_id = "x"\n${provider('comand = "x"\nzzz = 1')}`), [
      'line 6: plugins.providers[0].comand is not a known key; it is ignored (did you mean command?)',
      'line 7: plugins.providers[0].zzz is not a known key; it is ignored',
      'line 1: cilent_id is not a known key; it is ignored (did you mean client_id?)',
    ]);
  });

  test('keys that mean something elsewhere and nothing here are named', () => {
    assert.deepEqual(
      warnings('transport = "quic"\n[policy]\nallow_raw_shell = false\n[shell]\ninit_script = "x.sh"'),
      [
        'line 5: shell.init_script has no effect here',
        'line 1: transport has no effect here',
        'line 2: policy has no effect here',
      ],
    );
  });
});

test('a variable that is called like a member of every object is an own member', () => {
  const { env } = parsed('[shell.env]\n__proto__ = "x"').shell;
  assert.equal(Object.getOwnPropertyDescriptor(env, '__proto__')?.value, 'x');
});

describe('the file', () => {
  const told = async (path: string) => {
    const file = await readRunnerConfig(path);
    return file.ok ? 'ok' : `${file.code}: ${file.localDetail}${file.absent === true ? ' (absent)' : ''}`;
  };

  test('one that opens and cannot be read', { skip: process.platform !== 'linux' }, async () => {
    assert.equal(await told('/proc/self/mem'), 'plugin_config_read_failed: the file cannot be read');
  });

  test('absent, unreadable, no file, too large, not UTF-8, no TOML', async (t) => {
    hygiene(t);
    const folder = temporaryFolder(t);
    const path = join(folder, 'runner.toml');
    assert.equal(await told(path), 'plugin_config_read_failed: the file does not exist (absent)');
    assert.equal(await told(join(path, 'x')), 'plugin_config_read_failed: the file does not exist (absent)');
    mkdirSync(join(folder, 'folder'));
    assert.equal(await told(join(folder, 'folder')), 'plugin_config_read_failed: it is not an ordinary file');
    execFileSync('mkfifo', [join(folder, 'fifo')]);
    assert.equal(await told(join(folder, 'fifo')), 'plugin_config_read_failed: it is not an ordinary file');
    writeFileSync(path, '#'.repeat(1024 * 1024 + 1));
    assert.equal(await told(path), 'plugin_config_read_failed: the file is larger than 1 MiB');
    writeFileSync(path, Buffer.from([0x23, 0xff]));
    assert.equal(await told(path), 'plugin_config_parse_failed: the file is not UTF-8');
    writeFileSync(path, '# fine\ntoken = "planted-secret" x');
    assert.match(await told(path), /^plugin_config_parse_failed: line 2: column \d+ is not valid TOML: /);
    assert.equal((await told(path)).includes('planted-secret'), false);
    writeFileSync(path, `${'[[plugins.providers]]\nid = 1\n'.repeat(4)}`);
    assert.match(await told(path), /and 4 more$/);
    chmodSync(path, 0o600);
    writeFileSync(path, 'client_id = "x"');
    assert.equal(await told(path), 'ok');
  });
});
