import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock } from '@fairlead/base';
import { manualClock, temporaryFolder } from '@fairlead/testing';
import { type GuardedRequest, guardedRequest, type NetworkPorts } from '../../src/network/guarded-request.ts';

interface Seen {
  readonly line: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

async function listening(context: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    return new Promise((closed) => server.close(closed));
  });
  return (server.address() as AddressInfo).port;
}

/** A server that keeps what it is asked and answers as it is told. */
async function serverOf(context: TestContext, answer: RequestListener) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    seen.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
    answer(request, response);
  });
  return { port: await listening(context, server), seen };
}

/** Every name leads to loopback, unless the test says where. */
function ports(given: Partial<NetworkPorts> & { readonly names?: Record<string, readonly string[]> } = {}) {
  const asked: string[] = [];
  const resolve = async (host: string) => {
    asked.push(host);
    return given.names?.[host] ?? ['127.0.0.1'];
  };
  return {
    clock: given.clock ?? systemClock(),
    resolve: given.resolve ?? resolve,
    asked,
    ...(given.ca === undefined ? {} : { ca: given.ca }),
  };
}

function ask(url: string, more: Partial<GuardedRequest> = {}): GuardedRequest {
  return { url, grant: { allowPrivate: true }, maxBytes: 1000, timeoutMs: 10_000, ...more };
}

async function faultOf(request: GuardedRequest, given: NetworkPorts) {
  const outcome = await guardedRequest(request, given);
  assert.ok('fault' in outcome, 'no fault');
  const { code, detail } = outcome.fault;
  const reason = (detail as { reason?: string } | undefined)?.reason;
  return [outcome.certainty, code, ...(reason === undefined ? [] : [reason])];
}

async function answerOf(request: GuardedRequest, given: NetworkPorts) {
  const outcome = await guardedRequest(request, given);
  assert.ok('value' in outcome, JSON.stringify(outcome));
  return outcome.value;
}

test('a request goes to the address that was judged, under the name that was asked for, which is resolved once', async (context) => {
  const { port, seen } = await serverOf(context, (_request, response) => {
    response.writeHead(201, { 'x-answer': 'yes' }).end('hello');
  });
  const network = ports();
  const answer = await answerOf(
    ask(`http://api.example:${port}/a?b`, { method: 'post', headers: { 'X-Key': 'k' }, body: 'in' }),
    network,
  );
  assert.deepEqual(network.asked, ['api.example']);
  assert.equal(answer.status, 201);
  assert.equal(answer.headers['x-answer'], 'yes');
  assert.equal(answer.body.toString(), 'hello');
  assert.equal(answer.isCut, false);
  assert.equal(answer.redirects, 0);
  assert.deepEqual(
    seen.map(({ line, headers, body }) => [
      line,
      headers.host,
      headers['x-key'],
      headers['accept-encoding'],
      body,
    ]),
    [['POST /a?b', `api.example:${port}`, 'k', 'identity', 'in']],
  );
});

test('of several addresses the next is tried where one does not answer', async (context) => {
  const { port } = await serverOf(context, (_request, response) => response.end('x'));
  const network = ports({ names: { 'a.example': ['127.0.0.2', '127.0.0.1'] } });
  assert.equal((await answerOf(ask(`http://a.example:${port}/`), network)).body.toString(), 'x');
});

test('an address itself needs no resolver', async (context) => {
  const { port } = await serverOf(context, (_request, response) => response.end('x'));
  const network = ports();
  assert.equal((await answerOf(ask(`http://127.1:${port}/`), network)).body.toString(), 'x');
  assert.deepEqual(network.asked, []);
});

test('one private address among those of a name refuses them all, before anything is sent', async (context) => {
  const { port, seen } = await serverOf(context, (_request, response) => response.end());
  const refused = ['127.0.0.1', '10.0.0.1', '::1', '::ffff:127.0.0.1', 'fe80::1%lo', '169.254.169.254'];
  for (const address of refused) {
    const network = ports({ names: { 'trap.example': ['1.1.1.1', address] } });
    const [certainty, code] = await faultOf(
      ask(`http://trap.example:${port}/`, { grant: { allowPrivate: false } }),
      network,
    );
    assert.deepEqual([certainty, code], ['not_started', 'network_address_refused'], address);
  }
  assert.deepEqual(seen, []);
});

