import assert from 'node:assert/strict';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { hygiene, waitFor } from '@fairlead/testing';
import { CallEvidence, sending } from '../src/transport/call-evidence.ts';
import { WireFetch } from '../src/transport/wire-fetch.ts';
import { type Certificate, certificate, NO_CERTIFICATE, trustedCertificate } from './certificate.ts';
import { type RawServer, serve, serveRaw } from './http-servers.ts';
import { faultOf, mcpFloor } from './mcp-floor.ts';

/** As many as a connection has sockets. */
const SOCKETS = 16;

type Called = Awaited<ReturnType<Awaited<ReturnType<typeof mcpFloor>>['http']>>;

/** A server with as many calls under way as there are sockets, numbered from 0. What comes later is `onLater`'s to answer. */
async function fullServer(
  t: TestContext,
  options: { readonly era: 'legacy' | 'modern'; readonly certificate?: Certificate | undefined },
  onLater: (id: unknown, response: ServerResponse) => void = answer,
): Promise<{
  readonly s: Called;
  readonly raw: RawServer;
  readonly first: readonly Promise<unknown>[];
  /** The numbers of the calls that arrived. */
  arrived(): readonly unknown[];
  /** Answers one of the first. */
  release(): void;
}> {
  const { http } = await mcpFloor(t);
  const held: (() => void)[] = [];
  const raw = await serveRaw(
    t,
    ({ id }, response) => {
      if (raw.calls.length > SOCKETS) onLater(id, response);
      else held.push(() => answer(id, response));
    },
    options,
  );
  const s = await http(raw.url);
  await s.server.settled;
  const first = Array.from({ length: SOCKETS }, (_, n) => faultOf(s.call('act', { n })));
  await waitFor(() => raw.calls.length === SOCKETS, { what: 'each socket is taken' });
  return {
    ...{ s, raw, first },
    arrived: () => raw.calls.map(({ params }) => (params['arguments'] as { readonly n?: unknown }).n),
    release: () => held.pop()?.(),
  };
}

function answer(id: unknown, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'ok' }] } }));
}

/** What has been asked for has come as far as it comes without an answer. */
const aMoment = () => new Promise((resolve) => setImmediate(resolve));

for (const era of ['legacy', 'modern'] as const) {
  test(`a call that waited for a socket over TLS and broke off when it was read is unknown (${era})`, {
    skip: NO_CERTIFICATE,
  }, async (t) => {
    const full = await fullServer(t, { era, certificate: trustedCertificate(t) }, (_id, response) =>
      response.destroy(),
    );
    const waiting = faultOf(full.s.call('act', { n: 16 }));
    await aMoment();
    assert.equal(full.raw.calls.length, SOCKETS);
    full.release();
    assert.deepEqual((await waiting).slice(0, 2), ['outcome_unknown', 'mcp_answer_lost']);
    assert.equal(full.arrived().at(-1), 16);
  });

  test(`a call that was cancelled while it waited for a socket is not sent when there is one (${era})`, async (t) => {
    const { s, first, arrived, release } = await fullServer(t, { era });
    const over = new AbortController();
    const cancelled = faultOf(s.call('act', { n: 16 }, { signal: over.signal }));
    await aMoment();
    over.abort();
    assert.deepEqual((await cancelled).slice(0, 2), ['not_started', 'call_cancelled']);
    // They are served one after the other: this one stands behind it.
    const next = faultOf(s.call('act', { n: 17 }));
    for (let n = 0; n < SOCKETS; n += 1) release();
    for (const one of [...first, next]) assert.equal(((await one) as readonly unknown[])[0], 'completed');
    assert.deepEqual(arrived().slice(SOCKETS), [17]);
  });

  test(`a call that waited for a socket when its server was stopped is not sent (${era})`, async (t) => {
    const { s, first, arrived, release } = await fullServer(t, { era });
    const waiting = faultOf(s.call('act', { n: 16 }));
    await aMoment();
    const closed = s.server.close();
    assert.deepEqual((await waiting).slice(0, 2), ['not_started', 'mcp_unavailable']);
    for (let n = 0; n < SOCKETS; n += 1) release();
    await closed;
    for (const one of first) assert.equal(((await one) as readonly unknown[])[0], 'outcome_unknown');
    assert.equal(arrived().length, SOCKETS);
  });
}

