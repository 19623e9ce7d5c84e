import type { Outcome } from '@fairlead/base';
import type { StderrRing } from '@fairlead/process';
import type { ProviderConfig } from '../config/plugins-table.ts';
import type { RunnerConfig } from '../config/runner-config.ts';
import { refusal } from '../provider/answer.ts';
import type { EnvironmentSnapshots } from '../provider/environment-snapshots.ts';
import { type Launch, type LaunchServices, launchProvider } from '../provider/launch-provider.ts';

/** What the candidates of a whole configuration came to: all of them are committed, or none is left. */
export type Admission =
  | { readonly kind: 'committed' }
  | {
      readonly kind: 'refused';
      readonly failures: readonly { readonly provider_id: string; readonly code: string }[];
    }
  /** The Runner stops. */
  | { readonly kind: 'interrupted'; readonly outcome: Outcome<never> };

export type CandidatesOptions = {
  readonly services: LaunchServices;
  /** Environments of one reading of the file. */
  readonly environmentsOf: (config: RunnerConfig, signal: AbortSignal) => EnvironmentSnapshots;
  /** Aborts when the Runner stops. */
  readonly signal: AbortSignal;
  /** From here on programs may have been started. */
  readonly onLaunching: () => void;
};

/** Starts programs that are not committed yet, ends those that will not be, and keeps what these wrote to stderr. */
export class Candidates {
  readonly #options: CandidatesOptions;
  readonly #stderr = new Map<string, StderrRing>();

  constructor(options: CandidatesOptions) {
    this.#options = options;
  }

  /** Starts every provider of a configuration at once; in its order. */
  launch(
    config: RunnerConfig,
    onLaunch: (provider: ProviderConfig, launch: Launch) => void = () => {},
  ): Promise<Launch[]> {
    const { services, environmentsOf, signal, onLaunching } = this.#options;
    onLaunching();
    const environments = environmentsOf(config, signal);
    return Promise.all(
      config.plugins.providers.map(async (provider) => {
        const launch = await launchProvider(provider, environments, services, signal);
        if (launch.ok && signal.aborted) await launch.instance.stop();
        onLaunch(provider, launch);
        return launch;
      }),
    );
  }

  /**
   * Starts every provider of a configuration; where one fails, all are ended. Commits them in the turn in which all are found ready:
   * later, the Runner may have begun to stop, and nobody would end them.
   */
  async admit(config: RunnerConfig, commit: (launches: readonly Launch[]) => void): Promise<Admission> {
    const { providers } = config.plugins;
    const launches = await this.launch(config);
    const failures = providers.flatMap((provider, index) => {
      const code = failureOf(launches[index]);
      return code === null ? [] : [{ provider_id: provider.id, code }];
    });
    const stopped = this.#options.signal.aborted;
    if (!stopped && failures.length === 0) {
      commit(launches);
      return { kind: 'committed' };
    }
    await this.dismiss(
      providers.flatMap(({ id }, index) => {
        const launch = launches[index];
        return launch === undefined ? [] : [{ id, launch }];
      }),
    );
    return stopped ? { kind: 'interrupted', outcome: interrupted(launches) } : { kind: 'refused', failures };
  }

  /** Ends candidates that will not be committed; what they wrote to stderr is kept. */
  async dismiss(candidates: readonly { readonly id: string; readonly launch: Launch }[]): Promise<void> {
    await Promise.all(candidates.map(({ launch }) => (launch.ok ? launch.instance.stop() : undefined)));
    for (const { id, launch } of candidates) if (launch.stderr !== null) this.#stderr.set(id, launch.stderr);
  }

  /** What the latest candidate of a provider wrote that was not committed. */
  stderrOf(id: string): StderrRing | null {
    return this.#stderr.get(id) ?? null;
  }

  forgetStderr(of: (id: string) => boolean): void {
    for (const id of this.#stderr.keys()) if (of(id)) this.#stderr.delete(id);
  }
}

/** Why a candidate cannot be committed: it failed, or it was ready and has ended since. */
function failureOf(launch: Launch | undefined): string | null {
  if (launch === undefined) return 'plugin_provider_state_failed';
  return launch.ok ? launch.instance.errorCode : launch.code;
}

/** The Runner stops in the middle of it: a program that was started may have had effects. */
export function interrupted(launches: readonly Launch[]): Outcome<never> {
  const started = launches.some((launch) => launch.ok || launch.started);
  return refusal('plugin_manager_stopping', started ? 'outcome_unknown' : 'not_started');
}
