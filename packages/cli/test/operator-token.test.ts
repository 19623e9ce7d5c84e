import assert from 'node:assert/strict';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemRandom } from '@fairlead/base';
import { createTokens, type Tokens } from '@fairlead/gateway';
import { openStore } from '@fairlead/store';
import { hygiene, type ManualClock, manualClock, temporaryFolder } from '@fairlead/testing';
import { ensureOperatorToken } from '../src/host/operator-token.ts';

const dayMs = 86_400_000;

type Place = {
  readonly tokens: Tokens;
  readonly clock: ManualClock;
  readonly path: string;
  ensure(): Promise<string>;
  secret(): string;
};

async function place(t: TestContext): Promise<Place> {
  hygiene(t);
  const stateDirectory = temporaryFolder(t);
  const clock = manualClock();
  const store = await openStore({ path: join(stateDirectory, 'fairlead.db'), clock });
  t.after(() => store.close());
  const tokens = await createTokens({ store, clock, random: systemRandom() });
  const path = join(stateDirectory, 'operator.token');
  return {
    tokens,
    clock,
    path,
    ensure: () => ensureOperatorToken({ stateDirectory, tokens, clock }),
    secret: () => readFileSync(path, 'utf8').trim(),
  };
}

function stateOf(tokens: Tokens, secret: string): string {
  const found = tokens.authenticate(secret);
  return found.ok ? 'valid' : found.reason;
}

test('the first start makes one for 90 days with every scope spelled out, mode 0600', async (t) => {
  const { tokens, clock, path, ensure, secret } = await place(t);
  assert.equal(await ensure(), path);
  assert.match(readFileSync(path, 'utf8'), /^fairlead_pat_[\w-]{43}\n$/);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const found = tokens.authenticate(secret());
  assert.equal(found.ok, true);
  if (!found.ok) return;
  assert.deepEqual(found.claim.principal.scopes, [
    'plugin:inspect',
    'plugin:invoke',
    'plugin:manage',
    'runner:manage',
    'project:read',
    'session:read',
    'session:write',
    'session:approve',
    'mcp:invoke',
    'admin',
  ]);
  assert.equal(found.claim.expiresAtMs, clock.wallMs() + 90 * dayMs);
});

test('it is kept while seven days are left, and renewed below: the old one ends', async (t) => {
  const { tokens, clock, ensure, secret } = await place(t);
  await ensure();
  const first = secret();
  await clock.advance(83 * dayMs);
  await ensure();
  assert.equal(secret(), first);
  await clock.advance(1);
  await ensure();
  assert.notEqual(secret(), first);
  assert.equal(stateOf(tokens, secret()), 'valid');
  assert.equal(stateOf(tokens, first), 'token_revoked');
});

test('a revoked or expired one is replaced', async (t) => {
  const { tokens, clock, ensure, secret } = await place(t);
  await ensure();
  const revoked = secret();
  await tokens.revoke(tokens.list()[0]?.id ?? '');
  await ensure();
  assert.notEqual(secret(), revoked);
  const expired = secret();
  await clock.advance(91 * dayMs);
  await ensure();
  assert.notEqual(secret(), expired);
  assert.equal(stateOf(tokens, secret()), 'valid');
});

test('one that lacks a scope, or is limited to Runners, is replaced and ends', async (t) => {
  const { tokens, path, ensure, secret } = await place(t);
  const narrow = await tokens.mint({ name: 'narrow', scopes: ['plugin:inspect', 'admin'] });
  writeFileSync(path, narrow.secret);
  await ensure();
  assert.notEqual(secret(), narrow.secret);
  assert.equal(stateOf(tokens, narrow.secret), 'token_revoked');
  const scopes = tokens.list().at(-1)?.scopes ?? [];
  const limited = await tokens.mint({ name: 'limited', scopes, runners: ['a'] });
  writeFileSync(path, limited.secret);
  await ensure();
  assert.notEqual(secret(), limited.secret);
  assert.equal(stateOf(tokens, limited.secret), 'token_revoked');
});

test('a file that holds something else is replaced', async (t) => {
  const { tokens, path, ensure, secret } = await place(t);
  for (const text of ['', 'hello', `fairlead_pat_${'x'.repeat(43)}`, `fairlead_runner_${'x'.repeat(43)}`]) {
    writeFileSync(path, text);
    await ensure();
    assert.equal(stateOf(tokens, secret()), 'valid', text);
  }
});

test('a file that was widened is narrowed again', async (t) => {
  const { path, ensure, secret } = await place(t);
  await ensure();
  const first = secret();
  chmodSync(path, 0o644);
  await ensure();
  assert.equal(secret(), first);
  assert.equal(statSync(path).mode & 0o777, 0o600);
});
