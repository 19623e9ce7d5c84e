import type { StderrRing } from '@fairlead/process';
import type { ProviderRow, RunnerPayload } from '@fairlead/protocol';
import type { ProviderConfig } from '../config/plugins-table.ts';
import type { Launch } from '../provider/launch-provider.ts';
import type { ProviderInstance } from '../provider/provider-instance.ts';

/** One provider of the committed set: still starting, or what its launch came to. */
export class CommittedProvider {
  readonly config: ProviderConfig;
  #launch: Launch | null;

  constructor(config: ProviderConfig, launch: Launch | null = null) {
    this.config = config;
    this.#launch = launch;
  }

  /** Ends `starting`. */
  settle(launch: Launch): void {
    this.#launch = launch;
  }

  /** The instance, also after it has failed; undefined where there never was one. */
  get instance(): ProviderInstance | undefined {
    return this.#launch?.ok === true ? this.#launch.instance : undefined;
  }

  /** What its process wrote to stderr last. */
  get stderr(): StderrRing | null {
    return this.#launch?.stderr ?? null;
  }

  /** As `providers_list` shows it. */
  row(): ProviderRow {
    const code = this.#errorCode();
    const status = this.#launch === null ? 'starting' : code === null ? 'ready' : 'failed';
    return { id: this.config.id, name: this.config.name, status, error_code: code };
  }

  /** As `tools_list` shows it; one that is not ready has no instance and no tools. */
  catalog(): RunnerPayload {
    const { id, name, status, error_code } = this.row();
    const instance = status === 'ready' ? this.instance : undefined;
    return {
      kind: 'tools_list',
      provider: id,
      provider_instance: instance?.id ?? null,
      name,
      status,
      error_code,
      tools: instance?.listed ?? [],
    };
  }

  #errorCode(): string | null {
    if (this.#launch === null) return null;
    return this.#launch.ok ? this.#launch.instance.errorCode : this.#launch.code;
  }
}
