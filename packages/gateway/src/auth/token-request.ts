import { FairleadError, hasControlCharacter, type Json } from '@fairlead/base';
import { isScope, type Scope } from '@fairlead/dispatch';
import { isLinkName } from '@fairlead/protocol';
import { tokenLimits } from '../limits.ts';

/** The token that `fairlead up` makes for its own Runner. Nobody else may take a name that begins as it does. */
export const EMBEDDED_NAME = 'fairlead up';
const RESERVED = 'fairlead ';

// Each of these throws `token_request_invalid`, whose detail names the member and says what it must be.

export function checkName(name: string): void {
  const isLine = !hasControlCharacter(name) && !/[\t\r\n]/.test(name);
  if (!isLine || name.trim() === '' || Buffer.byteLength(name) > tokenLimits.nameBytes) {
    throw invalid('name', `must be one line of 1 to ${tokenLimits.nameBytes} bytes`);
  }
  if (name.startsWith(RESERVED)) throw invalid('name', `must not begin with "${RESERVED}"`);
}

export function checkScopes(scopes: readonly string[]): readonly Scope[] {
  if (scopes.length === 0) throw invalid('scopes', 'must name at least one scope');
  const known = scopes.filter(isScope);
  if (known.length !== scopes.length) throw invalid('scopes', 'names a scope that does not exist');
  if (new Set(known).size !== known.length) throw invalid('scopes', 'names a scope twice');
  return known;
}

export function checkRunners(runners: readonly string[]): readonly string[] {
  if (runners.length === 0 || runners.length > tokenLimits.runners) {
    throw invalid('runners', `must name 1 to ${tokenLimits.runners} Runners`);
  }
  if (!runners.every(isLinkName)) throw invalid('runners', 'holds something that is not a runner id');
  return [...new Set(runners)];
}

export function checkRunner(runner: string): void {
  if (!isLinkName(runner)) throw invalid('runner', 'must be one line of 1 to 128 bytes');
}

/** Milliseconds; 90 days when absent. */
export function checkLifetime(lifetimeMs: number = tokenLimits.defaultLifetimeMs): number {
  const { minLifetimeMs, maxLifetimeMs } = tokenLimits;
  if (!Number.isInteger(lifetimeMs) || lifetimeMs < minLifetimeMs || lifetimeMs > maxLifetimeMs) {
    throw invalid('lifetimeMs', 'must be 1 minute to 366 days');
  }
  return lifetimeMs;
}

function invalid(member: string, problem: string): FairleadError {
  const detail: Json = { member, problem };
  return new FairleadError('token_request_invalid', `The token cannot be made: ${member} ${problem}.`, {
    detail,
  });
}
