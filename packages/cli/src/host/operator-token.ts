import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@fairlead/base';
import type { Tokens } from '@fairlead/gateway';
import { operatorTokenFile } from '../token-source.ts';

/** Every scope of the operator's token, spelled out: none implies another. */
export const operatorScopes: readonly string[] = Object.freeze([
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

const dayMs = 86_400_000;
const lifetimeMs = 90 * dayMs;
const renewBelowMs = 7 * dayMs;

/**
 * Keeps the token in `operator.token` (0600) while it is valid for another week and has the scopes above; else makes a new
 * one and revokes its predecessor. Returns the file's path.
 */
export async function ensureOperatorToken(options: {
  readonly stateDirectory: string;
  readonly tokens: Tokens;
  readonly clock: Clock;
}): Promise<string> {
  const { stateDirectory, tokens, clock } = options;
  const path = join(stateDirectory, operatorTokenFile);
  const secret = await readFile(path, 'utf8').then(
    (text) => text.trim(),
    () => null,
  );
  const present = tokens.authenticate(secret);
  if (present.ok) {
    const { expiresAtMs, principal, tokenId } = present.claim;
    const lasts = expiresAtMs === null || expiresAtMs - clock.wallMs() >= renewBelowMs;
    const complete = operatorScopes.every((scope) => (principal.scopes as readonly string[]).includes(scope));
    if (lasts && complete && principal.runners === undefined) return path;
    await mintInto(path, tokens);
    await tokens.revoke(tokenId);
    return path;
  }
  await mintInto(path, tokens);
  return path;
}

async function mintInto(path: string, tokens: Tokens): Promise<void> {
  const minted = await tokens.mint({ name: 'operator', scopes: operatorScopes, lifetimeMs });
  const aside = `${path}.${process.pid}`;
  await writeFile(aside, `${minted.secret}\n`, { mode: 0o600 });
  await rename(aside, path);
}
