import type { Uses } from '../authoring/cap.ts';
import { type Extension, type Literal, makeExtension } from '../authoring/extension.ts';
import type { ArgsByName, MethodsByName } from '../authoring/part.ts';
import type { Scope } from '../authoring/scope.ts';
import type { OutputOf, Shape } from '../schema/schema.ts';

/** The scope of a built-in: beside what every scope has, what the host's own extensions may hold. */
export interface BuiltinScope<S, Peer> extends Scope<S> {
  readonly peer: Peer;
}

/** `defineExtension` with a scope that has `peer`. */
export type DefineBuiltin<Peer> = <
  const SP extends Shape = Record<never, never>,
  const U extends Uses = Record<never, never>,
  St = undefined,
  ASt = undefined,
  SSt = undefined,
  A extends ArgsByName = Record<never, never>,
  B extends ArgsByName = Record<never, never>,
  K extends MethodsByName = Record<never, never>,
  AA extends ArgsByName = Record<never, never>,
  AB extends ArgsByName = Record<never, never>,
  AK extends MethodsByName = Record<never, never>,
  SA extends ArgsByName = Record<never, never>,
  SB extends ArgsByName = Record<never, never>,
  SK extends MethodsByName = Record<never, never>,
>(
  literal: Literal<SP, U, St, ASt, SSt, A, B, K, AA, AB, AK, SA, SB, SK, BuiltinScope<OutputOf<SP>, Peer>>,
) => Extension<A & AA & SA, B & AB & SB, U, SP>;

/**
 * Makes the `defineExtension` of a host's own extensions, typed with what its scopes hand out: the same literal, with
 * `scope.peer`. What is not the host's own has no use for it: `peer` is given to built-ins in the host's thread alone.
 */
export function definerFor<Peer>(): DefineBuiltin<Peer> {
  return (literal) => makeExtension(literal, true);
}
