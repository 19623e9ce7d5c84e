import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findProxy, type ProxyInputs } from '../src/client/find-proxy.ts';

const proxyOf = (target: string, inputs: Partial<ProxyInputs>) =>
  findProxy(new URL(target), { env: {}, ...inputs })?.href ?? null;

test('--proxy goes before every variable, the variable of the scheme before ALL_PROXY', () => {
  const env = { HTTP_PROXY: 'http://h:1', HTTPS_PROXY: 'http://s:2', ALL_PROXY: 'http://a:3' };
  assert.equal(proxyOf('https://gateway.example', { proxy: 'http://flag:9', env }), 'http://flag:9/');
  assert.equal(proxyOf('https://gateway.example', { env }), 'http://s:2/');
  assert.equal(proxyOf('http://gateway.example', { env }), 'http://h:1/');
  assert.equal(proxyOf('http://gateway.example', { env: { ALL_PROXY: 'a:3' } }), 'http://a:3/');
  assert.equal(
    proxyOf('http://gateway.example', { env: { HTTP_PROXY: ' ', all_proxy: 'a:3' } }),
    'http://a:3/',
  );
  assert.equal(
    proxyOf('http://gateway.example', { env: { HTTP_PROXY: 'A:1', http_proxy: 'b:2' } }),
    'http://b:2/',
  );
  assert.equal(proxyOf('http://gateway.example', {}), null);
});

test('--no-system-proxy leaves the variables alone, not --proxy', () => {
  const env = { HTTPS_PROXY: 'http://s:2' };
  assert.equal(proxyOf('https://gateway.example', { env, systemProxy: false }), null);
  assert.equal(
    proxyOf('https://gateway.example', { env, systemProxy: false, proxy: 'http://flag:9' }),
    'http://flag:9/',
  );
});

test('what is on this machine never goes through a proxy', () => {
  for (const target of [
    'http://127.0.0.1:7420',
    'http://localhost:7420',
    'http://[::1]:7420',
    'http://127.9.9.9',
  ]) {
    assert.equal(proxyOf(target, { env: { HTTP_PROXY: 'http://h:1' } }), null, target);
    assert.equal(proxyOf(target, { proxy: 'http://flag:9' }), null, target);
  }
  assert.equal(proxyOf('http://127.0.0.1.example', { proxy: 'http://flag:9' }), 'http://flag:9/');
});

test('NO_PROXY names hosts, domains, ports, or everything', () => {
  const isDirect = (target: string, list: string) =>
    proxyOf(target, { env: { HTTPS_PROXY: 'http://s:2', NO_PROXY: list } }) === null;
  for (const [target, list, expected] of [
    ['https://gateway.example', 'gateway.example', true],
    ['https://a.gateway.example', 'x, gateway.example', true],
    ['https://a.gateway.example', '.gateway.example', true],
    ['https://a.gateway.example', '*.gateway.example', true],
    ['https://GATEWAY.example', 'Gateway.Example', true],
    ['https://agateway.example', 'gateway.example', false],
    ['https://gateway.example', 'gateway.example:443', true],
    ['https://gateway.example', 'gateway.example:80', false],
    ['https://gateway.example:8443', 'gateway.example:8443', true],
    ['https://[2001:db8::1]', '[2001:db8::1]', true],
    ['https://gateway.example', '*', true],
    ['https://gateway.example', ' , ', false],
    ['https://gateway.example', '', false],
  ] as const) {
    assert.equal(isDirect(target, list), expected, `${target} in ${list}`);
  }
});

test('a proxy that is no http address is refused and not repeated', () => {
  for (const proxy of ['socks5://user:secret@h:1', 'http://', ':::']) {
    assert.throws(
      () => proxyOf('https://gateway.example', { proxy }),
      (error: Error & { code?: string }) =>
        error.code === 'proxy_invalid' && !error.message.includes('secret'),
    );
  }
  assert.throws(() => proxyOf('https://gateway.example', { env: { ALL_PROXY: 'socks5://h:1' } }), {
    code: 'proxy_invalid',
    detail: { from: 'ALL_PROXY' },
  });
});
