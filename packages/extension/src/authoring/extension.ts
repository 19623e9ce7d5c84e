import { deriveManifest } from '../manifest/derive-manifest.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { OutputOf, Shape } from '../schema/schema.ts';
import type { Uses } from './cap.ts';
import { type Definition, seal } from './definition.ts';
import type { ArgsByName, MethodsByName, Part } from './part.ts';
import type { Scope } from './scope.ts';

/** What an extension may ask of the host beside what its literal shows by itself. */
export type Access = 'session_read' | 'session_write' | 'agent_state_admin';

/** A finished extension: its manifest, and behind it the code that only the guest runtime reaches. */
export interface Extension<
  A extends ArgsByName = ArgsByName,
  B extends ArgsByName = ArgsByName,
  U extends Uses = Uses,
  SP extends Shape = Shape,
> {
  /** Derived from the literal, so it cannot disagree with it. */
  readonly manifest: Manifest;
  /** For the compiler alone. */
  readonly '~types'?: { readonly tools: A; readonly commands: B; readonly uses: U; readonly settings: SP };
}

/** What `defineExtension` takes: the members of the global scope beside the extension's own, and a part for each other scope. */
export type Literal<
  SP extends Shape,
  U extends Uses,
  St,
  ASt,
  SSt,
  A extends ArgsByName,
  B extends ArgsByName,
  K extends MethodsByName,
  AA extends ArgsByName,
  AB extends ArgsByName,
  AK extends MethodsByName,
  SA extends ArgsByName,
  SB extends ArgsByName,
  SK extends MethodsByName,
  OpenScope,
> = {
  /** A small letter, then up to 39 small letters, digits, `_`, `-`. */
  readonly name: string;
  readonly version: string;
  /** Each setting is best given a default: one that nothing sets is absent. */
  readonly settings?: SP;
  readonly uses?: U;
  readonly access?: readonly Access[];
} & Part<OutputOf<SP>, U, St, A, B, K, OpenScope> & {
    /** One instance for each agent that runs here. */
    readonly agent?: Part<OutputOf<SP>, U, ASt, AA, AB, AK, OpenScope>;
    /** One instance for each open session. */
    readonly session?: Part<OutputOf<SP>, U, SSt, SA, SB, SK, OpenScope>;
  };

/**
 * Makes an extension of one literal. It reads the literal and runs nothing of it; what breaks a rule of the manifest is told
 * when the extension is installed, checked or put into the harness (`manifest_invalid`).
 */
export function defineExtension<
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
  literal: Literal<SP, U, St, ASt, SSt, A, B, K, AA, AB, AK, SA, SB, SK, Scope<OutputOf<SP>>>,
): Extension<A & AA & SA, B & AB & SB, U, SP> {
  return makeExtension(literal, false);
}

/** Seals a literal of any type parameters behind its manifest. */
export function makeExtension(literal: object, builtin: boolean): Extension<never, never, never, never> {
  const definition: Definition = { ...(literal as Omit<Definition, 'builtin'>), builtin };
  return seal({ manifest: deriveManifest(definition) }, definition);
}
