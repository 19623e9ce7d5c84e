import type { ExtensionRef } from '@fairlead/extension/runtime';
import type { Failure } from '../failures/failure.ts';
import type { Installed } from './installed.ts';

/** One source that was not taken, or is installed and does not run. */
export interface RefusedSource {
  readonly name: string;
  readonly ref: ExtensionRef;
  readonly code: string;
  readonly reason: string;
}

/** Something that works and may not be what its author expects: `name_reserved`, `name_shadowed`. */
export interface InstallNote {
  readonly name: string;
  readonly code: 'name_reserved' | 'name_shadowed';
  readonly reason: string;
}

/** What became of each source that was to be installed. */
export interface InstallReport {
  /** In install order; earlier refused ones whose cap has come stand here too. */
  readonly installed: readonly Installed[];
  /** The same ref was installed already: nothing was done. */
  readonly known: readonly string[];
  readonly refused: readonly RefusedSource[];
  /** Of global instances that did not open; their extensions are installed. */
  readonly failures: readonly Failure[];
  readonly notes: readonly InstallNote[];
}

/** What became of a reload. Where it failed, the old generation is in force as it was. */
export type ReplaceReport =
  | {
      readonly ok: true;
      readonly installed: Installed;
      readonly notes: readonly InstallNote[];
      /** Earlier refused ones whose cap has come with it. */
      readonly started: readonly Installed[];
      /** Settles when the calls of the old generation have ended and it is gone. Never rejects. */
      readonly drained: Promise<void>;
    }
  | { readonly ok: false; readonly code: string; readonly reason: string };

/** What became of an unload. */
export interface UnloadReport {
  /** False where nothing of that name was installed. */
  readonly found: boolean;
  /** Settles when the calls of it have ended and it is gone. Never rejects. */
  readonly drained: Promise<void>;
}
