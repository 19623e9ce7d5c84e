import type { Clock } from '@fairlead/base';
import type { ExtensionRef, HostSide } from '@fairlead/extension/runtime';
import type { Report } from '../report.ts';
import type { ExtensionSource } from './extension-source.ts';
import type { InstallReport, ReplaceReport } from './install-report.ts';
import type { Installed } from './installed.ts';
import type { FailedExtension, Roster } from './roster.ts';

export interface RegistryOptions {
  readonly roster: Roster;
  readonly clock: Clock;
  readonly report: Report;
  /** What an extension of this name asks and logs; `changed` is the registry's. */
  hostFor(ref: ExtensionRef): Pick<HostSide, 'ask' | 'log'>;
}

/** Installs, replaces, unloads extensions, and starts dead workers again. */
export class Registry {
  readonly #roster: Roster;

  constructor(options: RegistryOptions) {
    this.#roster = options.roster;
  }

  get generation(): number {
    return this.#roster.generation;
  }

  all(): readonly Installed[] {
    return this.#roster.all();
  }

  get(name: string): Installed | undefined {
    return this.#roster.get(name);
  }

  failed(): readonly FailedExtension[] {
    return this.#roster.failed();
  }

  install(_sources: readonly ExtensionSource[]): Promise<InstallReport> {
    throw new Error('not yet');
  }

  replace(_name: string, _source: ExtensionSource): Promise<ReplaceReport> {
    throw new Error('not yet');
  }

  unload(_name: string): Promise<boolean> {
    throw new Error('not yet');
  }

  close(): Promise<void> {
    throw new Error('not yet');
  }
}