test('metadata stays closed with allow_private', async () => {
  const network = ports({ names: { 'x.org': ['169.254.169.254'] } });
  assert.deepEqual(await faultOf(ask('http://x.org/'), network), [
    'not_started',
    'network_address_refused',
    'a reserved address',
  ]);
});

test('an endpoint that is not granted is refused before its name is resolved', async () => {
  const network = ports();
  const grant = { endpoints: [{ host: 'y.org', methods: ['GET'] }], allowPrivate: true };
  assert.deepEqual(await faultOf(ask('http://x.org/', { grant }), network), [
    'not_started',
    'grant_denied',
    'network',
  ]);
  assert.deepEqual(await faultOf(ask('http://y.org/', { grant, method: 'DELETE' }), network), [
    'not_started',
    'grant_denied',
    'network',
  ]);
  assert.deepEqual(network.asked, []);
});

test('a name without an address, and one that cannot be resolved, are not started', async () => {
  const fails = ports({ resolve: () => Promise.reject(new Error('ENOTFOUND')) });
  const nothing = ports({ names: { 'x.org': [] } });
  for (const network of [fails, nothing])
    assert.deepEqual(await faultOf(ask('http://x.org/'), network), [
      'not_started',
      'network_name_unresolved',
      'no address',
    ]);
});

test('what is no request is refused', async () => {
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`x-${at}`, 'v'.repeat(1000)]));
  const cases: Partial<GuardedRequest>[] = [
    { method: 'CONNECT' },
    { method: 'trace' },
    { method: 'G T' },
    { body: 'x' },
    { method: 'HEAD', body: 'x' },
    { method: 'POST', body: 'x'.repeat(1_048_577) },
    { headers: { Host: 'y.org' } },
    { headers: { 'transfer-encoding': 'chunked' } },
    { headers: { 'Proxy-Authorization': 'x' } },
    { headers: { 'a b': 'x' } },
    { headers: { a: 'x\r\ny: z' } },
    { headers: { a: '1', A: '2' } },
    { headers: many },
    { url: `http://x.org/${'a'.repeat(9000)}` },
    { url: 'file:///etc/passwd' },
  ];
  for (const more of cases) {
    const [certainty, code] = await faultOf(ask('http://x.org/', more), ports());
    assert.deepEqual(
      [certainty, code],
      ['not_started', 'network_request_invalid'],
      JSON.stringify(more).slice(0, 80),
    );
  }
});

test('each redirect is judged anew', async (context) => {
  const { port, seen } = await serverOf(context, (request, response) => {
    const to = new URL(request.url ?? '/', 'http://x').searchParams.get('to');
    if (to === null) response.end('there');
    else response.writeHead(302, { location: to.replace('LONG', 'a'.repeat(8200)) }).end('moved');
  });
  const from = (to: string, more: Partial<GuardedRequest> = {}) =>
    ask(`http://a.example:${port}/?to=${encodeURIComponent(to)}`, more);
  const names = { 'bad.example': ['169.254.169.254'] };
  const refusal = async (to: string, more: Partial<GuardedRequest> = {}) =>
    await faultOf(from(to, more), ports({ names }));
  const there = await answerOf(from(`http://b.example:${port}/x`), ports());
  assert.deepEqual(
    [there.body.toString(), there.redirects, there.url],
    ['there', 1, `http://b.example:${port}/x`],
  );
  const expected = (reason: string) => ['completed', 'network_redirect_refused', reason];
  assert.deepEqual(await refusal('http://169.254.169.254/latest'), expected('a reserved address'));
  assert.deepEqual(await refusal('http://bad.example/'), expected('a reserved address'));
  assert.deepEqual(await refusal('file:///etc/passwd'), expected('neither http nor https'));
  assert.deepEqual(await refusal('http://u:p@b.example/'), expected('a user name in the address'));
  assert.deepEqual(await refusal('http://[bad/'), expected('no address'));
  assert.deepEqual(await refusal('/LONG'), expected('the size of the address'));
  const grant = { endpoints: [{ host: 'a.example' }], allowPrivate: true };
  assert.deepEqual(await refusal(`http://b.example:${port}/`, { grant }), expected('not granted'));
  assert.deepEqual(await refusal('http://127.0.0.1:1/'), expected('unreachable'));
  assert.equal(seen.filter(({ headers }) => headers.host === `b.example:${port}`).length, 1);
});

