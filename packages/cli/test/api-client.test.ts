import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@fairlead/base';
import { hygiene, manualClock } from '@fairlead/testing';
import { type ApiRequest, sendOnce } from '../src/client/api-client.ts';
import { deadUrl, httpAnswer, rawServer } from './loopback-server.ts';

const envelope = '{"success":true,"output":{"a":1},"error":null,"dispatch_certainty":"completed"}';

function request(serverUrl: string, more: Partial<ApiRequest> = {}): ApiRequest {
  return {
    clock: systemClock(),
    serverUrl,
    path: '/api/tools/call',
    method: 'POST',
    token: 'fairlead_pat_x',
    body: { a: 'é' },
    timeoutMs: 20_000,
    ...more,
  };
}

test('a whole answer is given with its status, whatever that is', async (t) => {
  hygiene(t);
  const server = await rawServer(t, (socket) => socket.end(httpAnswer(418, envelope)));
  assert.deepEqual(await sendOnce(request(server.url)), {
    kind: 'answered',
    status: 418,
    envelope: { success: true, output: { a: 1 }, error: null, dispatch_certainty: 'completed' },
  });
  assert.match(server.received[0] ?? '', /^POST \/api\/tools\/call HTTP\/1\.1\r\n/);
  assert.match(server.received[0] ?? '', /\r\nauthorization: Bearer fairlead_pat_x\r\n/);
  assert.match(server.received[0] ?? '', /\r\ncontent-length: 10\r\n/);
});

test('a request without token and body sends neither', async (t) => {
  hygiene(t);
  const server = await rawServer(t, (socket) => socket.end(httpAnswer(200, envelope)));
  const { token: _token, body: _body, ...bare } = request(server.url, { method: 'GET', path: '/healthz' });
  assert.equal((await sendOnce(bare)).kind, 'answered');
  assert.doesNotMatch(server.received[0] ?? '', /authorization|content-/i);
});

test('a refused connection is unsent', async (t) => {
  hygiene(t);
  assert.deepEqual(await sendOnce(request(await deadUrl())), { kind: 'unsent', reason: 'ECONNREFUSED' });
});

test('a server that speaks no TLS never gets the request', async (t) => {
  hygiene(t);
  const server = await rawServer(t, (socket) => socket.end(httpAnswer(200, envelope)));
  const answer = await sendOnce(request(server.url.replace('http:', 'https:'), { timeoutMs: 300 }));
  assert.equal(answer.kind, 'unsent');
  assert.doesNotMatch(server.received.join(''), /fairlead_pat_x/);
});

test('a reset after the request is lost', async (t) => {
  hygiene(t);
  const server = await rawServer(t, (socket) => socket.resetAndDestroy());
  assert.deepEqual(await sendOnce(request(server.url)), { kind: 'lost', reason: 'ECONNRESET' });
});

test('half an answer is lost', async (t) => {
  hygiene(t);
  const half = httpAnswer(200, envelope).slice(0, -20);
  const server = await rawServer(t, (socket) => socket.end(half));
  const answer = await sendOnce(request(server.url));
  assert.equal(answer.kind, 'lost');
});

