import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'smol-toml';
import { readGrants } from '../../src/grants/read-grants.ts';

const read = (toml: string) => readGrants(parse(toml));

test('absent, a list and an empty list are three things', () => {
  assert.deepEqual(read(''), { ok: true, value: {}, notices: [] });
  assert.deepEqual(read('[shell]\n[network]\n[fs]'), {
    ok: true,
    value: { shell: {}, network: { allowPrivate: false }, fs: {} },
    notices: [],
  });
  assert.deepEqual(read('shell.allow = []\nnetwork.endpoints = []\nfs = { read = [], write = [] }'), {
    ok: true,
    value: {
      shell: { allow: [] },
      network: { endpoints: [], allowPrivate: false },
      fs: { read: [], write: [] },
    },
    notices: [],
  });
});

test('everything that can be said is read', () => {
  const reading = read(`
[shell]
allow = ["git log", ["npm", "run", "a b"], "echo 'a  b'"]
deny = ["rm"]
[network]
allow_private = true
[[network.endpoints]]
host = "API.Example.com."
path_prefix = "/v1/"
methods = ["get", "POST", "GET"]
[[network.endpoints]]
host = "*.Bücher.example"
path_prefix = "/"
[fs]
read = ["$workspace", "/usr/share"]
write = ["$workspace/out"]
`);
  assert.ok(reading.ok);
  assert.deepEqual(reading.value, {
    shell: {
      allow: [
        ['git', 'log'],
        ['npm', 'run', 'a b'],
        ['echo', 'a  b'],
      ],
      deny: [['rm']],
    },
    network: {
      endpoints: [
        { host: 'api.example.com', pathPrefix: '/v1', methods: ['GET', 'POST'] },
        { host: '*.xn--bcher-kva.example' },
      ],
      allowPrivate: true,
    },
    fs: { read: ['$workspace', '/usr/share'], write: ['$workspace/out'] },
  });
});

test('every notation of one host is one host', () => {
  const hosts: [string, string][] = [
    ['127.1', '127.0.0.1'],
    ['0x7f000001', '127.0.0.1'],
    ['::1', '[::1]'],
    ['[0:0::1]', '[::1]'],
    ['LOCALHOST', 'localhost'],
    ['*', '*'],
  ];
  for (const [written, host] of hosts) {
    const reading = read(`[[network.endpoints]]\nhost = "${written}"`);
    assert.ok(reading.ok, written);
    assert.deepEqual(reading.value.network?.endpoints, [{ host }]);
  }
});

test('what cannot be meant refuses the whole, with its place and without the value', () => {
  const cases: [toml: string, at: string][] = [
    ['shel = {}', 'shel'],
    ['shell.alow = []', 'shell.alow'],
    ['network.allow_privat = true', 'network.allow_privat'],
    ['network.allow_private = 1', 'network.allow_private'],
    ['fs.wirte = []', 'fs.wirte'],
    ['fs = 3', 'fs'],
    ['fs.read = "/"', 'fs.read'],
    ['fs.read = ["work"]', 'fs.read'],
    ['fs.read = ["$workspace/../x"]', 'fs.read'],
    ['fs.read = ["$workspaces"]', 'fs.read'],
    ['fs.read = ["/a\\u0000"]', 'fs.read'],
    ['fs.read = [3]', 'fs.read'],
    ['shell.allow = [""]', 'shell.allow'],
    ['shell.allow = [[]]', 'shell.allow'],
    ['shell.allow = [[""]]', 'shell.allow'],
    ['shell.allow = ["ls | wc"]', 'shell.allow'],
    ['shell.deny = [[3]]', 'shell.deny'],
    ['network.endpoints = [{}]', 'network.endpoints.0.host'],
    ['network.endpoints = [{ host = "a", port = 1 }]', 'network.endpoints.0.port'],
    ['network.endpoints = [{ host = "https://a" }]', 'network.endpoints.0.host'],
    ['network.endpoints = [{ host = "a:80" }]', 'network.endpoints.0.host'],
    ['network.endpoints = [{ host = "a/b" }]', 'network.endpoints.0.host'],
    ['network.endpoints = [{ host = "a*.b" }]', 'network.endpoints.0.host'],
    ['network.endpoints = [{ host = "*.1.2.3.4" }]', 'network.endpoints.0.host'],
    ['network.endpoints = [{ host = "256.1.1.1" }]', 'network.endpoints.0.host'],
    ['network.endpoints = [{ host = "a", methods = ["G T"] }]', 'network.endpoints.0.methods'],
    ...['a', '/a/../b', '/a?b', '/a#b', '/a//b', '/a%2fb', '/a\\\\b'].map((prefix): [string, string] => [
      `network.endpoints = [{ host = "a", path_prefix = "${prefix}" }]`,
      'network.endpoints.0.path_prefix',
    ]),
  ];
  for (const [toml, at] of cases) {
    const reading = read(toml);
    assert.ok(!reading.ok, toml);
    assert.equal(reading.at.join('.'), at);
  }
});

test('a misspelled key is answered with the one that was meant', () => {
  assert.deepEqual(read('shell.alow = []'), {
    ok: false,
    at: ['shell', 'alow'],
    problem: 'is not known here (did you mean allow?)',
  });
});

test('lists are bounded', () => {
  const many = JSON.stringify(Array.from({ length: 65 }, () => '/a'));
  const reading = read(`fs.read = ${many}`);
  assert.deepEqual(reading, { ok: false, at: ['fs', 'read'], problem: 'must not have more than 64' });
});
