import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import type { ProviderRow } from '@fairlead/protocol';
import { commandHint, shellWord } from '../src/output/command-hint.ts';
import { type ReadyReport, readyText } from '../src/output/ready-text.ts';

const ready = (id: string): ProviderRow => ({ id, name: id, status: 'ready', error_code: null });
const starting = (id: string): ProviderRow => ({ id, name: id, status: 'starting', error_code: null });
const failed = (id: string, code: string): ProviderRow => ({
  id,
  name: id,
  status: 'failed',
  error_code: code,
});

const report: ReadyReport = {
  command: './fairlead',
  stateFlag: '',
  url: 'http://127.0.0.1:7420',
  tokenFile: '/clone/.fairlead/operator.token',
  scopes: [
    'plugin:inspect',
    'plugin:invoke',
    'plugin:manage',
    'runner:manage',
    'project:read',
    'session:read',
    'session:write',
    'session:approve',
    'mcp:invoke',
    'admin',
  ],
  runner: 'local',
  extensions: [],
  agents: { names: ['fairlead'], model: 'demo/script' },
  providers: [ready('sdk-echo'), ready('raw-node'), ready('repo-info')],
};

test('where, with what right, what is ready, and commands to copy', () => {
  assert.equal(
    readyText(report),
    `Fairlead is ready at http://127.0.0.1:7420
  operator token  /clone/.fairlead/operator.token
  its scopes      plugin:inspect plugin:invoke plugin:manage runner:manage project:read
                  session:read session:write session:approve mcp:invoke admin
  agents          fairlead, with demo/script; talk to them: ./fairlead chat
  Runner          local
  ready           sdk-echo, raw-node, repo-info

Try it:
  ./fairlead plugin list --runner local
  ./fairlead plugin describe --runner local --plugin sdk-echo --tool echo
  ./fairlead plugin call --runner local --plugin sdk-echo --tool echo --arguments '{"text":"hello"}'

Ctrl-C stops everything.
`,
  );
});

test('without a model it says how to add one', () => {
  const text = readyText({ ...report, stateFlag: ' --state-dir x', agents: { names: [], model: null } });
  assert.match(
    text,
    /\n {2}agents {10}no model yet: \.\/fairlead model add --state-dir x, or a demo: \.\/fairlead chat --demo\n/,
  );
});

test('what failed has its code and a next step, what still starts is named', () => {
  const providers = [
    starting('slow'),
    failed('a', 'plugin_eof'),
    failed('b', 'plugin_timeout'),
    ready('mine'),
  ];
  const text = readyText({ ...report, stateFlag: ' --state-dir /s', providers });
  assert.match(
    text,
    /\n {2}ready {11}mine\n {2}still starting {2}slow\n {2}failed {10}a \(plugin_eof\), b \(plugin_timeout\)\n {18}see why: \.\/fairlead runner stderr --state-dir \/s a\n/,
  );
  assert.match(text, /plugin describe --state-dir \/s --runner local --plugin mine --tool TOOL\n/);
});

test('the example that is ready is the one to try', () => {
  const providers = [failed('sdk-echo', 'plugin_eof'), ready('other'), ready('raw-node')];
  assert.match(
    readyText({ ...report, providers }),
    /plugin call --runner local --plugin raw-node --tool add --arguments '\{"a":2,"b":5\}'\n/,
  );
});

test('a Runner without a plugin says so', () => {
  const text = readyText({ ...report, providers: [] });
  assert.match(text, /\n {2}Runner {10}local, without a plugin yet\n\nTry it:\n/);
  assert.match(text, /--plugin PLUGIN --tool TOOL/);
});

