import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '@fairlead/testing';
import { type HostConfigInput, type HostConfigReading, readHostConfig } from '../src/index.ts';

type Read = Extract<HostConfigReading, { readonly ok: true }>;

function fileWith(t: TestContext, text: string | Uint8Array): string {
  const path = join(temporaryFolder(t), 'fairlead.toml');
  writeFileSync(path, text);
  return path;
}

async function read(t: TestContext, text: string, input: Partial<HostConfigInput> = {}): Promise<Read> {
  const reading = await readHostConfig({ path: fileWith(t, text), env: {}, ...input });
  assert.equal(reading.ok, true, reading.ok ? '' : reading.fault.message);
  return reading as Read;
}

async function fault(t: TestContext, text: string | Uint8Array, input: Partial<HostConfigInput> = {}) {
  const reading = await readHostConfig({ path: fileWith(t, text), env: {}, ...input });
  assert.equal(reading.ok, false);
  if (reading.ok) throw new Error('unreachable');
  return reading.fault;
}

test('without a file every value is the default', async () => {
  const reading = await readHostConfig({ path: '/nowhere/fairlead.toml', env: {} });
  assert.equal(reading.ok, true);
  if (!reading.ok) return;
  assert.deepEqual(reading.config, {
    bind: '127.0.0.1',
    port: 7420,
    publicUrl: null,
    trustedProxies: [],
    allowRemote: false,
    authority: 'trusted_agent',
    bodyBytes: 1_048_576,
    requestSecs: 300,
    connections: 512,
  });
  assert.deepEqual(
    reading.rows.map((row) => row.source),
    Array(9).fill('default'),
  );
  assert.deepEqual(reading.warnings, []);
  assert.deepEqual(reading.environmentKeys, []);
  assert.deepEqual(Object.keys(reading.document), []);
});

test('flag wins over environment, environment over file, file over default, and each row says which', async (t) => {
  const text =
    '[gateway]\nbind = "127.0.0.2"\nport = 1\npublic_url = "https://a.example"\n\n[policy]\nauthority = "restricted"\n';
  const env = { FAIRLEAD_PORT: '2', FAIRLEAD_PUBLIC_URL: 'https://b.example/', FAIRLEAD_BIND: '' };
  const { config, rows } = await read(t, text, { env, flags: { port: 3 } });
  assert.equal(config.bind, '127.0.0.2');
  assert.equal(config.port, 3);
  assert.equal(config.publicUrl, 'https://b.example');
  assert.equal(config.authority, 'restricted');
  assert.deepEqual(rows.slice(0, 3), [
    { key: 'gateway.bind', value: '127.0.0.2', source: 'file', from: null, line: 2 },
    { key: 'gateway.port', value: 3, source: 'flag', from: '--port', line: null },
    {
      key: 'gateway.public_url',
      value: 'https://b.example',
      source: 'environment',
      from: 'FAIRLEAD_PUBLIC_URL',
      line: null,
    },
  ]);
  assert.deepEqual(
    rows.find((row) => row.key === 'policy.authority'),
    {
      key: 'policy.authority',
      value: 'restricted',
      source: 'file',
      from: null,
      line: 7,
    },
  );
});

test('every variable and every flag is read', async (t) => {
  const env = {
    FAIRLEAD_BIND: '127.0.0.9',
    FAIRLEAD_PORT: '0',
    FAIRLEAD_PUBLIC_URL: 'http://x.example:8080',
    FAIRLEAD_AUTHORITY_MODE: 'restricted',
  };
  const first = await read(t, '', { env });
  assert.equal(first.config.bind, '127.0.0.9');
  assert.equal(first.config.port, 0);
  assert.equal(first.config.publicUrl, 'http://x.example:8080');
  assert.equal(first.config.authority, 'restricted');
  const second = await read(t, '', { env, flags: { bind: '::1', port: 5, allowRemote: true } });
  assert.equal(second.config.bind, '::1');
  assert.equal(second.config.port, 5);
  assert.equal(second.config.allowRemote, true);
});

