import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import {
  endHost,
  fairlead,
  hostile,
  hostilePlugin,
  type ProviderBlock,
  pluginTool,
  startHost,
  writeRunnerConfig,
} from './fairlead-process.ts';

/** One word per place in which something stands that is nobody's business. None is part of another. */
const planted = {
  environment: 'planted-in-environment',
  shellEnvironment: 'planted-in-shell-environment',
  profileEnvironment: 'planted-in-profile-environment',
  initScript: 'planted-in-init-script',
  configToken: `fairlead_runner_${'planted-config-token'.padEnd(43, 'x')}`,
  configUrl: 'planted-server-url',
  unknownValue: 'planted-unknown-value',
  argument: 'planted-as-argument',
  folder: 'planted-as-folder',
  command: 'planted-as-command',
  missingCommand: 'planted-missing-command',
  stderr: 'planted-stderr-marker',
  stderrOfCandidate: 'planted-candidate-stderr',
  stdout: 'planted-on-stdout',
  rpcError: 'planted-foreign-error-text',
  callArgument: 'planted-call-argument',
  refusedArgument: 'planted-refused-argument',
  modelKey: 'planted-model-key',
  personalToken: `fairlead_pat_${'planted-environment-token'.padEnd(43, 'x')}`,
  runnerToken: `fairlead_runner_${'planted-environment-token'.padEnd(43, 'x')}`,
} as const;

