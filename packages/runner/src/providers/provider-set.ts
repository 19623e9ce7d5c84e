import { completed, delay, type Outcome } from '@fairlead/base';
import type { StderrRing } from '@fairlead/process';
import type { ProviderRow, RunnerPayload } from '@fairlead/protocol';
import { withPluginPart } from '../config/plugin-part.ts';
import type { RunnerConfigFile } from '../config/read-runner-config.ts';
import { emptyConfig, type RunnerConfig } from '../config/runner-config.ts';
import { limits } from '../limits.ts';
import { type Answer, refusal } from '../provider/answer.ts';
import type { EnvironmentSnapshots } from '../provider/environment-snapshots.ts';
import type { Launch, LaunchServices } from '../provider/launch-provider.ts';
import type { ProviderCall, ProviderInstance } from '../provider/provider-instance.ts';
import { type CandidateOperation, CandidateSlot } from './candidate-slot.ts';
import { type Admission, Candidates, interrupted } from './candidates.ts';
import { brokenReport, readyReport } from './check-report.ts';
import { CommittedProvider } from './committed-provider.ts';

export type ProviderSetOptions = {
  readonly services: LaunchServices;
  /** Reads the file bound at start; `check` and `reload` call it. */
  readonly readConfig: () => Promise<RunnerConfigFile>;
  /** Environments of one reading of the file. */
  readonly environmentsOf: (config: RunnerConfig, signal: AbortSignal) => EnvironmentSnapshots;
};

/**
 * The committed providers, and the one slot in which candidates are prepared. The committed set is replaced whole or not at
 * all, and serves `list`, `describe` and `call` while a candidate is prepared.
 * Rules: docs/reference/native-plugin-protocol.md §10 and §11.
 */
export class ProviderSet implements AsyncDisposable {
  readonly #options: ProviderSetOptions;
  readonly #stopping = new AbortController();
  /** Replaced instances that end a call of theirs, and all whose process tree is still being ended. */
  readonly #leaving = new Set<ProviderInstance>();
  readonly #slot = new CandidateSlot();
  readonly #candidates: Candidates;
  #committed: ReadonlyMap<string, CommittedProvider> = new Map();
  #inForce: RunnerConfig = emptyConfig();

