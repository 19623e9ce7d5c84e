import type { Scope } from './scopes.ts';

/** Who calls. `id` is what the journal shows (`token:<id>`); without `runners` every Runner may be used. */
export type Principal = {
  readonly id: string;
  readonly scopes: readonly Scope[];
  readonly runners?: readonly string[];
};

/** True where the principal may see and use the Runner. A list that is empty allows none. */
export function mayUseRunner(principal: Principal, runner: string): boolean {
  return principal.runners === undefined || principal.runners.includes(runner);
}
