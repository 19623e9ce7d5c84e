import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext as NodeTest, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { systemClock } from '@fairlead/base';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { sendOnce } from '../src/client/api-client.ts';
import { connectProxy } from './connect-proxy.ts';
import { apiServer, deadUrl, rawServer, success } from './loopback-server.ts';

const portOf = (url: string) => Number(new URL(url).port);

const send = (serverUrl: string, proxy: string, more: { readonly timeoutMs?: number } = {}) =>
  sendOnce({
    clock: systemClock(),
    serverUrl,
    path: '/api/x',
    method: 'POST',
    token: 'fairlead_pat_x',
    body: { a: 1 },
    timeoutMs: 10_000,
    proxy: new URL(proxy),
    ...more,
  });

test('a request goes through the proxy by CONNECT, with its credentials for the proxy alone', async (t) => {
  hygiene(t);
  const server = await apiServer(t, [{ envelope: success({ done: true }) }]);
  const proxy = await connectProxy(t, { to: portOf(server.url) });
  const answer = await send('http://gateway.test:7420/base', proxy.url.replace('//', '//us%40er:se%3Acret@'));
  assert.equal(answer.kind, 'answered');
  assert.deepEqual(proxy.asked, [
    {
      target: 'gateway.test:7420',
      authorization: `Basic ${Buffer.from('us@er:se:cret').toString('base64')}`,
    },
  ]);
  assert.deepEqual(server.requests, [
    { method: 'POST', path: '/base/api/x', authorization: 'Bearer fairlead_pat_x', body: { a: 1 } },
  ]);
});

test('the port of the scheme is named where the address has none', async (t) => {
  hygiene(t);
  const proxy = await connectProxy(t, { refuse: 403 });
  await send('http://gateway.test', proxy.url);
  await send('https://gateway.test', proxy.url);
  await send('https://[2001:db8::1]', proxy.url);
  assert.deepEqual(
    proxy.asked.map(({ target }) => target),
    ['gateway.test:80', 'gateway.test:443', '[2001:db8::1]:443'],
  );
});

test('a proxy that refuses, hangs up, is no proxy or is not there has had nothing of the request', async (t) => {
  hygiene(t);
  const refusing = await connectProxy(t, { refuse: 407 });
  assert.deepEqual(await send('https://gateway.test', refusing.url), {
    kind: 'unsent',
    reason: 'the proxy answered HTTP 407',
  });
  const hanging = await connectProxy(t, { hangUp: true });
  assert.deepEqual(await send('https://gateway.test', hanging.url), {
    kind: 'unsent',
    reason: 'the proxy: ECONNRESET',
  });
  assert.deepEqual(await send('https://gateway.test', await deadUrl()), {
    kind: 'unsent',
    reason: 'the proxy: ECONNREFUSED',
  });
});

test('a proxy that never answers is given up with the request', async (t) => {
  hygiene(t);
  const silent = await rawServer(t, () => {});
  const answer = await send('http://gateway.test', silent.url, { timeoutMs: 100 });
  assert.deepEqual(answer, { kind: 'unsent', reason: 'no answer within 1 s' });
});

test('what the server behind the proxy did not answer is lost, not unsent', async (t) => {
  hygiene(t);
  const server = await rawServer(t, (socket) => socket.destroy());
  const proxy = await connectProxy(t, { to: portOf(server.url) });
  const answer = await send('http://gateway.test', proxy.url);
  assert.equal(answer.kind, 'lost');
});

/** An https server whose certificate is for `gateway.test`. */
async function secureServer(t: NodeTest) {
  const folder = temporaryFolder(t);
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const names = ['-subj', '/CN=gateway.test', '-addext', 'subjectAltName=DNS:gateway.test'];
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', '-x509', '-nodes', '-days', '1', ...made, ...names], { stdio: 'ignore' });
  const files = { key: readFileSync(key), cert: readFileSync(cert, 'utf8') };
  const server = createServer(files, (_request, response) =>
    response.writeHead(200, { connection: 'close' }).end(JSON.stringify(success({ secure: true }))),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => new Promise((resolve) => server.close(resolve)));
  return { cert: files.cert, port: (server.address() as AddressInfo).port };
}

const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version']);
    return true;
  } catch {
    return false;
  }
})();

test('TLS is agreed with the gateway itself, by its own name', {
  skip: !hasOpenssl && 'no openssl',
}, async (t) => {
  hygiene(t);
  const { cert, port } = await secureServer(t);
  const proxy = await connectProxy(t, { to: port });
  const untrusted = await send('https://gateway.test', proxy.url);
  assert.equal(untrusted.kind, 'unsent');
  const before = getCACertificates('default');
  t.after(() => setDefaultCACertificates(before));
  setDefaultCACertificates([...before, cert]);
  const answer = await send('https://gateway.test', proxy.url);
  assert.equal(answer.kind === 'answered' && answer.envelope.success, true, JSON.stringify(answer));
  const other = await send('https://other.test', proxy.url);
  assert.deepEqual(other, { kind: 'unsent', reason: 'ERR_TLS_CERT_ALTNAME_INVALID' });
});

test('a proxy that never answers is given up, and nothing is left of it', async (t) => {
  hygiene(t);
  const silent = await rawServer(t, () => {});
  const answer = await send('http://gateway.test:7420', silent.url, { timeoutMs: 200 });
  assert.equal(answer.kind, 'unsent');
});