  constructor(options: ProviderSetOptions) {
    this.#options = options;
    this.#candidates = new Candidates({
      services: options.services,
      environmentsOf: options.environmentsOf,
      signal: this.#stopping.signal,
      onLaunching: () => this.#slot.launching(),
    });
  }

  /**
   * Starts every configured provider at once. Resolves when each is ready or failed; until then each shows `starting`, and check and
   * reload are refused.
   */
  async start(config: RunnerConfig): Promise<void> {
    this.#inForce = config;
    this.#committed = new Map(config.plugins.providers.map((each) => [each.id, new CommittedProvider(each)]));
    const { log } = this.#options.services;
    const launches = this.#candidates.launch(config, ({ id }, launch) => {
      this.#committed.get(id)?.settle(launch);
      if (launch.ok) log('info', 'provider.ready', { plugin: id, tools: launch.instance.catalog.tools.size });
      else log('warn', 'provider.failed', { plugin: id, phase: launch.phase, code: launch.code });
    });
    await this.#slot.hold(launches);
  }

  /** The configuration whose plugins, environments and limits are in force. */
  get inForce(): RunnerConfig {
    return this.#inForce;
  }

  get isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** The instances that can be called now. */
  ready(): ProviderInstance[] {
    return [...this.#committed.values()].flatMap(({ instance }) =>
      instance === undefined || instance.errorCode !== null ? [] : [instance],
    );
  }

  /** Every committed provider, in the order of the file. */
  rows(): ProviderRow[] {
    return [...this.#committed.values()].map((provider) => provider.row());
  }

  /** One provider's frozen catalog. `plugin_unavailable`: it is not configured. */
  catalog(id: string): Outcome<RunnerPayload> {
    const provider = this.#committed.get(id);
    return provider === undefined
      ? refusal('plugin_unavailable', 'not_started', NOT_CONFIGURED)
      : completed(provider.catalog());
  }

  /** Carries out one call on exactly the instance that it names, or refuses it. */
  call(
    call: ProviderCall & { provider: string; provider_instance: string },
    budgetMs: number,
    answer: Answer,
  ): void {
    if (this.#stopping.signal.aborted) {
      answer(refusal(STOPPING, 'not_started'));
      return;
    }
    const instance = this.#committed.get(call.provider)?.instance;
    if (instance === undefined || instance.id !== call.provider_instance) {
      answer(refusal('stale_plugin_provider', 'not_started'));
      return;
    }
    instance.call(call, budgetMs, answer);
  }

  /** Starts one configured provider beside the committed set, reports, and ends it again. */
  check(id: string, answer: Answer): void {
    this.exclusively('check', answer, () => this.#check(id));
  }

  /** Replaces the whole committed set by the plugins of a new reading of the file, or changes nothing. */
  reload(answer: Answer): void {
    this.exclusively('reload', answer, () => this.#reload());
  }

  /** Carries out `work` with the candidate slot in hand, until its outcome is there, or refuses it. */
  exclusively(
    operation: CandidateOperation,
    answer: Answer,
    work: () => Promise<Outcome<RunnerPayload>>,
  ): void {
    if (this.#stopping.signal.aborted) answer(refusal(STOPPING, 'not_started'));
    else this.#slot.run(operation, answer, work);
  }

  /** Reads the file bound at start; what is wrong with it goes to the log. */
  async readConfig(): Promise<RunnerConfigFile> {
    const file = await this.#options.readConfig();
    const { log } = this.#options.services;
    if (!file.ok) log('warn', 'config.refused', { code: file.code, detail: file.localDetail });
    return file;
  }

  /**
   * Starts a candidate of every provider of a configuration, and puts it in force when all of them are ready; `onCommit` is called in
   * the same turn. To be called with the slot in hand.
   */
  admit(config: RunnerConfig, onCommit: () => void = () => {}): Promise<Admission> {
    return this.#candidates.admit(config, (launches) => {
      this.#commit(config, launches);
      onCommit();
    });
  }

  #commit(config: RunnerConfig, launches: readonly Launch[]): void {
    const before = this.#committed;
    this.#inForce = config;
    this.#committed = new Map(
      config.plugins.providers.map((provider, index) => [
        provider.id,
        new CommittedProvider(provider, launches[index] ?? null),
      ]),
    );
    for (const { instance } of before.values()) if (instance !== undefined) this.#leave(instance);
    this.#candidates.forgetStderr((id) => !this.#committed.has(id));
  }

  /** Puts a configuration in force whose plugins are those that run already. */
  adopt(config: RunnerConfig): void {
    this.#inForce = config;
  }

  /** What a provider's process, and its most recent candidate, wrote to stderr. For this machine only. */
  stderrOf(id: string): { committed: StderrRing | null; candidate: StderrRing | null } | null {
    const provider = this.#committed.get(id);
    const candidate = this.#candidates.stderrOf(id);
    if (provider === undefined && candidate === null) return null;
    return { committed: provider?.stderr ?? null, candidate };
  }

  /**
   * Ends everything: candidates are interrupted, calls in flight end `outcome_unknown`, every process tree is ended. Resolves after
   * 2 s at the latest.
   */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const { instance } of this.#committed.values())
      if (instance !== undefined) this.#leaving.add(instance);
    const ended = [...this.#leaving].map((instance) => instance.stop());
    const all = Promise.allSettled([...ended, this.#slot.settled]).then(() => true);
    const patience = new AbortController();
    const patient = delay(this.#options.services.clock, limits.stopMs, patience.signal).then(() => false);
    if (!(await Promise.race([all, patient]))) this.#options.services.log('warn', 'providers.slow_end');
    patience.abort();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #check(id: string): Promise<Outcome<RunnerPayload>> {
    const file = await this.readConfig();
    if (!file.ok) return completed(brokenReport(id, { phase: 'config', code: file.code }));
    const config = withPluginPart(this.#inForce, file.config);
    const provider = config.plugins.providers.find((each) => each.id === id);
    if (provider === undefined)
      return completed(brokenReport(id, { phase: 'config', code: 'plugin_not_configured' }));
    const alone = { ...config, plugins: { ...config.plugins, providers: [provider] } };
    const [launch] = await this.#candidates.launch(alone);
    if (launch === undefined) return refusal(STOPPING, 'not_started');
    await this.#candidates.dismiss([{ id, launch }]);
    if (this.#stopping.signal.aborted) return interrupted([launch]);
    return completed(launch.ok ? readyReport(id, launch.instance.catalog) : brokenReport(id, launch));
  }

  async #reload(): Promise<Outcome<RunnerPayload>> {
    const file = await this.readConfig();
    if (!file.ok) return refusal(file.code, 'not_started');
    const config = withPluginPart(this.#inForce, file.config);
    const admission = await this.admit(config);
    if (admission.kind === 'interrupted') return admission.outcome;
    const failures = admission.kind === 'refused' ? admission.failures : [];
    return completed({ kind: 'reload', providers: this.rows(), failures });
  }

  #leave(instance: ProviderInstance): void {
    this.#leaving.add(instance);
    instance.replace();
    void instance.ended.then(() => this.#leaving.delete(instance));
  }
}

const STOPPING = 'plugin_manager_stopping';
const NOT_CONFIGURED = 'This Runner has no plugin of that id.';
