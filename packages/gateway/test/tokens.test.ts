import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock, systemRandom } from '@fairlead/base';
import { openStore, type Store } from '@fairlead/store';
import { hygiene, type ManualClock, manualClock, temporaryFolder } from '@fairlead/testing';
import { bearerToken } from '../src/auth/bearer.ts';
import { createTokens, type Tokens } from '../src/index.ts';

type Fixture = {
  readonly tokens: Tokens;
  readonly store: Store;
  readonly clock: ManualClock;
  readonly path: string;
};

async function open(t: TestContext, clock = manualClock()): Promise<Fixture> {
  hygiene(t);
  const path = join(temporaryFolder(t), 'fairlead.db');
  const store = await openStore({ path, clock: systemClock() });
  t.after(() => store.close());
  return { tokens: await createTokens({ store, clock, random: systemRandom() }), store, clock, path };
}

const again = (fixture: Fixture) =>
  createTokens({ store: fixture.store, clock: fixture.clock, random: systemRandom() });

test('a personal token is 256 random bits, opens what its scopes say, and is stored as a digest only', async (t) => {
  const fixture = await open(t);
  const { secret, token } = await fixture.tokens.mint({
    name: 'laptop',
    scopes: ['plugin:inspect'],
    runners: ['a', 'a', 'b'],
  });
  assert.match(secret, /^fairlead_pat_[A-Za-z0-9_-]{43}$/);
  assert.deepEqual(token, {
    id: token.id,
    name: 'laptop',
    kind: 'personal',
    scopes: ['plugin:inspect'],
    runners: ['a', 'b'],
    createdAtMs: Date.UTC(2026, 0, 1),
    expiresAtMs: Date.UTC(2026, 0, 1) + 90 * 86_400_000,
    revokedAtMs: null,
  });
  assert.match(token.id, /^tok_[A-Za-z0-9_-]{22}$/);
  const found = fixture.tokens.authenticate(secret);
  assert.equal(found.ok, true);
  if (!found.ok) return;
  assert.deepEqual(found.claim.principal, {
    id: `token:${token.id}`,
    scopes: ['plugin:inspect'],
    runners: ['a', 'b'],
  });
  assert.equal(found.claim.tokenId, token.id);
  assert.equal(found.claim.expiresAtMs, token.expiresAtMs);
  assert.equal(found.claim.isLive(), true);
  assert.equal(JSON.stringify(fixture.tokens.list()).includes(secret.slice(13)), false);
  await fixture.store.close();
  const bytes = Buffer.concat([readFileSync(fixture.path)]).toString('latin1');
  assert.equal(bytes.includes(secret), false);
});

test('a token without a limit of Runners has none in its principal and null in its listing', async (t) => {
  const { tokens } = await open(t);
  const { secret, token } = await tokens.mint({ name: 'x', scopes: ['admin'] });
  const found = tokens.authenticate(secret);
  assert.equal(found.ok && 'runners' in found.claim.principal, false);
  assert.equal(token.runners, null);
});

test('a Runner token is bound to one runner id and opens nothing else', async (t) => {
  const { tokens } = await open(t);
  const { secret, token } = await tokens.mintRunner({ runner: 'here' });
  assert.match(secret, /^fairlead_runner_[A-Za-z0-9_-]{43}$/);
  assert.equal(token.runner, 'here');
  assert.equal('runners' in token, false);
  const claim = tokens.authenticateRunner(secret);
  assert.equal(claim.ok && claim.claim.runner, 'here');
  assert.deepEqual(tokens.authenticate(secret), { ok: false, reason: 'token_kind_wrong' });
  const personal = await tokens.mint({ name: 'x', scopes: ['admin'] });
  assert.deepEqual(tokens.authenticateRunner(personal.secret), { ok: false, reason: 'token_kind_wrong' });
});