/** The requests of a connection to a server that counts what it reads. */
async function wireTo(
  t: TestContext,
  made?: Certificate,
  onRequest: RequestListener = (_request, response) => response.end(),
): Promise<{
  readonly url: string;
  readonly wire: WireFetch;
  readonly read: readonly string[];
  /** Begins a call; `end` settles with what is said of it. */
  call(url?: string): { readonly evidence: CallEvidence; readonly end: Promise<unknown> };
}> {
  hygiene(t);
  const read: string[] = [];
  const listener: RequestListener = (request, response) => {
    read.push(String(request.url));
    onRequest(request, response);
  };
  const url = await serve(t, listener, made);
  const wire = new WireFetch(() => {});
  t.after(() => wire[Symbol.dispose]());
  return {
    ...{ url, wire, read },
    call: (to = url) => {
      const evidence = newEvidence();
      const sent = sending.run(evidence, () => wire.fetch(to, { method: 'POST', body: '{}' }));
      return { evidence, end: sent.then(String, String) };
    },
  };
}

const newEvidence = () =>
  new CallEvidence(
    () => {},
    () => {},
  );

test('a call that is over before its request was made is not sent', async (t) => {
  const { url, wire, read } = await wireTo(t);
  const evidence = newEvidence();
  evidence.withdraw();
  await assert.rejects(sending.run(evidence, () => wire.fetch(url, { method: 'POST', body: '{}' })));
  assert.deepEqual([evidence.certainty, read.length], ['not_started', 0]);
});

for (const [how, makes] of [
  ['', () => undefined],
  [' over TLS', trustedCertificate],
] as const)
  test(`a call that is over while its connection is made${how} is not sent when that stands`, {
    skip: makes === trustedCertificate && NO_CERTIFICATE,
  }, async (t) => {
    const { url, call, read } = await wireTo(t, makes(t));
    const { port, protocol } = new URL(url);
    // Nothing comes through until it is let.
    const reached = Promise.withResolvers<Socket>();
    const gate = createServer({ pauseOnConnect: true }, reached.resolve);
    gate.listen(0, '127.0.0.1');
    await new Promise((resolve) => gate.once('listening', resolve));
    t.after(() => {
      gate.close();
      void reached.promise.then((socket) => socket.destroy());
    });
    const address = gate.address() as { readonly port: number };
    const { evidence, end } = call(`${protocol}//127.0.0.1:${address.port}/mcp`);
    // Over TLS the handshake waits behind the gate; else what is over is over in the same breath.
    const held = how === '' ? undefined : await reached.promise;
    evidence.withdraw();
    const socket = held ?? (await reached.promise);
    const through = connect(Number(port), '127.0.0.1');
    for (const one of [socket, through]) one.on('error', () => {});
    socket.pipe(through).pipe(socket);
    await end;
    await new Promise((resolve) => through.once('close', resolve));
    assert.deepEqual([evidence.certainty, read.length], ['not_started', 0]);
  });

test('a call over a connection that was opened for one that was taken back is unknown once it was read', {
  skip: NO_CERTIFICATE,
}, async (t) => {
  const { wire, url, read, call } = await wireTo(t, trustedCertificate(t), (_request, response) =>
    response.destroy(),
  );
  const over = new AbortController();
  const taken = wire.fetch(url, { signal: over.signal });
  over.abort();
  await assert.rejects(taken);
  const { evidence, end } = call();
  await end;
  assert.deepEqual([evidence.certainty, read.length], ['outcome_unknown', 1]);
});

test('a server whose certificate nobody vouches for has read nothing of a call', {
  skip: NO_CERTIFICATE,
}, async (t) => {
  const { read, call } = await wireTo(t, certificate(t));
  const { evidence, end } = call();
  assert.match(String(await end), /self-signed/);
  assert.deepEqual([evidence.certainty, read.length], ['not_started', 0]);
});