test('planted secrets stand in no HTTP answer, log file, database file or output of up', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const stateDirectory = join(folder, 'state');
  mkdirSync(stateDirectory, { mode: 0o700 });
  const cwd = join(folder, planted.folder);
  mkdirSync(cwd);
  const command = join(cwd, planted.command);
  symlinkSync(process.execPath, command);
  const plugin = (id: string, scenario: string): ProviderBlock => {
    return { ...hostile(id, scenario), command, args: [hostilePlugin, scenario], cwd };
  };
  const shout = join(folder, 'shout.sh');
  writeFileSync(
    shout,
    `#!/bin/sh\necho "${planted.stderrOfCandidate} key=[$MODEL_KEY] token=[$FAIRLEAD_TOKEN$FAIRLEAD_RUNNER_TOKEN]" >&2\necho ${planted.stdout}\nexec sleep 60\n`,
  );
  chmodSync(shout, 0o755);
  const head = `
server_url = "http://${planted.configUrl}.invalid"
token = "${planted.configToken}"
unknown_key = "${planted.unknownValue}"
[shell]
env = { SHELL_SECRET = "${planted.shellEnvironment}" }
[shell.profiles.work]
env = { PROFILE_SECRET = "${planted.profileEnvironment}" }
init_script = "export FROM_INIT=${planted.initScript}"
`;
  const runnerConfig = writeRunnerConfig(
    join(folder, 'runner.toml'),
    'local',
    [
      { ...plugin('good', 'well-behaved'), profile: 'work' },
      plugin('dies', 'dies-on-call'),
      plugin('errs', 'rpc-error'),
      { ...plugin('marks', 'stderr-marker'), args: [hostilePlugin, 'stderr-marker', join(folder, 'record')] },
      { id: 'shouts', command: shout, args: [planted.argument], cwd },
      { id: 'missing', command: join(cwd, planted.missingCommand), cwd },
    ],
    head,
  );
  writeFileSync(join(stateDirectory, 'fairlead.toml'), '[models.x]\napi_key_env = "MODEL_KEY"\n');
  const env = {
    ...process.env,
    PLANTED: planted.environment,
    HOSTILE_MARKER: planted.environment,
    MODEL_KEY: planted.modelKey,
    FAIRLEAD_TOKEN: planted.personalToken,
    FAIRLEAD_RUNNER_TOKEN: planted.runnerToken,
  };
  const host = await startHost(t, { stateDirectory, runnerConfig, env });
  const at = ['--state-dir', stateDirectory];
  const made = await fairlead(t, ['token', 'create', '--name', 'ci', '--scopes', 'plugin:inspect', ...at]);
  const minted = made.stdout.trim();

  const answers: string[] = [];
  const ask = async (params: JsonObject): Promise<JsonObject> => {
    const { text, body } = await pluginTool(host, host.token, params);
    answers.push(text);
    return body;
  };
  const call = async (id: string, tool: string, args: JsonObject) => {
    const { output } = await ask({ action: 'describe', runner: 'local', plugin: id, tool });
    const binding = (output as JsonObject)['binding'] ?? '';
    return ask({ action: 'call', binding, arguments: args });
  };
  await ask({ action: 'list' });
  const plugins = await ask({ action: 'list', runner: 'local' });
  assert.deepEqual(
    ((plugins['output'] as JsonObject)['plugins'] as JsonObject[]).map(({ plugin: id, errorCode }) => [
      id,
      errorCode,
    ]),
    [
      ['good', null],
      ['dies', null],
      ['errs', null],
      ['marks', null],
      ['shouts', 'plugin_malformed_json'],
      ['missing', 'plugin_executable_unavailable'],
    ],
  );
  const all = ['good', 'dies', 'errs', 'marks', 'shouts', 'missing'];
  for (const id of all) {
    await ask({ action: 'list', runner: 'local', plugin: id });
    await ask({ action: 'describe', runner: 'local', plugin: id, tool: 'echo' });
    await ask({ action: 'check', runner: 'local', plugin: id });
  }
  const secretText = { text: planted.callArgument };
  const unknown = await call('dies', 'echo', secretText);
  assert.equal(unknown['dispatch_certainty'], 'outcome_unknown');
  assert.equal(((await call('errs', 'echo', secretText))['error'] as JsonObject)['code'], 'plugin_rpc_error');
  const refused = await call('good', 'strict', { n: planted.refusedArgument });
  assert.equal((refused['error'] as JsonObject)['code'], 'plugin_arguments_schema_invalid');
  const reload = await ask({ action: 'reload', runner: 'local' });
  assert.equal(((reload['output'] as JsonObject)['failures'] as JsonObject[]).length, 2);
  for (const [method, path, body] of [
    ['GET', '/healthz'],
    ['POST', '/api/tools/list', '{}'],
    ['GET', '/api/admin/status'],
    ['GET', '/api/admin/tokens'],
    ['POST', '/api/tools/call', `{"tool":"${planted.callArgument}"}`],
    ['POST', '/api/tools/call', `{"tool":"plugin_tool","params":{"action":"${planted.callArgument}"}}`],
    ['GET', `/${planted.callArgument}`],
  ] as const) {
    const response = await fetch(`${host.ready.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${host.token}`,
        'content-type': 'application/json',
        connection: 'close',
      },
      ...(body === undefined ? {} : { body }),
    });
    answers.push(await response.text());
  }
  const bad = await fetch(`${host.ready.url}/api/tools/call`, {
    method: 'POST',
    headers: { authorization: `Bearer ${planted.personalToken}`, connection: 'close' },
  });
  answers.push(await bad.text());

  // What the plugin could see is told on its own machine, and a secret of the host was not among it.
  const said = await fairlead(t, ['runner', 'stderr', 'shouts', ...at]);
  assert.equal(said.stdout.includes(`${planted.stderrOfCandidate} key=[] token=[]`), true, said.stdout);
  const marked = await fairlead(t, ['runner', 'stderr', 'marks', ...at]);
  assert.equal(marked.stdout.includes(`${planted.stderr} ${planted.environment}`), true);

  const files = () =>
    readdirSync(stateDirectory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !['operator.token', 'fairlead.toml'].includes(entry.name))
      .map((entry) => join(entry.parentPath, entry.name));
  const look = (when: string) => {
    const found = files();
    for (const name of ['fairlead.db', 'fairlead.log']) {
      assert.equal(
        found.some((path) => path.endsWith(name)),
        true,
        name,
      );
    }
    for (const path of found) {
      const bytes = readFileSync(path);
      for (const [place, secret] of secrets)
        assert.equal(bytes.includes(secret), false, `${place}: ${path} ${when}`);
    }
  };
  const secrets = [
    ...Object.entries(planted),
    ['operatorToken', host.token],
    ['mintedToken', minted],
  ] as const;
  assert.equal(
    files().some((path) => path.endsWith('fairlead.db-wal')),
    true,
  );
  look('while the host runs');
  assert.equal((await endHost(host)).exit, 0);
  look('afterwards');
  for (const [place, secret] of secrets) {
    for (const answer of answers) assert.equal(answer.includes(secret), false, `${place}: ${answer}`);
    assert.equal(host.stdout.includes(secret), false, place);
    assert.equal(host.stderr.includes(secret), false, `${place}: ${host.stderr}`);
  }
  assert.equal(answers.length > 30, true);
});
