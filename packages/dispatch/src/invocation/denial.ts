import type { InvocationError } from '../invocation-error.ts';
import type { Scope } from '../scopes.ts';

/** A refusal for want of a scope, which names it. */
export function namingScope(error: InvocationError, scope: Scope): InvocationError {
  return {
    ...error,
    recovery: `Use a token with the scope ${scope}. No scope implies another.`,
    detail: { scope },
  };
}
