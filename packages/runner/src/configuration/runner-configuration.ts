import { completed, type Outcome } from '@fairlead/base';
import { type ConfigCheck, configReportLimits, type RunnerPayload } from '@fairlead/protocol';
import { samePluginPart } from '../config/plugin-part.ts';
import type { RunnerConfig } from '../config/runner-config.ts';
import { type Answer, refusal } from '../provider/answer.ts';
import type { Admission } from '../providers/candidates.ts';
import { projectCatalog } from '../providers/project-catalog.ts';
import type { ProviderSet } from '../providers/provider-set.ts';
import { type Changes, changedFields, PROJECT_FILES_FIELD, withStartPart } from './changed-fields.ts';
import { fieldPlaces } from './field-place.ts';
import { type ReadProjects, type RootedProject, sameProjects } from './projects.ts';

export type RunnerConfigurationOptions = {
  readonly providers: ProviderSet;
  /** The projects at the start. */
  readonly projects: readonly RootedProject[];
  readonly readProjects: (config: RunnerConfig) => Promise<ReadProjects>;
  /** Puts what is no plugin in force: called once for each reload that applies something, and must not fail. */
  readonly apply: (config: RunnerConfig, projects: readonly RootedProject[]) => void;
};

/**
 * The configuration in force of one Runner as a whole: its projects, how it differs from the file, and how the file is put in
 * force. Rules: docs/reference/native-plugin-protocol.md §11 and §15.
 */
export class RunnerConfiguration {
  readonly #options: RunnerConfigurationOptions;
  #projects: readonly RootedProject[];
  #generation = 1;

  constructor(options: RunnerConfigurationOptions) {
    this.#options = options;
    this.#projects = options.projects;
  }

  /** What can be chosen from in one project. `project_unavailable`: this Runner does not have it. */
  catalog(id: string): Outcome<RunnerPayload> {
    const project = this.#projects.find((each) => each.id === id);
    return project === undefined
      ? refusal('project_unavailable', 'not_started', NO_PROJECT)
      : completed(projectCatalog(project, this.#options.providers.ready()));
  }

  /** Reads the file and says what of it differs from what is in force. Starts nothing. */
  check(answer: Answer): void {
    const broken = () => answer(refusal('plugin_provider_state_failed', 'not_started'));
    this.#check().then(answer, broken);
  }

  /** Puts the whole file in force, or changes nothing. Shares the candidate slot with check and reload of plugins. */
  reload(answer: Answer): void {
    this.#options.providers.exclusively('reload', answer, () => this.#reload());
  }

  async #check(): Promise<Outcome<ConfigCheck>> {
    const { providers } = this.#options;
    const head = { kind: 'config_check', generation: this.#generation } as const;
    const file = await providers.readConfig();
    if (!file.ok) {
      const { code, faults: notes = [] } = file;
      const faults = fieldPlaces(notes, configReportLimits.maxFaults);
      const nothing = { ignored: [], changed: [], changed_count: 0, restarts_plugins: false };
      return completed({ ...head, valid: false, code, faults, ...nothing });
    }
    const { projects, isWhole } = await this.#options.readProjects(file.config);
    const ignored = fieldPlaces(file.warnings, configReportLimits.maxIgnored - 1);
    return completed({
      ...head,
      valid: true,
      faults: [],
      ignored: isWhole ? ignored : [...ignored, { field: PROJECT_FILES_FIELD }],
      ...this.#changes(file.config, projects),
      restarts_plugins: !samePluginPart(providers.inForce, file.config),
    });
  }

  async #reload(): Promise<Outcome<RunnerPayload>> {
    const { providers, readProjects, apply } = this.#options;
    const file = await providers.readConfig();
    if (!file.ok) return refusal(file.code, 'not_started');
    const { projects } = await readProjects(file.config);
    const before = providers.inForce;
    const next = withStartPart(file.config, before);
    const changes = this.#changes(file.config, projects);
    const restarts = !samePluginPart(before, next);
    const applied = changes.changed.some(({ applies }) => applies === 'live');
    // Called in the turn in which the plugins change: there is no moment in which half of the file is in force.
    const putInForce = (): void => {
      if (!applied) return;
      this.#generation += 1;
      this.#projects = projects;
      apply(next, projects);
    };
    if (providers.isStopping) return refusal('plugin_manager_stopping', 'not_started');
    let admission: Admission = { kind: 'committed' };
    if (restarts) admission = await providers.admit(next, putInForce);
    else {
      providers.adopt(next);
      putInForce();
    }
    if (admission.kind === 'interrupted') return admission.outcome;
    if (admission.kind === 'refused')
      return completed({
        kind: 'config_reload',
        generation: this.#generation,
        applied: false,
        ...changes,
        plugins_restarted: false,
        providers: providers.rows(),
        failures: admission.failures,
      });
    return completed({
      kind: 'config_reload',
      generation: this.#generation,
      applied,
      ...changes,
      plugins_restarted: restarts,
      providers: providers.rows(),
      failures: [],
    });
  }

  #changes(file: RunnerConfig, projects: readonly RootedProject[]): Changes {
    const files = sameProjects(this.#projects, projects)
      ? []
      : ([{ field: PROJECT_FILES_FIELD, applies: 'live' }] as const);
    return changedFields(this.#options.providers.inForce, file, files);
  }
}

const NO_PROJECT = 'This Runner has no project of that id.';