test('a key that is not known is kept, warned about with its line, and the nearest is named', async (t) => {
  const { warnings, document } = await read(
    t,
    '# first\n[gateway]\nprot = 1\n\n[gatway]\nport = 2\n\n[[agents]]\nname = "a"\n',
  );
  assert.deepEqual(warnings, [
    {
      line: 3,
      key: 'gateway.prot',
      message:
        'fairlead.toml line 3: this version does not know gateway.prot; it is kept and has no effect (did you mean port?)',
      nearest: 'port',
    },
    {
      line: 5,
      key: 'gatway',
      message:
        'fairlead.toml line 5: this version does not know gatway; it is kept and has no effect (did you mean gateway?)',
      nearest: 'gateway',
    },
    {
      line: 8,
      key: 'agents',
      message: 'fairlead.toml line 8: this version does not know agents; it is kept and has no effect',
    },
  ]);
  assert.deepEqual(JSON.parse(JSON.stringify(document['agents'])), [{ name: 'a' }]);
});

test('a value of a wrong kind or out of range is refused with its line and is not quoted', async (t) => {
  const wrong: [string, number, string][] = [
    ['[gateway]\nport = "SECRET"\n', 2, 'gateway.port must be a whole number from 0 to 65535'],
    ['[gateway]\n\nport = 65536\n', 3, 'gateway.port must be a whole number from 0 to 65535'],
    ['[gateway]\nport = 1.5\n', 2, 'gateway.port must be a whole number from 0 to 65535'],
    [
      'gateway.bind = "SECRET.example"\n',
      1,
      'gateway.bind must be an IP address of this machine, or localhost',
    ],
    ['[gateway]\nbind = 5\n', 2, 'gateway.bind must be an IP address of this machine, or localhost'],
    ['[gateway]\nallow_remote = "yes"\n', 2, 'gateway.allow_remote must be true or false'],
    [
      '[gateway]\ntrusted_proxies = ["SECRET"]\n',
      2,
      'gateway.trusted_proxies must be a list of at most 32 addresses or ranges such as "10.0.0.0/8"',
    ],
    [
      '[gateway]\ntrusted_proxies = "10.0.0.0/8"\n',
      2,
      'gateway.trusted_proxies must be a list of at most 32 addresses or ranges such as "10.0.0.0/8"',
    ],
    ['[policy]\nauthority = ["SECRET"]\n', 2, 'policy.authority must be trusted_agent or restricted'],
    ['[limits]\nbody_bytes = 10\n', 2, 'limits.body_bytes must be a whole number from 524288 to 8388608'],
    ['[limits]\nrequest_secs = 0\n', 2, 'limits.request_secs must be a whole number from 180 to 3600'],
    ['[limits]\nconnections = 1000000\n', 2, 'limits.connections must be a whole number from 8 to 16384'],
    ['gateway = 5\n', 1, 'gateway must be a table'],
    ['[[gateway]]\nport = 1\n', 1, 'gateway must be a table'],
  ];
  for (const [text, line, problem] of wrong) {
    const found = await fault(t, text);
    assert.equal(found.code, 'host_config_invalid', text);
    assert.equal(found.line, line, text);
    assert.equal(found.message, `fairlead.toml line ${line}: ${problem}`);
    assert.equal(found.message.includes('SECRET'), false);
  }
});

test('proxies are addresses and ranges', async (t) => {
  const { config } = await read(
    t,
    '[gateway]\ntrusted_proxies = ["10.0.0.1", "10.0.0.0/8", "::1", "fd00::/128"]\n',
  );
  assert.deepEqual(config.trustedProxies, ['10.0.0.1', '10.0.0.0/8', '::1', 'fd00::/128']);
  for (const range of ['10.0.0.0/33', 'fd00::/129', '10.0.0.0/8/8', '10.0.0.0/', '10.0.0/8', '']) {
    const found = await fault(t, `[gateway]\ntrusted_proxies = [${JSON.stringify(range)}]\n`);
    assert.equal(found.key, 'gateway.trusted_proxies', range);
  }
});

