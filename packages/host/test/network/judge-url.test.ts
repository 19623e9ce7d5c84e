import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeUrl } from '../../src/network/judge-url.ts';

const PUBLIC = { allowPrivate: false };

function codeOf(url: string, grant: { allowPrivate: boolean } | undefined = PUBLIC) {
  const verdict = judgeUrl(url, 'GET', grant);
  return verdict.ok ? 'ok' : verdict.code;
}

test('an address of loopback is one in every notation', () => {
  const hosts = [
    ...['127.0.0.1', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '017700000001'],
    ...[
      '127.0.0.1.',
      '０x7f.1',
      '１２７.0.0.1',
      '127。0。0。1',
      '%31%32%37.0.0.1',
      '[::1]',
      '[0:0:0:0:0:0:0:1]',
    ],
    ...[
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[0000::1]',
      '127.0.0.1:8080',
      '10.1',
      '0xa9fe0001',
      '192.168.1',
    ],
  ];
  for (const host of hosts) assert.equal(codeOf(`http://${host}/`), 'network_address_refused', host);
  for (const host of hosts) assert.equal(codeOf(`http://${host}/`, { allowPrivate: true }), 'ok', host);
});

test('metadata and reserved addresses stay closed, also with allow_private', () => {
  const hosts = [
    ...[
      '169.254.169.254',
      '2852039166',
      '0xa9fea9fe',
      '0251.0376.0251.0376',
      '[::ffff:a9fe:a9fe]',
      '0',
      '0.0.0.0',
    ],
    ...[
      '[::]',
      '255.255.255.255',
      '[2002:7f00:1::]',
      '[64:ff9b::a9fe:a9fe]',
      'metadata.google.internal',
      'METADATA.',
    ],
    ...['metadata.goog', 'instance-data.ec2.internal', 'instance-data'],
  ];
  for (const host of hosts)
    assert.equal(codeOf(`http://${host}/`, { allowPrivate: true }), 'network_address_refused', host);
});

test('names of this machine and its network are private', () => {
  const names = [
    'localhost',
    'LOCALHOST.',
    'a.localhost',
    'db.internal',
    'printer.local',
    'nas.home.arpa',
    'ip6-loopback',
  ];
  for (const name of names) {
    assert.equal(codeOf(`https://${name}/`), 'network_address_refused', name);
    assert.equal(codeOf(`https://${name}/`, { allowPrivate: true }), 'ok', name);
  }
  for (const name of ['local', 'internal.example', 'localhost.example', 'notlocalhost'])
    assert.equal(codeOf(`https://${name}/`), 'ok', name);
});

test('only http and https without a user name are requests', () => {
  const urls = [
    'file:///etc/passwd',
    'ftp://x.org/',
    'data:,x',
    'gopher://x.org',
    'http://u@x.org/',
    'http://:p@x.org/',
  ];
  for (const url of [
    ...urls,
    'x.org',
    '',
    'http://',
    'http://[::1%25lo]/',
    'http://256.1.1.1/',
    'http://a b/',
  ])
    assert.equal(codeOf(url), 'network_request_invalid', url);
});

test('endpoints are held against the address as a URL has it', () => {
  const grant = {
    endpoints: [{ host: 'x.org', pathPrefix: '/v1' }, { host: '127.0.0.1' }],
    allowPrivate: true,
  };
  const code = (url: string) => codeOf(url, grant);
  assert.equal(code('https://X.org./v1/a?b=../c'), 'ok');
  assert.equal(code('http://0x7f.1/'), 'ok');
  for (const url of [
    'https://x.org/v1/../a',
    'https://x.org/v1/%2e%2e/a',
    'https://x.org/v1\\..\\a',
    'https://y.org/v1',
  ])
    assert.equal(code(url), 'grant_denied', url);
});

test('without any grant nothing private is closed: a session always has one', () => {
  assert.equal(judgeUrl('http://127.0.0.1/', 'GET', undefined).ok, true);
  assert.equal(judgeUrl('http://169.254.169.254/', 'GET', undefined).ok, false);
});
