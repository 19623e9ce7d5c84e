import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { type TestContext as NodeTest, test } from 'node:test';
import { cliErrors } from '../src/errors.ts';
import { hostedMachine } from './hosted-machine.ts';
import { routedServer, success } from './loopback-server.ts';

const MARKER = 'sk-planted-marker-0123456789';
const SCRIPT = '{"format":"fairlead-script-v1","scripts":{"default":[]}}';

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1_760_000_000,
    model: 'tiny',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`;

/** An OpenAI-compatible server that says `ready`, or refuses the key. */
function modelServer(t: NodeTest, status = 200) {
  return routedServer(t, {
    'POST /v1/chat/completions': (_, response) => {
      if (status === 200) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(
          `${chunk({ role: 'assistant', content: 'rea' })}${chunk({ content: 'dy' }, 'stop')}data: [DONE]\n\n`,
        );
      } else {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ error: { message: `no such key ${MARKER}` } }));
      }
      return null;
    },
  });
}

/** A person at a terminal who types these lines, and then leaves. */
function terminal(...lines: readonly string[]) {
  const input = Object.assign(new PassThrough(), { isTTY: true });
  input.end(lines.map((line) => `${line}\n`).join(''));
  return { input, output: new PassThrough() };
}

test('a scripted model is read, written with its whole path, and is the default of an empty file', async (t) => {
  const { run, folder, state } = hostedMachine(t);
  writeFileSync(join(folder, 'demo.json'), SCRIPT);
  const { exit, stdout, stderr } = await run('model', 'add', '--type', 'scripted', '--file', 'demo.json');
  assert.equal(exit, 0);
  const file = join(state, 'fairlead.toml');
  const block = `[[backends]]\nname = "demo"\ntype = "scripted"\nfile = "${join(folder, 'demo.json')}"\n`;
  assert.equal(readFileSync(file, 'utf8'), block);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(stdout.startsWith(`added demo/script to ${file}\n\n${block}\nTry it: `), true, stdout);
  assert.equal(stderr, 'fairlead: demo/script can be used\n');
  const { stdout: listed } = await run('model', 'list');
  assert.deepEqual(
    listed.split('\n').map((line) => line.replaceAll(/ {2,}/g, '  ')),
    [
      'MODEL  TYPE  CONTEXT  TOOLS  KEY  CEILINGS  DEFAULT',
      'demo/script  scripted  128000  yes  none needed  free  yes',
      '',
    ],
  );
});

test('a model behind an API is asked once, and the file names the variable, never the key', async (t) => {
  const { run, state } = hostedMachine(t, { env: { MY_KEY: MARKER } });
  const server = await modelServer(t);
  mkdirSync(state);
  const file = join(state, 'fairlead.toml');
  const before = '# mine\n[gateway]\nport = 7421\n';
  writeFileSync(file, before);
  const base = [
    'model',
    'add',
    '--type',
    'openai_compatible',
    '--base-url',
    `${server.url}/v1`,
    '--model',
    'tiny',
  ];
  const flags = [
    '--name',
    'mine',
    '--api-key-env',
    'MY_KEY',
    '--context-window',
    '32768',
    '--default',
    '--json',
  ];
  const { exit, stdout, stderr } = await run(...base, ...flags);
  assert.deepEqual(
    [exit, JSON.parse(stdout)],
    [0, { model: 'mine/tiny', file, checked: true, default: true, inUse: false }],
  );
  assert.equal(stderr, 'fairlead: mine/tiny answered: ready\n');
  assert.equal(server.requests.length, 1);
  assert.equal(server.requests[0]?.authorization, `Bearer ${MARKER}`);
  const after = readFileSync(file, 'utf8');
  assert.equal(
    after,
    `model = "mine/tiny"\n${before}\n[[backends]]\nname = "mine"\ntype = "openai_compatible"\nbase_url = "${server.url}/v1"\n` +
      'api_key_env = "MY_KEY"\n\n[[backends.models]]\nname = "tiny"\ncontext_window = 32768\n',
  );
  assert.equal(`${after}${stdout}${stderr}`.includes(MARKER), false);
  const again = await run(...base, '--name', 'mine', '--no-check');
  assert.equal(again.exit, 1);
  assert.match(again.stderr, /\(backend_refused\)/);
  const second = await run(...base, '--name', 'other', '--no-check', '--json');
  assert.equal(JSON.parse(second.stdout).default, false);
  const listed = JSON.parse((await run('model', 'list', '--json')).stdout);
  assert.equal(listed.default, 'mine/tiny');
  assert.deepEqual(
    listed.backends.map(({ name, key, unpriced }: Record<string, unknown>) => [name, key, unpriced]),
    [
      ['mine', 'present', ['tiny']],
      ['other', 'none', ['tiny']],
    ],
  );
});

test('a model that does not answer is not written, unless nobody asks it', async (t) => {
  const { run, state } = hostedMachine(t, { env: { MY_KEY: MARKER } });
  const server = await modelServer(t, 401);
  const file = join(state, 'fairlead.toml');
  const base = [
    'model',
    'add',
    '--type',
    'openai_compatible',
    '--base-url',
    `${server.url}/v1`,
    '--model',
    'tiny',
  ];
  const refused = await run(...base, '--api-key-env', 'MY_KEY');
  assert.equal(refused.exit, 1);
  assert.match(
    refused.stderr,
    /^fairlead: nothing was written; --no-check .*\nfairlead: .* \(model_denied\)\n/,
  );
  assert.equal(refused.stderr.includes(MARKER), false);
  assert.equal(existsSync(file), false);
  const unset = await run(...base, '--api-key-env', 'NOT_SET');
  assert.match(unset.stderr, /\(model_key_missing\)/);
  assert.equal(server.requests.length, 1);
  assert.match(
    (await run('model', 'add', '--type', 'scripted', '--file', 'none.json')).stderr,
    /\(script_invalid\)/,
  );
  const { exit, stdout } = await run(...base, '--api-key-env', 'NOT_SET', '--no-check');
  assert.equal(exit, 0);
  assert.match(stdout, /\nStart the host where NOT_SET is set\. Try it: /);
});

test('a key in the place of its variable is refused and not repeated', async (t) => {
  const { run, state } = hostedMachine(t);
  for (const key of [MARKER, 'sk_planted_marker_0123456789', 'a b']) {
    const { exit, stdout, stderr } = await run(
      'model',
      'add',
      '--type',
      'anthropic',
      '--model',
      'm',
      '--api-key-env',
      key,
    );
    assert.equal(exit, 1);
    assert.match(stderr, /\(key_not_reference\)/);
    assert.equal(`${stdout}${stderr}`.includes(key), false);
  }
  assert.equal(existsSync(join(state, 'fairlead.toml')), false);
});

test('what flags leave open is asked at a terminal, each answer with a suggestion', async (t) => {
  const server = await modelServer(t);
  const { run, state } = hostedMachine(t, { streams: terminal('', 'box', `${server.url}/v1`, 'tiny', '') });
  const { exit, stderr } = await run('model', 'add');
  assert.equal(exit, 0, stderr);
  assert.equal(
    stderr,
    'type: openai_compatible, anthropic, scripted [openai_compatible]: name of the back end [local]: ' +
      'address of its API [http://127.0.0.1:11434/v1]: model, as the server calls it: ' +
      'environment variable that holds the key (empty: none): fairlead: box/tiny answered: ready\n',
  );
  assert.match(readFileSync(join(state, 'fairlead.toml'), 'utf8'), /name = "box"/);
});

test('the questions for a model of Anthropic and for a script ask for less', async (t) => {
  const anthropic = hostedMachine(t, { streams: terminal('anthropic', '', 'claude-x', '') });
  assert.equal((await anthropic.run('model', 'add', '--no-check')).exit, 0);
  assert.match(
    readFileSync(join(anthropic.state, 'fairlead.toml'), 'utf8'),
    /name = "claude"\ntype = "anthropic"\napi_key_env = "ANTHROPIC_API_KEY"\n/,
  );
  const scripted = hostedMachine(t, { streams: terminal('scripted', '', 'x.json') });
  assert.equal((await scripted.run('model', 'add', '--no-check')).exit, 0);
  assert.match(readFileSync(join(scripted.state, 'fairlead.toml'), 'utf8'), /file = ".*\/x\.json"/);
});

test('where nobody can be asked, or answers, nothing is written', async (t) => {
  for (const [streams, args] of [
    [undefined, []],
    [undefined, ['--type', 'openai_compatible', '--model', 'x']],
    [undefined, ['--type', 'scripted']],
    [terminal('neither'), []],
    [terminal('', 'box'), []],
  ] as const) {
    const { run, state } = hostedMachine(t, streams === undefined ? {} : { streams });
    const { exit, stderr } = await run('model', 'add', ...args);
    assert.equal(exit, 2);
    assert.match(stderr, /\(usage\)\n {2}next: Read `fairlead model add --help`/);
    assert.equal(existsSync(join(state, 'fairlead.toml')), false);
  }
});

test('a file that cannot take a block is left as it is', async (t) => {
  const { run, state, folder } = hostedMachine(t);
  mkdirSync(state);
  const file = join(state, 'fairlead.toml');
  const add = ['model', 'add', '--type', 'scripted', '--file', 'x.json', '--no-check'];
  for (const [text, code] of [
    ['model = \n', 'host_config_parse_failed'],
    ['backends = []\n', 'backend_not_appended'],
    ['[[backends]]\nname = "a"\ntype = "magic"\n', 'backend_refused'],
  ] as const) {
    writeFileSync(file, text);
    const { exit, stderr } = await run(...add);
    assert.equal(exit, 1);
    assert.match(stderr, new RegExp(`\\(${code}\\)`));
    assert.equal(readFileSync(file, 'utf8'), text);
  }
  assert.match((await run(...add, '--config', folder)).stderr, /\(host_config_read_failed\)/);
});

test('a fairlead.toml that is a link stays one, and a host that runs is said to need a new start', async (t) => {
  const { run, state, folder, host } = hostedMachine(t);
  const server = await routedServer(t, {});
  await host(server.url);
  const real = join(folder, 'real.toml');
  writeFileSync(real, '');
  symlinkSync(real, join(state, 'fairlead.toml'));
  const { stdout } = await run('model', 'add', '--type', 'scripted', '--file', 'x.json', '--no-check');
  assert.match(stdout, /The running host takes it at its next start: /);
  assert.match(readFileSync(real, 'utf8'), /scripted/);
});

test('a running host takes a new model at once where it can, and else says when', async (t) => {
  const taken: string[] = [];
  const { run, host } = hostedMachine(t);
  const server = await routedServer(t, {
    'POST /api/admin/models/reload': () => success({ added: taken, later: [] }),
  });
  await host(server.url);
  const add = ['model', 'add', '--type', 'scripted', '--file', 'x.json', '--no-check', '--name'];
  taken.push('one');
  assert.match((await run(...add, 'one')).stdout, /\nTry it: .*fairlead run .*"hello"\n$/);
  assert.equal(JSON.parse((await run(...add, 'two', '--json')).stdout).inUse, false);
  taken.push('three');
  assert.equal(JSON.parse((await run(...add, 'three', '--json')).stdout).inUse, true);
  const keyed = ['model', 'add', '--type', 'anthropic', '--model', 'm', '--no-check'];
  assert.match(
    (await run(...keyed)).stdout,
    /\nThe running host takes it at its next start, where ANTHROPIC_API_KEY is set: .*fairlead stop.*, then start it again\.\n$/,
  );
});

test('that no model is there does not send anybody to a next start where a running host takes one at once', () => {
  const { next } = cliErrors.model_missing;
  assert.equal(next, 'Add one with `fairlead model add`; a running host takes it at once where it can.');
});

test('the ceilings that a running host tells with a new model are printed by model add', async (t) => {
  const { run, host } = hostedMachine(t);
  const words = ['A turn stops at 5 tokens.', 'A session has no ceiling.'];
  const server = await routedServer(t, {
    'POST /api/admin/models/reload': () => success({ added: ['one'], later: [], words }),
  });
  await host(server.url);
  const add = ['model', 'add', '--type', 'scripted', '--file', 'x.json', '--no-check', '--name', 'one'];
  const { exit, stdout, stderr } = await run(...add, '--json');
  assert.deepEqual([exit, JSON.parse(stdout).inUse], [0, true]);
  assert.equal(stderr, 'fairlead: A turn stops at 5 tokens.\nfairlead: A session has no ceiling.\n');
});

test('a host that was started with a file of its own is not told of another', async (t) => {
  const { run, host } = hostedMachine(t);
  const server = await routedServer(t, {});
  await host(server.url, { config: '/elsewhere/fairlead.toml' });
  const add = ['model', 'add', '--type', 'scripted', '--file', 'x.json', '--no-check'];
  assert.equal(JSON.parse((await run(...add, '--json')).stdout).inUse, false);
  assert.deepEqual(server.requests, []);
});

test('no model at all is told with how to add one', async (t) => {
  const { run } = hostedMachine(t);
  assert.match(
    (await run('model', 'list')).stdout,
    /^there is no model; add one with: .*fairlead model add.*\n$/,
  );
});

test('wrong values of flags are usage errors', async (t) => {
  const { run } = hostedMachine(t);
  for (const args of [
    ['--type', 'magic'],
    ['--context-window', '12'],
    ['--context-window', 'many'],
  ])
    assert.equal((await run('model', 'add', ...args)).exit, 2, args.join(' '));
});

test('config show has the tables of models, ceilings, policy and agents, and of a secret its variable alone', async (t) => {
  const { run, state } = hostedMachine(t, { env: { MY_KEY: MARKER } });
  mkdirSync(state);
  writeFileSync(
    join(state, 'fairlead.toml'),
    [
      'model = "mine/big"',
      '[limits]',
      'turn_usd = 1.5',
      '[policy]',
      'auto_approve = ["read_file", "web_*"]',
      '[policy.tools.shell]',
      'approval = "always"',
      '[policy.grants]',
      'fs = { read = ["/srv"] }',
      '[[backends]]',
      'name = "mine"',
      'type = "openai_compatible"',
      'base_url = "http://127.0.0.1:9/v1"',
      'api_key_env = "MY_KEY"',
      '[[backends.models]]',
      'name = "big"',
      '[[agents]]',
      'name = "writer"',
      'system_prompt = "Write well."',
      'tools = ["read_file"]',
      'system_prompt_files = ["a.md"]',
      'extensions_off = ["core"]',
      '[[agents]]',
      'name = "plain"',
      '[agent_groups]',
      'team = ["writer", "plain"]',
    ].join('\n'),
  );
  const { exit, stdout, stderr } = await run('config', 'show');
  assert.deepEqual([exit, stderr], [0, '']);
  const rows = new Map(
    stdout
      .split('\n')
      .map((line) => line.split(/ {2,}/))
      .map(([key = '', value = '', from = '']) => [key, `${value} | ${from}`]),
  );
  for (const [key, shown] of [
    ['model', 'mine/big | fairlead.toml line 1'],
    ['limits.turn_usd', '1.5 | fairlead.toml line 3'],
    ['limits.day_tokens', '20000000 | default'],
    ['policy.leak', 'redact | default'],
    ['policy.auto_approve', 'read_file, web_* | fairlead.toml line 5'],
    ['policy.tools.shell', 'approval:always | fairlead.toml line 6'],
    [
      'backends.mine',
      'openai_compatible http://127.0.0.1:9/v1, key in $MY_KEY, models big | fairlead.toml line 10',
    ],
    [
      'agents.writer',
      'system_prompt of 11 characters, tools ["read_file"], system_prompt_files a.md, extensions_off core | fairlead.toml line 17',
    ],
    ['agents.plain', 'as they come | fairlead.toml line 23'],
    ['agent_groups.team', 'writer, plain | fairlead.toml line 26'],
  ] as const)
    assert.equal(rows.get(key), shown, key);
  assert.match(rows.get('policy.grants') ?? '', /srv.* \| fairlead\.toml line 8/);
  assert.match(stdout, /\nkept from every plugin, worker and shell: MY_KEY\n$/);
  assert.equal(stdout.includes(MARKER), false);
});

test('a table that a host refuses, or warns of, is told with its line', async (t) => {
  const { run, state } = hostedMachine(t);
  mkdirSync(state);
  const file = join(state, 'fairlead.toml');
  writeFileSync(file, '[[agents]]\nname = "a"\ntolls = []\n');
  const refused = await run('config', 'show');
  assert.equal(refused.exit, 1);
  assert.match(refused.stderr, /line 3: agents.*\(host_config_invalid\)/);
  writeFileSync(file, '[[agents]]\nname = "a"\n[agent_groups]\nteam = ["b"]\n');
  assert.match((await run('config', 'show')).stderr, /line 4: .*names "b", which is no agent of this file/);
});