test('a wrong variable or flag is refused by its own name', async (t) => {
  const variable = await fault(t, '', { env: { FAIRLEAD_PORT: 'SECRET' } });
  assert.equal(variable.message, 'FAIRLEAD_PORT must be a whole number from 0 to 65535');
  const flag = await fault(t, '[gateway]\nbind = "127.0.0.1"\n', { flags: { bind: 'example.org' } });
  assert.equal(flag.message, '--bind must be an IP address of this machine, or localhost');
  assert.equal(flag.line, undefined);
});

test('a public URL with a user, a path, a query or another scheme is refused', async (t) => {
  for (const url of [
    'https://u:p@a.example',
    'https://a.example/x',
    'https://a.example?x',
    'https://a.example#x',
    'ftp://a.example',
    'a.example',
    '',
  ]) {
    const found = await fault(t, `[gateway]\npublic_url = ${JSON.stringify(url)}\n`);
    assert.match(found.message, /line 2: gateway\.public_url must be an address such as/, url);
  }
});

test('an address that other machines reach is refused unless it was asked for, and then warned about', async (t) => {
  for (const bind of ['0.0.0.0', '::', '192.168.1.5', '[2001:db8::1]']) {
    const found = await fault(t, '', { flags: { bind } });
    assert.equal(found.code, 'remote_bind_refused');
  }
  const { config, warnings } = await read(t, '[gateway]\nbind = "0.0.0.0"\nallow_remote = true\n');
  assert.equal(config.bind, '0.0.0.0');
  assert.equal(warnings.length, 1);
  assert.equal(warnings[0]?.line, 2);
  assert.match(warnings[0]?.message ?? '', /nothing on the way is encrypted/);
});

test('an authority mode that is not known is passed on and warned about', async (t) => {
  const { config, warnings } = await read(t, '[policy]\nauthority = "restrictd"\n');
  assert.equal(config.authority, 'restrictd');
  assert.deepEqual(warnings, [
    {
      line: 2,
      key: 'policy.authority',
      message:
        'this version does not know the authority mode restrictd: call, check and reload are refused (did you mean restricted?)',
      nearest: 'restricted',
    },
  ]);
  const far = await read(t, '', { env: { FAIRLEAD_AUTHORITY_MODE: 'anarchy' } });
  assert.equal(far.warnings[0]?.line, null);
});

test('every variable that a key names is collected, in tables of later versions too', async (t) => {
  const text = [
    '[[backends]]',
    'name = "a"',
    'api_key_env = "ZED_KEY"',
    '[[mcp.servers]]',
    'headers_env = { Authorization = "MCP_AUTH" }',
    'env_pass = ["HOME"]',
    '[x.y]',
    'list_env = ["B_ONE", "A_TWO"]',
    'inline = { deep = { token_env = "DEEP" } }',
    '[policy.tools.print_env]',
    'risk = "low"',
    'timeout_secs = 5',
  ].join('\n');
  const { environmentKeys } = await read(t, text);
  assert.deepEqual(environmentKeys, ['A_TWO', 'B_ONE', 'DEEP', 'MCP_AUTH', 'ZED_KEY', 'low']);
});

test('a key for a variable that holds something else is refused, and the secret is not quoted', async (t) => {
  const wrong: [string, number, string][] = [
    ['[[backends]]\nname = "a"\n\napi_key_env = "sk-SECRET value"\n', 4, 'backends[0].api_key_env'],
    ['[a]\nb_env = 5\n', 2, 'a.b_env'],
    ['[a]\nb_env = ["GOOD",\n"not good"]\n', 3, 'a.b_env[1]'],
    ['[a]\nb_env = true\n', 2, 'a.b_env'],
  ];
  for (const [text, line, key] of wrong) {
    const found = await fault(t, text);
    assert.equal(
      found.message,
      `fairlead.toml line ${line}: ${key} must name an environment variable, and never hold the secret itself`,
    );
  }
});