test('what is no token is refused by what it is', async (t) => {
  const { tokens } = await open(t);
  assert.deepEqual(tokens.authenticate(null), { ok: false, reason: 'token_missing' });
  for (const text of [
    '',
    'x',
    'fairlead_pat_',
    `fairlead_pat_${'a'.repeat(42)}`,
    `fairlead_pat_${'a'.repeat(44)}`,
    `fairlead_pat_${'ä'.repeat(43)}`,
  ]) {
    assert.deepEqual(tokens.authenticate(text), { ok: false, reason: 'token_malformed' }, text);
  }
  assert.deepEqual(tokens.authenticate(`fairlead_pat_${'a'.repeat(43)}`), {
    ok: false,
    reason: 'token_unknown',
  });
  assert.deepEqual(tokens.authenticateRunner(`fairlead_runner_${'a'.repeat(43)}`), {
    ok: false,
    reason: 'token_unknown',
  });
});

test('expiry is judged at each look-up, by the wall clock', async (t) => {
  const { tokens, clock } = await open(t);
  const { secret } = await tokens.mint({ name: 'x', scopes: ['admin'], lifetimeMs: 60_000 });
  const runner = await tokens.mintRunner({ runner: 'r', lifetimeMs: 60_000 });
  const claim = tokens.authenticateRunner(runner.secret);
  clock.jumpWall(59_999);
  assert.equal(tokens.authenticate(secret).ok, true);
  assert.equal(claim.ok && claim.claim.isLive(), true);
  clock.jumpWall(1);
  assert.deepEqual(tokens.authenticate(secret), { ok: false, reason: 'token_expired' });
  assert.equal(claim.ok && claim.claim.isLive(), false);
});

test('a revoked token is dead in the same turn, told of, and stays dead after a restart', async (t) => {
  const fixture = await open(t);
  const { tokens } = fixture;
  const { secret, token } = await tokens.mint({ name: 'x', scopes: ['admin'] });
  const told: string[] = [];
  const stop = tokens.onRevoked((id) => told.push(id));
  const revoking = tokens.revoke(token.id);
  assert.deepEqual(tokens.authenticate(secret), { ok: false, reason: 'token_revoked' });
  assert.deepEqual(told, [token.id]);
  assert.equal(await revoking, true);
  assert.equal(await tokens.revoke(token.id), true);
  assert.equal(await tokens.revoke('tok_none'), false);
  stop();
  assert.deepEqual(told, [token.id]);
  const restarted = await again(fixture);
  assert.deepEqual(restarted.authenticate(secret), { ok: false, reason: 'token_revoked' });
  assert.equal(restarted.list()[0]?.revokedAtMs, Date.UTC(2026, 0, 1));
});

test('a revocation that cannot be written is refused as an error and holds all the same', async (t) => {
  const { tokens, store } = await open(t);
  const { secret, token } = await tokens.mint({ name: 'x', scopes: ['admin'] });
  await store.close();
  await assert.rejects(tokens.revoke(token.id), { code: 'store_closed' });
  assert.deepEqual(tokens.authenticate(secret), { ok: false, reason: 'token_revoked' });
});

test('a token that could not be written opens nothing', async (t) => {
  const { tokens, store } = await open(t);
  await store.close();
  await assert.rejects(tokens.mint({ name: 'x', scopes: ['admin'] }), { code: 'store_closed' });
  assert.deepEqual(tokens.list(), []);
});

test('tokens survive a restart with their scopes and limits', async (t) => {
  const fixture = await open(t);
  const personal = await fixture.tokens.mint({
    name: 'x',
    scopes: ['admin', 'plugin:invoke'],
    runners: ['a'],
  });
  const runner = await fixture.tokens.mintRunner({ runner: 'here', name: 'desk' });
  const restarted = await again(fixture);
  const found = restarted.authenticate(personal.secret);
  assert.deepEqual(found.ok && found.claim.principal, {
    id: `token:${personal.token.id}`,
    scopes: ['admin', 'plugin:invoke'],
    runners: ['a'],
  });
  assert.equal(restarted.authenticateRunner(runner.secret).ok, true);
  assert.deepEqual(
    restarted
      .list()
      .map((row) => row.name)
      .sort(),
    ['desk', 'x'],
  );
});

