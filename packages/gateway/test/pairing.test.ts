import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { hygiene, manualClock, seededRandom } from '@fairlead/testing';
import { createPairings } from '../src/auth/pairings.ts';
import { startGateway } from './fixture/gateway-fixture.ts';
import { ask, envelopeOf, exchange } from './fixture/http-client.ts';

function book() {
  const clock = manualClock({ startWallMs: 1_000_000 });
  return { clock, pairings: createPairings({ clock, random: seededRandom(7) }) };
}

const invalid = { ok: false, code: 'pairing_code_invalid' };
const limited = { ok: false, code: 'pairing_limited' };

/** What was asked for when the code was made; null where it is not taken. */
function wishOf(redemption: ReturnType<ReturnType<typeof createPairings>['redeem']>) {
  return redemption.ok ? redemption.wish : null;
}

test('a code whose token could not be made is good again', () => {
  const { pairings } = book();
  const { code } = pairings.offer({ runner: 'far' });
  const first = pairings.redeem(code, 'a');
  assert.equal(pairings.redeem(code, 'a').ok, false);
  if (first.ok) first.giveBack();
  assert.deepEqual(wishOf(pairings.redeem(code, 'a')), { runner: 'far' });
});

test('a code has 16 characters that cannot be read as others, and lives 10 minutes', async () => {
  const { clock, pairings } = book();
  const { code, expiresAtMs } = pairings.offer({ runner: 'far' });
  assert.match(code, /^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
  assert.equal(expiresAtMs, 1_600_000);
  await clock.advance(599_999);
  assert.deepEqual(wishOf(pairings.redeem(code, 'a')), { runner: 'far' });
});

test('a code is good once', () => {
  const { pairings } = book();
  const { code } = pairings.offer({ runner: 'far', name: 'workshop' });
  assert.deepEqual(wishOf(pairings.redeem(code, 'a')), { runner: 'far', name: 'workshop' });
  assert.deepEqual(pairings.redeem(code, 'a'), invalid);
});

test('a code that is 10 minutes old is good no longer, whatever the wall clock says', async () => {
  const { clock, pairings } = book();
  const { code } = pairings.offer({ runner: 'far' });
  clock.jumpWall(-3_600_000);
  await clock.advance(600_000);
  assert.deepEqual(pairings.redeem(code, 'a'), invalid);
});

test('dashes, spaces and case do not count, nor O for 0, nor I and L for 1', () => {
  const clock = manualClock();
  const random = (size: number) => new Uint8Array(size).map((_, index) => index % 3);
  const pairings = createPairings({ clock, random });
  assert.equal(pairings.offer({ runner: 'far' }).code, '0120-1201-2012-0120');
  assert.deepEqual(wishOf(pairings.redeem(' oI2o l2oi-2oL20i2O\n', 'a')), { runner: 'far' });
});

test('a new code for a runner id ends the older one', () => {
  const { pairings } = book();
  const older = pairings.offer({ runner: 'far' });
  const other = pairings.offer({ runner: 'near' });
  const newer = pairings.offer({ runner: 'far' });
  assert.deepEqual(pairings.redeem(older.code, 'a'), invalid);
  assert.equal(pairings.redeem(newer.code, 'a').ok, true);
  assert.equal(pairings.redeem(other.code, 'a').ok, true);
});

test('there are at most 64 live codes', async () => {
  const { clock, pairings } = book();
  for (let index = 0; index < 64; index += 1) pairings.offer({ runner: `r${index}` });
  assert.throws(() => pairings.offer({ runner: 'more' }), { code: 'pairing_limit_reached' });
  pairings.offer({ runner: 'r0' });
  await clock.advance(600_000);
  pairings.offer({ runner: 'more' });
});

test('after ten wrong codes within a minute no code of that client is looked at', async () => {
  const { clock, pairings } = book();
  const { code } = pairings.offer({ runner: 'far' });
  for (let index = 0; index < 10; index += 1) assert.deepEqual(pairings.redeem(`x${index}`, 'a'), invalid);
  assert.deepEqual(pairings.redeem(code, 'a'), limited);
  await clock.advance(60_000);
  assert.equal(pairings.redeem(code, 'a').ok, true);
});

test('one client’s wrong codes do not hold up another; a crowd’s do', () => {
  const { pairings } = book();
  const { code } = pairings.offer({ runner: 'far' });
  for (let index = 0; index < 119; index += 1) pairings.redeem('x', `client ${index % 12}`);
  assert.deepEqual(pairings.redeem('x', 'client 11'), invalid);
  assert.deepEqual(pairings.redeem(code, 'somebody'), limited);
});

test('what cannot be a runner id or a name gives no code', () => {
  const { pairings } = book();
  assert.throws(() => pairings.offer({ runner: ' ' }), { code: 'token_request_invalid' });
  assert.throws(() => pairings.offer({ runner: 'far', name: 'fairlead up' }), {
    code: 'token_request_invalid',
  });
});

test('over HTTP a code gives a token that opens the link of its runner id, once', async (t) => {
  hygiene(t);
  const { port, token, tokens, lines, url } = await startGateway(t);
  const offered = await ask(port, {
    path: '/api/admin/pairings',
    token,
    body: { runner: 'far', name: 'shop' },
  });
  assert.equal(offered.status, 200);
  const offer = offered.envelope.output as JsonObject;
  assert.deepEqual([offer['runner'], offer['url']], ['far', url]);
  const code = String(offer['code']);
  const paired = await ask(port, { path: '/api/runner/pair', body: { code } });
  assert.equal(paired.status, 200);
  const output = paired.envelope.output as JsonObject;
  assert.deepEqual(Object.keys(output), ['runner', 'token', 'expiresAtMs']);
  const claim = tokens.authenticateRunner(String(output['token']));
  assert.equal(claim.ok && claim.claim.runner, 'far');
  assert.equal(tokens.list().find(({ runner }) => runner === 'far')?.name, 'shop');
  const again = await ask(port, { path: '/api/runner/pair', body: { code } });
  assert.equal(again.status, 400);
  assert.equal(again.envelope.error?.code, 'pairing_code_invalid');
  assert.equal(again.envelope.dispatch_certainty, 'not_started');
  const log = lines.join('');
  assert.match(log, /"event":"runner\.paired","runner":"far"/);
  assert.match(log, /"event":"pairing\.refused","code":"pairing_code_invalid","client":"127\.0\.0\.1"/);
  assert.equal(log.includes(code) || log.includes(String(output['token'])), false);
});

test('two machines that show one code at once get one token', async (t) => {
  hygiene(t);
  const { port, token, tokens } = await startGateway(t);
  const { envelope } = await ask(port, { path: '/api/admin/pairings', token, body: { runner: 'far' } });
  const body = { code: String((envelope.output as JsonObject)['code']) };
  const answers = await Promise.all([1, 2, 3].map(() => ask(port, { path: '/api/runner/pair', body })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400, 400]);
  assert.equal(tokens.list().filter(({ runner }) => runner === 'far').length, 1);
});

test('a code is made with the scope admin, on the gateway’s machine, within the asking token’s Runners', async (t) => {
  hygiene(t);
  const { port, mint, token } = await startGateway(t, { config: { publicUrl: 'https://fairlead.example' } });
  const path = '/api/admin/pairings';
  const narrow = await mint(['session:read']);
  const limitedTo = await mint(['admin'], ['near']);
  const codeOf = async (wanted: Omit<Parameters<typeof ask>[1], 'path'>) =>
    (await ask(port, { path, ...wanted })).envelope.error?.code;
  assert.equal(await codeOf({ body: { runner: 'far' } }), 'unauthorized');
  assert.equal(await codeOf({ token: narrow, body: { runner: 'far' } }), 'insufficient_scope');
  assert.equal(
    await codeOf({ token, body: { runner: 'far' }, headers: { host: 'fairlead.example' } }),
    'local_only',
  );
  assert.equal(await codeOf({ token: limitedTo, body: { runner: 'far' } }), 'token_request_invalid');
  assert.equal(await codeOf({ token: limitedTo, body: { runner: 'near' } }), undefined);
  const { envelope } = await ask(port, { path, token, body: { runner: 'far' } });
  assert.equal((envelope.output as JsonObject)['url'], 'https://fairlead.example');
  for (const body of [
    [],
    { name: 'x' },
    { runner: 'far', name: 7 },
    { runner: 'far', scopes: [] },
    { runner: '' },
  ])
    assert.equal(await codeOf({ token, body }), 'token_request_invalid', JSON.stringify(body));
});

test('what holds no code is refused without counting', async (t) => {
  hygiene(t);
  const { port } = await startGateway(t);
  for (const body of [[], {}, { code: 7 }, { code: 'x', more: 1 }, { code: 'x'.repeat(65) }]) {
    const { envelope, status } = await ask(port, { path: '/api/runner/pair', body });
    assert.equal(status, 400);
    assert.equal(envelope.error?.code, 'invalid_body', JSON.stringify(body));
  }
  const { envelope } = await ask(port, { path: '/api/runner/pair', body: { code: 'x' } });
  assert.equal(envelope.error?.code, 'pairing_code_invalid');
});

test('a body beyond 1 KiB at the pairing route is 413 before it is read', async (t) => {
  hygiene(t);
  const { port } = await startGateway(t);
  const head =
    'POST /api/runner/pair HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nConnection: close\r\n';
  // Of the body nothing is sent: the answer does not wait for it.
  const told = await exchange(port, `${head}Content-Length: 1025\r\n\r\n`);
  assert.match(told, /^HTTP\/1\.1 413 /);
  assert.equal(envelopeOf(told).error?.code, 'body_too_large');
  const chunk = `${(1025).toString(16)}\r\n${'x'.repeat(1025)}\r\n`;
  const untold = await exchange(port, `${head}Transfer-Encoding: chunked\r\n\r\n`, `${chunk}0\r\n\r\n`);
  assert.match(untold, /^HTTP\/1\.1 413 /);
  const escaped = [...'x'.repeat(64)].map(() => '\\u0078').join('');
  const { envelope } = await ask(port, { path: '/api/runner/pair', bytes: `{"code":"${escaped}"}` });
  assert.equal(envelope.error?.code, 'pairing_code_invalid');
});