test('too many variables are refused', async (t) => {
  const names = Array.from({ length: 1_025 }, (_, index) => `"V${index}"`).join(', ');
  const found = await fault(t, `[a]\nb_env = [${names}]\n`);
  assert.equal(found.code, 'host_config_invalid');
});

test('what is not TOML is refused with line and column, without the line itself', async (t) => {
  const found = await fault(t, '[gateway]\nport = 1\ntoken = "SECRET\n');
  assert.equal(found.code, 'host_config_parse_failed');
  assert.equal(found.line, 3);
  assert.match(found.message, /^fairlead\.toml line 3, column \d+: /);
  assert.equal(found.message.includes('SECRET'), false);
  assert.equal((await fault(t, 'a = 1\na = 2\n')).code, 'host_config_parse_failed');
});

test('a file that cannot be used as a file is refused', async (t) => {
  assert.equal(
    (await fault(t, Buffer.from([0x61, 0x20, 0x3d, 0x20, 0x22, 0xff, 0x22]))).message,
    'fairlead.toml cannot be read: it is not UTF-8',
  );
  assert.equal(
    (await fault(t, '#'.repeat(1024 * 1024 + 1))).message,
    'fairlead.toml cannot be read: it is larger than 1 MiB',
  );
  const folder = join(temporaryFolder(t), 'fairlead.toml');
  mkdirSync(folder);
  const reading = await readHostConfig({ path: folder, env: {} });
  assert.equal(
    !reading.ok && reading.fault.message,
    'fairlead.toml cannot be read: it is not an ordinary file',
  );
  const below = await readHostConfig({ path: join(fileWith(t, ''), 'below'), env: {} });
  assert.equal(!below.ok && below.fault.message, 'fairlead.toml cannot be read: ENOTDIR');
  const named = await readHostConfig({ path: '/nowhere/fairlead.toml', isNamed: true, env: {} });
  assert.equal(!named.ok && named.fault.code, 'host_config_read_failed');
});

test('a FIFO in the place of the file is refused, and nobody waits for it', async (t) => {
  const path = join(temporaryFolder(t), 'fairlead.toml');
  execFileSync('mkfifo', [path]);
  const reading = await readHostConfig({ path, env: {} });
  assert.equal(
    !reading.ok && reading.fault.message,
    'fairlead.toml cannot be read: it is not an ordinary file',
  );
});

test('names that a prototype has are plain keys', async (t) => {
  const { warnings, config } = await read(
    t,
    '[gateway]\nconstructor = 1\n__proto__ = 2\n[toString]\na = 1\n',
  );
  assert.deepEqual(
    warnings.map((warning) => warning.key),
    ['gateway.constructor', 'gateway.__proto__', 'toString'],
  );
  assert.equal(config.port, 7420);
});

test('a key of odd characters is shown quoted and cut', async (t) => {
  const { warnings } = await read(t, `["a b"]\nx = 1\n["${'é'.repeat(200)}"]\n`);
  assert.equal(warnings[0]?.key, '"a b"');
  assert.equal(warnings[1]?.key, `"${'é'.repeat(64)}"`);
});

test('what another part of the host reads is not warned about, and is refused by line where it is wrong', async (t) => {
  const text = '[extensions.dice]\nsettings = 7\n\n[policy]\nagent_state = {}\nagent_stat = {}\n';
  const readElsewhere = ['extensions', 'policy.agent_state'];
  const { warnings, refuse, document } = await read(t, text, { readElsewhere });
  assert.deepEqual(
    warnings.map(({ key }) => key),
    ['policy.agent_stat'],
  );
  assert.equal(JSON.stringify(document['extensions']), '{"dice":{"settings":7}}');
  assert.deepEqual(refuse(['extensions', 'dice', 'settings'], 'must be a table'), {
    code: 'host_config_invalid',
    message: 'fairlead.toml line 2: extensions.dice.settings must be a table',
    line: 2,
    key: 'extensions.dice.settings',
  });
});