test('a circle of redirects ends after five', async (context) => {
  const { port, seen } = await serverOf(context, (_request, response) => {
    response.writeHead(307, { location: '/' }).end();
  });
  assert.deepEqual(await faultOf(ask(`http://a.example:${port}/`), ports()), [
    'completed',
    'network_redirect_refused',
    'too many',
  ]);
  assert.equal(seen.length, 6);
});

test('method and body go on as the Fetch standard says', async (context) => {
  const { port, seen } = await serverOf(context, (request, response) => {
    const status = Number(request.url?.slice(1));
    if (Number.isNaN(status)) response.end();
    else response.writeHead(status, { location: '/end' }).end();
  });
  const told: (string | undefined)[] = [];
  for (const [method, status] of [
    ['POST', 301],
    ['POST', 302],
    ['PUT', 302],
    ['PUT', 303],
    ['HEAD', 303],
    ['POST', 307],
    ['DELETE', 308],
  ] as const) {
    const body =
      method === 'HEAD' ? {} : { body: 'b', headers: { 'content-type': 'text/plain', 'x-a': '1' } };
    await answerOf(ask(`http://a.example:${port}/${status}`, { method, ...body }), ports());
    const last = seen.at(-1);
    told.push(
      `${method} ${status}: ${last?.line} ${last?.body} ${last?.headers['content-type']} ${last?.headers['x-a']}`,
    );
  }
  assert.deepEqual(told, [
    'POST 301: GET /end  undefined 1',
    'POST 302: GET /end  undefined 1',
    'PUT 302: PUT /end b text/plain 1',
    'PUT 303: GET /end  undefined 1',
    'HEAD 303: HEAD /end  undefined undefined',
    'POST 307: POST /end b text/plain 1',
    'DELETE 308: DELETE /end b text/plain 1',
  ]);
});

test('to another origin nothing goes along that says who asks', async (context) => {
  const { port, seen } = await serverOf(context, (request, response) => {
    if (request.url === '/') response.writeHead(302, { location: `http://b.example:${port}/end` }).end();
    else response.end();
  });
  const headers = { Authorization: 'Bearer x', Cookie: 'c', 'X-Api-Key': 'k', Accept: 'text/plain' };
  await answerOf(ask(`http://a.example:${port}/`, { headers }), ports());
  const [first, last] = seen;
  assert.equal(first?.headers['authorization'], 'Bearer x');
  const { authorization, cookie, accept, 'x-api-key': key } = last?.headers ?? {};
  assert.deepEqual([authorization, cookie, key, accept], [undefined, undefined, undefined, 'text/plain']);
});

test('a body beyond its bound is cut, and the rest is not read', async (context) => {
  const { port } = await serverOf(context, (_request, response) => {
    response.write('x'.repeat(600));
    response.write('y'.repeat(600));
    // It never ends by itself.
  });
  const answer = await answerOf(ask(`http://a.example:${port}/`), ports());
  assert.equal(answer.isCut, true);
  assert.equal(answer.body.toString(), 'x'.repeat(600) + 'y'.repeat(400));
});

test('a redirect without a place to go to is an answer', async (context) => {
  const { port } = await serverOf(context, (_request, response) => response.writeHead(302).end('nowhere'));
  const answer = await answerOf(ask(`http://a.example:${port}/`), ports());
  assert.deepEqual([answer.status, answer.body.toString()], [302, 'nowhere']);
});

/** A server that says bytes of its own once it was asked. */
async function rawServer(context: TestContext, say: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createSocketServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => say(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((closed) => server.close(closed));
  });
  return (server.address() as AddressInfo).port;
}