test('the embedded Runner’s token does not expire, and each start revokes the one before', async (t) => {
  const fixture = await open(t);
  const first = await fixture.tokens.mintRunner({ runner: 'local', embedded: true });
  assert.equal(first.token.expiresAtMs, null);
  const told: string[] = [];
  const second = await again(fixture);
  second.onRevoked((id) => told.push(id));
  const next = await second.mintRunner({ runner: 'renamed', embedded: true });
  assert.deepEqual(told, [first.token.id]);
  assert.deepEqual(second.authenticateRunner(first.secret), { ok: false, reason: 'token_revoked' });
  assert.equal(second.authenticateRunner(next.secret).ok, true);
  const third = await again(fixture);
  await third.mintRunner({ runner: 'local', embedded: true });
  assert.deepEqual(third.authenticateRunner(first.secret), { ok: false, reason: 'token_unknown' });
  assert.deepEqual(third.authenticateRunner(next.secret), { ok: false, reason: 'token_revoked' });
  assert.equal(third.list().length, 2);
});

test('a token of an operator is not taken for the embedded one', async (t) => {
  const { tokens } = await open(t);
  const operator = await tokens.mintRunner({ runner: 'local', name: 'desk' });
  await tokens.mintRunner({ runner: 'local', embedded: true });
  assert.equal(tokens.authenticateRunner(operator.secret).ok, true);
  await assert.rejects(tokens.mintRunner({ runner: 'local', name: 'fairlead up' }), {
    code: 'token_request_invalid',
  });
});

test('a request for a token that cannot be made names the member', async (t) => {
  const { tokens } = await open(t);
  const wrong: [Parameters<Tokens['mint']>[0], string][] = [
    [{ name: '', scopes: ['admin'] }, 'name'],
    [{ name: ' ', scopes: ['admin'] }, 'name'],
    [{ name: 'a\nb', scopes: ['admin'] }, 'name'],
    [{ name: 'x'.repeat(65), scopes: ['admin'] }, 'name'],
    [{ name: 'fairlead up', scopes: ['admin'] }, 'name'],
    [{ name: 'x', scopes: [] }, 'scopes'],
    [{ name: 'x', scopes: ['everything'] }, 'scopes'],
    [{ name: 'x', scopes: ['admin', 'admin'] }, 'scopes'],
    [{ name: 'x', scopes: ['admin'], runners: [] }, 'runners'],
    [{ name: 'x', scopes: ['admin'], runners: [''] }, 'runners'],
    [
      { name: 'x', scopes: ['admin'], runners: Array.from({ length: 65 }, (_, index) => `r${index}`) },
      'runners',
    ],
    [{ name: 'x', scopes: ['admin'], lifetimeMs: 59_999 }, 'lifetimeMs'],
    [{ name: 'x', scopes: ['admin'], lifetimeMs: 366 * 86_400_000 + 1 }, 'lifetimeMs'],
    [{ name: 'x', scopes: ['admin'], lifetimeMs: 90_000.5 }, 'lifetimeMs'],
  ];
  for (const [request, member] of wrong) {
    await assert.rejects(
      tokens.mint(request),
      (error: Error & { code?: string; detail?: { member?: string } }) => {
        assert.equal(error.code, 'token_request_invalid');
        assert.equal(error.detail?.member, member);
        return true;
      },
    );
  }
  await assert.rejects(tokens.mintRunner({ runner: 'a\nb' }), { code: 'token_request_invalid' });
  assert.deepEqual(tokens.list(), []);
});

