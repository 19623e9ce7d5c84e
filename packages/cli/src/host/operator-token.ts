import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@fairlead/base';
import { scopes } from '@fairlead/dispatch';
import type { Tokens } from '@fairlead/gateway';
import { operatorTokenFile } from '../client/token-source.ts';
import { clientLimits, operatorTokenLimits } from '../limits.ts';
import { replacePrivateFile } from '../state/private-file.ts';
import { readBounded } from '../state/read-bounded.ts';

/** Every scope of the operator's token, spelled out: none implies another. */
export const operatorScopes = scopes;

/**
 * Keeps the token in `operator.token` (0600) while it is valid for another week and has the scopes above; else makes a new
 * one and revokes its predecessor. Returns the file's path. Throws `state_directory_unwritable`, `token_limit_reached`.
 */
export async function ensureOperatorToken(options: {
  readonly stateDirectory: string;
  readonly tokens: Tokens;
  readonly clock: Clock;
}): Promise<string> {
  const { stateDirectory, tokens, clock } = options;
  const path = join(stateDirectory, operatorTokenFile);
  const bytes = await readBounded(path, clientLimits.tokenFileBytes).catch(() => null);
  const present = tokens.authenticate(bytes?.toString('utf8').trim() ?? null);
  if (present.ok) {
    const { expiresAtMs, principal } = present.claim;
    const lasts = expiresAtMs === null || expiresAtMs - clock.wallMs() >= operatorTokenLimits.renewBelowMs;
    const isWhole = operatorScopes.every((scope) => principal.scopes.includes(scope));
    if (lasts && isWhole && principal.runners === undefined) {
      // Whatever copied the folder may have widened it.
      await chmod(path, 0o600).catch(() => {});
      return path;
    }
  }
  const { lifetimeMs } = operatorTokenLimits;
  const minted = await tokens.mint({ name: 'operator', scopes: operatorScopes, lifetimeMs });
  await replacePrivateFile(path, `${minted.secret}\n`);
  if (present.ok) await tokens.revoke(present.claim.tokenId);
  return path;
}