test('half an answer, none, garbage, endless headers and a change of protocol are unknown', async (context) => {
  const answers = [
    'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n',
    '',
    'garbage\r\n\r\n',
    `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`,
    'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
  ];
  for (const said of answers) {
    const port = await rawServer(context, (socket) => socket.end(said));
    assert.deepEqual(
      await faultOf(ask(`http://a.example:${port}/`), ports()),
      ['outcome_unknown', 'network_answer_broken'],
      said.slice(0, 60),
    );
  }
});

test('where nothing listens, nothing was sent', async (context) => {
  const { port } = await serverOf(context, (_request, response) => response.end());
  const gone = createServer();
  const free = await listening(context, gone);
  await new Promise((closed) => gone.close(closed));
  assert.notEqual(free, port);
  assert.deepEqual(await faultOf(ask(`http://a.example:${free}/`), ports()), [
    'not_started',
    'network_unreachable',
  ]);
});

test('time counts from the first look at the name; before sending nothing was started', async () => {
  const clock = manualClock();
  const network = ports({ clock, resolve: () => new Promise(() => {}) });
  const end = faultOf(ask('http://x.org/', { timeoutMs: 500 }), network);
  await clock.advance(500);
  assert.deepEqual(await end, ['not_started', 'network_timeout']);
  assert.equal(clock.pendingTimers, 0);
});

test('a silent server runs into the time, and the outcome is unknown', async (context) => {
  const clock = manualClock();
  const asked = Promise.withResolvers<void>();
  const port = await rawServer(context, () => asked.resolve());
  const end = faultOf(ask(`http://a.example:${port}/`, { timeoutMs: 500 }), ports({ clock }));
  await asked.promise;
  await clock.advance(500);
  assert.deepEqual(await end, ['outcome_unknown', 'network_timeout']);
});

test('a caller ends it at any point', async (context) => {
  const before = AbortSignal.abort();
  assert.deepEqual(await faultOf(ask('http://x.org/', { signal: before }), ports()), [
    'not_started',
    'network_cancelled',
  ]);
  const stop = new AbortController();
  const port = await rawServer(context, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf');
    stop.abort();
  });
  assert.deepEqual(await faultOf(ask(`http://a.example:${port}/`, { signal: stop.signal }), ports()), [
    'outcome_unknown',
    'network_cancelled',
  ]);
});

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

test('TLS is spoken with the name that was asked for; a foreign certificate and a way back to http are refused', {
  skip: !hasOpenssl() && 'no openssl',
}, async (context) => {
  const folder = temporaryFolder(context);
  const [keyFile, certificateFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const made = [
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-keyout',
    keyFile,
    '-out',
    certificateFile,
  ];
  const names = ['-subj', '/CN=a.example', '-addext', 'subjectAltName=DNS:a.example'];
  execFileSync('openssl', ['req', '-x509', '-nodes', '-days', '1', ...made, ...names], { stdio: 'ignore' });
  const [key, cert] = [readFileSync(keyFile, 'utf8'), readFileSync(certificateFile, 'utf8')];
  const servernames: (string | false | undefined)[] = [];
  let asked = 0;
  const server = createSecureServer({ key, cert }, (request, response) => {
    asked += 1;
    if (request.url === '/') response.end('sealed');
    else response.writeHead(302, { location: 'http://a.example/' }).end();
  });
  server.on('secureConnection', (socket) =>
    servernames.push((socket as { servername?: string | false }).servername),
  );
  const port = await listening(context, server);
  const trusting = ports({ ca: cert });
  assert.equal((await answerOf(ask(`https://a.example:${port}/`), trusting)).body.toString(), 'sealed');
  assert.deepEqual(servernames, ['a.example']);
  assert.deepEqual(await faultOf(ask(`https://a.example:${port}/down`), trusting), [
    'completed',
    'network_redirect_refused',
    'from https to http',
  ]);
  const refused = ['not_started', 'network_unreachable'];
  assert.deepEqual(await faultOf(ask(`https://b.example:${port}/`), trusting), refused);
  assert.deepEqual(await faultOf(ask(`https://a.example:${port}/`), ports()), refused);
  assert.equal(asked, 2);
});