test('there are at most 1,000 live tokens, and an ended one makes room', async (t) => {
  const fixture = await open(t);
  const rows = Array.from({ length: 999 }, (_, index) => ({
    sql: `INSERT INTO tokens (id, kind, name, hash, scopes, runners, runner, created_at, expires_at, revoked_at)
      VALUES (?, 'personal', 'x', ?, '["admin"]', NULL, NULL, 1, NULL, NULL)`,
    parameters: [`tok_${index}`, `hash-${index}`],
  }));
  await fixture.store.write(rows, 'full');
  const tokens = await again(fixture);
  const results = await Promise.allSettled([
    tokens.mint({ name: 'a', scopes: ['admin'] }),
    tokens.mint({ name: 'b', scopes: ['admin'] }),
  ]);
  assert.deepEqual(
    results.map((result) => result.status),
    ['fulfilled', 'rejected'],
  );
  await assert.rejects(tokens.mint({ name: 'c', scopes: ['admin'] }), { code: 'token_limit_reached' });
  await tokens.revoke('tok_5');
  await tokens.mint({ name: 'd', scopes: ['admin'] });
});

test('the table keeps 4,096 rows: a new token takes the place of the oldest that has ended', async (t) => {
  const fixture = await open(t);
  for (let start = 0; start < 4_096; start += 512) {
    const rows = Array.from({ length: 512 }, (_, index) => ({
      sql: `INSERT INTO tokens (id, kind, name, hash, scopes, runners, runner, created_at, expires_at, revoked_at)
        VALUES (?, 'personal', 'x', ?, '["admin"]', NULL, NULL, ?, NULL, ?)`,
      parameters: [
        `tok_${start + index}`,
        `hash-${start + index}`,
        start + index,
        start + index === 0 ? null : Date.UTC(2026, 0, 1),
      ],
    }));
    await fixture.store.write(rows);
  }
  const tokens = await again(fixture);
  await tokens.mint({ name: 'new', scopes: ['admin'] });
  const ids = tokens.list().map((row) => row.id);
  assert.equal(ids.length, 4_096);
  assert.deepEqual(ids.slice(0, 2), ['tok_0', 'tok_2']);
  assert.equal((await again(fixture)).list().length, 4_096);
});

test('rows that ended over 90 days ago are removed at a start', async (t) => {
  const fixture = await open(t);
  const old = await fixture.tokens.mint({ name: 'old', scopes: ['admin'], lifetimeMs: 60_000 });
  const kept = await fixture.tokens.mint({ name: 'kept', scopes: ['admin'], lifetimeMs: 366 * 86_400_000 });
  fixture.clock.jumpWall(90 * 86_400_000 + 60_000);
  assert.equal((await again(fixture)).list().length, 2);
  fixture.clock.jumpWall(1);
  const names = (await again(fixture)).list().map((row) => row.name);
  assert.deepEqual(names, ['kept']);
  assert.deepEqual((await again(fixture)).authenticate(old.secret), { ok: false, reason: 'token_unknown' });
  assert.equal((await again(fixture)).authenticate(kept.secret).ok, true);
});

test('a scope of another version is listed and opens nothing', async (t) => {
  const fixture = await open(t);
  const { secret, token } = await fixture.tokens.mint({ name: 'x', scopes: ['admin'] });
  await fixture.store.write([
    { sql: 'UPDATE tokens SET scopes = ? WHERE id = ?', parameters: ['["future:thing","admin"]', token.id] },
  ]);
  const restarted = await again(fixture);
  const found = restarted.authenticate(secret);
  assert.deepEqual(found.ok && found.claim.principal.scopes, ['admin']);
  assert.deepEqual(restarted.list()[0]?.scopes, ['future:thing', 'admin']);
});

test('a bearer header is read by RFC 6750 and by nothing else', () => {
  assert.equal(bearerToken('Bearer abc'), 'abc');
  assert.equal(bearerToken('bEARER  abc '), 'abc');
  for (const header of [
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Basic abcdef',
    'Bearerabc',
    'Bearer a b',
    'Bearer a, Bearer b',
    `Bearer ${'a'.repeat(600)}`,
  ]) {
    assert.equal(bearerToken(header), null);
  }
});