test('half a header is lost', async (t) => {
  hygiene(t);
  const server = await rawServer(t, (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le'));
  assert.equal((await sendOnce(request(server.url))).kind, 'lost');
});

test('an answer that does not end is cut at the bound and lost', async (t) => {
  hygiene(t);
  const server = await rawServer(t, (socket) => {
    const chunk = Buffer.alloc(256 * 1024, ' ');
    const more = () => {
      while (!socket.destroyed && socket.write(chunk)) {
        // As fast as the other side reads.
      }
    };
    socket.on('drain', more);
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    more();
  });
  assert.deepEqual(await sendOnce(request(server.url)), { kind: 'lost', reason: 'the answer is too large' });
});

for (const [what, body] of Object.entries({
  'not JSON': '<html>hello</html>',
  'JSON of another shape': '{"ok":true}',
  'a list': '[]',
  nothing: '',
  'an envelope without certainty': '{"success":true,"output":null,"error":null}',
  'an envelope with an unknown certainty':
    '{"success":true,"output":null,"error":null,"dispatch_certainty":"maybe"}',
  'an envelope whose error is a text':
    '{"success":false,"output":null,"error":"no","dispatch_certainty":"completed"}',
  'an envelope whose error has no code':
    '{"success":false,"output":null,"error":{"message":"x"},"dispatch_certainty":"completed"}',
  'an envelope whose recovery is a number':
    '{"success":false,"output":null,"error":{"code":"x","message":"x","recovery":1},"dispatch_certainty":"completed"}',
  'an envelope whose call is an object':
    '{"success":true,"output":null,"error":null,"dispatch_certainty":"completed","call":{}}',
  'an envelope with a key twice':
    '{"success":false,"success":true,"output":null,"error":null,"dispatch_certainty":"completed"}',
})) {
  test(`an answer that is ${what} is lost`, async (t) => {
    hygiene(t);
    const server = await rawServer(t, (socket) => socket.end(httpAnswer(200, body)));
    assert.deepEqual(await sendOnce(request(server.url)), {
      kind: 'lost',
      reason: 'an answer (HTTP 200) that is not Fairlead’s',
    });
  });
}

test('bytes that are not UTF-8 are lost', async (t) => {
  hygiene(t);
  const server = await rawServer(t, (socket) => {
    const body = Buffer.from(envelope.replace('"a"', '"\u00ff"'), 'latin1');
    socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n`);
    socket.end(body);
  });
  assert.equal((await sendOnce(request(server.url))).kind, 'lost');
});

for (const status of [401, 403]) {
  test(`${status} by something that is no gateway is a refusal`, async (t) => {
    hygiene(t);
    const server = await rawServer(t, (socket) => socket.end(httpAnswer(status, '<html>no</html>')));
    assert.deepEqual(await sendOnce(request(server.url)), { kind: 'refused', status });
  });
}

test('a redirect is not followed, and is lost', async (t) => {
  hygiene(t);
  const other = await rawServer(t, (socket) => socket.end(httpAnswer(200, envelope)));
  const server = await rawServer(t, (socket) =>
    socket.end(httpAnswer(307, '', [`location: ${other.url}/api/tools/call`])),
  );
  assert.deepEqual(await sendOnce(request(server.url)), {
    kind: 'lost',
    reason: 'an answer (HTTP 307) that is not Fairlead’s',
  });
  assert.deepEqual(other.received, []);
});

test('a server that never answers is lost when the time is over, and hung up on', async (t) => {
  hygiene(t);
  const clock = manualClock();
  const asked = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  const server = await rawServer(t, (socket) => {
    socket.once('close', () => closed.resolve());
    asked.resolve();
  });
  const answer = sendOnce(request(server.url, { clock, timeoutMs: 15_000 }));
  await asked.promise;
  await clock.advance(14_999);
  await clock.advance(1);
  assert.deepEqual(await answer, { kind: 'lost', reason: 'no answer within 15 s' });
  await closed.promise;
  assert.equal(clock.pendingTimers, 0);
});

test('an answer that stops in its middle is lost when the time is over', async (t) => {
  hygiene(t);
  const clock = manualClock();
  const begun = Promise.withResolvers<void>();
  const server = await rawServer(t, (socket) => {
    socket.write(httpAnswer(200, envelope).slice(0, -5), () => begun.resolve());
  });
  const answer = sendOnce(request(server.url, { clock, timeoutMs: 1 }));
  await begun.promise;
  await clock.advance(1);
  assert.deepEqual(await answer, { kind: 'lost', reason: 'no answer within 1 s' });
});

test('a path of the address is kept, its last slash is not doubled', async (t) => {
  hygiene(t);
  const server = await rawServer(t, (socket) => socket.end(httpAnswer(200, envelope)));
  await sendOnce(request(`${server.url}/behind/`));
  assert.match(server.received[0] ?? '', /^POST \/behind\/api\/tools\/call /);
});

test('an address that is no plain http or https URL is refused and not repeated', async () => {
  for (const url of [
    'ftp://127.0.0.1',
    'not a url',
    'http://user@127.0.0.1',
    'http://:hunter2@127.0.0.1',
    'http://127.0.0.1/?token=hunter2',
    'http://127.0.0.1/#hunter2',
  ]) {
    await assert.rejects(
      async () => sendOnce(request(url)),
      (error: Error & { code?: string }) =>
        error.code === 'server_url_invalid' && !error.message.includes('hunter2'),
      url,
    );
  }
});