test('a Runner id that a shell would split is quoted', () => {
  assert.match(readyText({ ...report, runner: "it's mine" }), /plugin list --runner 'it'\\''s mine'\n/);
});

test('serve says how a Runner comes to it', () => {
  const text = readyText({ ...report, runner: null, providers: [] });
  assert.match(text, /\.\/fairlead token create --runner NAME\n/);
  assert.match(text, /runner run --server-url http:\/\/127\.0\.0\.1:7420 --token-file FILE/);
  assert.doesNotMatch(text, /Try it/);
});

test('never more than 20 lines, whatever the plugins are called', () => {
  const id = (index: number) => `${index}`.padEnd(64, 'x');
  for (let broken = 0; broken <= 8; broken += 1) {
    for (let slow = 0; slow + broken <= 8; slow += 1) {
      const providers = Array.from({ length: 8 }, (_, index) => {
        if (index < broken) return failed(id(index), 'plugin_executable_unavailable');
        return index < broken + slow ? starting(id(index)) : ready(id(index));
      });
      const text = readyText({ ...report, providers });
      assert.equal(text.split('\n').length - 1 <= 20, true, text);
      for (const provider of providers) assert.equal(text.includes(provider.id), true);
    }
  }
});

test('a command is typed as ./fairlead in the clone and by its path elsewhere', () => {
  const inputs = { env: {}, cwd: '/clone', home: '/home/you', cloneRoot: '/clone', exists: () => true };
  assert.deepEqual(commandHint(inputs, '/clone/.fairlead'), { command: './fairlead', stateFlag: '' });
  assert.deepEqual(commandHint({ ...inputs, cwd: '/elsewhere' }, '/clone/.fairlead'), {
    command: '/clone/fairlead',
    stateFlag: '',
  });
  assert.deepEqual(commandHint({ ...inputs, cloneRoot: '/my clone' }, '/my clone/.fairlead'), {
    command: "'/my clone/fairlead'",
    stateFlag: '',
  });
});

test('npm’s own folder does not count, the one where the person stands does', () => {
  const env = { npm_command: 'start', INIT_CWD: '/clone/docs' };
  const inputs = { env, cwd: '/clone', home: '/home/you', cloneRoot: '/clone', exists: () => true };
  assert.equal(commandHint(inputs, '/clone/.fairlead').command, '/clone/fairlead');
  const inherited = { ...inputs, env: { INIT_CWD: '/clone/docs' } };
  assert.equal(commandHint(inherited, '/clone/.fairlead').command, './fairlead');
  const old = { ...inputs, env: { npm_command: 'start' } };
  assert.equal(commandHint(old, '/clone/.fairlead').command, './fairlead');
});

test('a state directory that is not found by itself is named', () => {
  const inputs = { env: {}, cwd: '/w', home: '/home/you', cloneRoot: '/clone', exists: () => false };
  assert.deepEqual(commandHint(inputs, '/a b'), { command: 'fairlead', stateFlag: " --state-dir '/a b'" });
  assert.equal(commandHint(inputs, '/home/you/.local/state/fairlead').stateFlag, '');
  const fromVariable = { ...inputs, env: { FAIRLEAD_STATE_DIR: '/s' } };
  assert.equal(commandHint(fromVariable, '/s').stateFlag, ' --state-dir /s');
});

test('a quoted word is one word for a shell', () => {
  for (const word of ['plain', 'two words', "it's", '$HOME', '`x`', 'a"b', '*', '', '~', 'é\\n', 'a;b&c|d']) {
    assert.equal(execFileSync('sh', ['-c', `printf %s ${shellWord(word)}`], { encoding: 'utf8' }), word);
  }
  assert.equal(shellWord('/plain/path-1.2_3'), '/plain/path-1.2_3');
});

test('extensions that the operator named are told, and those that do not run with what to do', () => {
  const extensions = [
    { name: 'notes', code: null },
    { name: 'dice', code: null },
    { name: '/srv/broken', code: 'extension_load_failed' },
  ];
  const text = readyText({ ...report, extensions });
  assert.match(
    text,
    /extensions {6}notes, dice\n {2}not running {5}\/srv\/broken \(extension_load_failed\)\n/,
  );
  assert.match(text, /see why: \S+ ext list\n/);
  assert.ok(text.split('\n').length <= 21);
});
