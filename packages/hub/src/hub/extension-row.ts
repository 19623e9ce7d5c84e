import type { ScopeKind } from '@fairlead/extension';
import { type ExtensionRef, type Manifest, version } from '@fairlead/extension/runtime';
import type { Failure } from '../failures/failure.ts';
import type { Tier } from '../install/extension-source.ts';
import type { Gone, Installed } from '../install/installed.ts';
import type { FailedExtension } from '../install/roster.ts';

/** One installed extension, for lists. */
export interface ExtensionRow {
  readonly name: string;
  readonly ref: ExtensionRef;
  /** Of the ref: what the ref's kind tells apart. */
  readonly version: string;
  /** Null where nothing of it ever ran. */
  readonly tier: Tier | null;
  readonly builtin: boolean;
  readonly scopes: readonly ScopeKind[];
  readonly hooks: readonly string[];
  /** 0 where nothing of it ever ran. */
  readonly generation: number;
  /** `running` · `failing`: with a failure at some scope, or a part that is not to be had · `down`: nothing of it can be called. */
  readonly state: 'running' | 'failing' | 'down';
  /** Why it is down, or what is not to be had of it. */
  readonly reason: Gone | null;
  readonly failures: readonly Failure[];
  /** Null where its code never said one. */
  readonly manifest: Manifest | null;
}

/** The row of an extension that runs, or did. */
export function rowOfInstalled(installed: Installed, failures: readonly Failure[]): ExtensionRow {
  const { name, ref, tier, builtin, manifest, generation, gone, notice } = installed;
  return {
    name,
    ref,
    version: version(ref),
    tier,
    builtin,
    scopes: manifest.scopes,
    hooks: manifest.hooks,
    generation,
    state: gone !== undefined ? 'down' : failures.length > 0 || notice !== undefined ? 'failing' : 'running',
    reason: gone ?? notice ?? null,
    failures,
    manifest,
  };
}

/** The row of one that is installed and does not run. */
export function rowOfFailed(failed: FailedExtension, failures: readonly Failure[]): ExtensionRow {
  const { name, ref, code, reason, manifest } = failed;
  return {
    name,
    ref,
    version: version(ref),
    tier: null,
    builtin: ref.kind === 'builtin',
    scopes: manifest?.scopes ?? [],
    hooks: manifest?.hooks ?? [],
    generation: 0,
    state: 'down',
    reason: { code, reason },
    failures,
    manifest: manifest ?? null,
  };
}
