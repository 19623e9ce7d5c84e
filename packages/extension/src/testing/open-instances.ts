import type { ScopeKind } from '../authoring/scope.ts';
import type {
  CallContext,
  CallRequest,
  Carrier,
  Contributions,
  EndpointKind,
  OpenRequest,
} from '../carrier/carrier.ts';
import { machineClock } from '../clock.ts';
import type { FiredKind } from '../contracts/hook-contracts.ts';
import type { HookKind } from '../contracts/hook-kinds.ts';
import type { HookTarget } from '../dispatch/hook-target.ts';
import { extensionError } from '../errors.ts';
import { deepFreeze } from '../json/deep-freeze.ts';
import type { Json, JsonObject } from '../json/json.ts';
import { budgets } from '../limits.ts';
import { checkContributions } from '../manifest/check-contributions.ts';
import { type CompiledSchema, compileSchema } from '../schema/compile-schema.ts';
import { faultText } from '../schema/schema-fault.ts';
import { mergeSettings } from '../settings/merge-settings.ts';
import type { HandleWatch } from '../worker/handle-watch.ts';
import { type FakeHost, SESSION } from './fake-host.ts';

const AGENT = Object.freeze({ id: 'agent-1', name: 'fairlead' });

interface OpenInstance {
  readonly request: OpenRequest;
  contributions: Contributions;
}

/** An endpoint with the instance that has it. */
export interface Found<E> {
  readonly instance: OpenInstance;
  readonly endpoint: E;
}

/** The instances of a harness, one of each scope, as a host's live set would hold them. */
export class OpenInstances {
  readonly #carrier: Carrier;
  readonly #host: FakeHost;
  readonly #settingsSchema: CompiledSchema;
  /** Global, agent, session. */
  readonly #instances: OpenInstance[] = [];
  #changing: Promise<unknown> = Promise.resolve();
  #lastCall = 0;

  constructor(carrier: Carrier, host: FakeHost) {
    this.#carrier = carrier;
    this.#host = host;
    this.#settingsSchema = schemaOf(carrier.manifest.settings);
  }

  async open(scopes: readonly ScopeKind[], watch: HandleWatch): Promise<void> {
    for (const kind of scopes) {
      const key = kind === 'global' ? '' : kind === 'agent' ? AGENT.id : SESSION;
      const request: OpenRequest = { instance: kind, kind, key, name: key, settings: this.#settings() };
      const opening = watch.run(() => this.#carrier.open(request));
      const contributions = await within(opening, budgets.openMs, () => this.#carrier.close(kind));
      this.#instances.push({ request, contributions });
    }
  }

  /** The tools of an instance have changed: they are asked for again, one time after another. */
  changed(instance: string): void {
    const open = this.#instances.find(({ request }) => request.instance === instance);
    if (open === undefined) return;
    const refresh = async (): Promise<void> => {
      open.contributions = await this.#carrier.open(open.request);
    };
    this.#changing = this.#changing.then(refresh).catch(() => {});
  }

  /** Settles when what has changed was asked for. */
  settled(): Promise<unknown> {
    return this.#changing;
  }

  /** Session over agent over global. */
  find<E>(look: (contributions: Contributions) => E | undefined): Found<E> | undefined {
    for (const instance of [...this.#instances].reverse()) {
      const endpoint = look(instance.contributions);
      if (endpoint !== undefined) return { instance, endpoint };
    }
    return undefined;
  }

  request({ instance }: Found<unknown>, endpoint: EndpointKind, name: string, input: Json): CallRequest {
    this.#lastCall += 1;
    return {
      call: `call-${this.#lastCall}`,
      instance: instance.request.instance,
      endpoint,
      name,
      input,
      context: this.#context(),
      running: undefined,
    };
  }

  /** Every instance that has the hook, global first. */
  targets(kind: HookKind): HookTarget[] {
    return this.#instances
      .filter(({ contributions }) => contributions.hooks.includes(kind))
      .map((instance) => this.#target(instance, kind));
  }

  /** The one instance that answers for the extension. */
  answering(kind: 'prompt' | 'tail' | 'status'): HookTarget[] {
    const found = this.find((contributions) => (contributions[kind] ? true : undefined));
    return found === undefined ? [] : [this.#target(found.instance, kind)];
  }

  /** What is wrong with what the instances contribute, and with the settings. */
  problems(): string[] {
    const problems = this.#instances.flatMap(({ request, contributions }) =>
      checkContributions(this.#carrier.manifest, request.kind, contributions).refused.map(
        ({ code, what }) => `${code}: ${what}`,
      ),
    );
    for (const { contributions } of this.#instances) {
      for (const gate of contributions.gates ?? []) {
        if (!gate.endsWith('*') && !this.#hasTool(gate))
          problems.push(`gates: ${gate} is no tool of its own; see that the name is right`);
      }
    }
    const { reports, missing } = this.#merged();
    problems.push(...reports.map(({ key, message }) => `settings_invalid: ${key} ${message}`));
    problems.push(...missing.map((key) => `settings_invalid: ${key} has no default and is not set`));
    return problems;
  }

  #hasTool(tool: string): boolean {
    return this.find(({ tools }) => tools.find(({ name }) => name === tool)) !== undefined;
  }

  #merged(): ReturnType<typeof mergeSettings> {
    return mergeSettings(this.#settingsSchema, [{ name: 'session', values: this.#host.settings }]);
  }

  #settings(): JsonObject {
    return this.#merged().settings;
  }

  #context(): CallContext {
    return deepFreeze({
      agent: AGENT,
      session: SESSION,
      settings: this.#settings(),
      caps: this.#host.capMethods,
    });
  }

  #target({ request, contributions }: OpenInstance, kind: FiredKind): HookTarget {
    const { gates } = contributions;
    return {
      owner: this.#carrier.manifest.name,
      endpoint: this.#carrier.hook(request.instance, kind),
      context: this.#context(),
      ...(kind === 'tool_call' && gates !== undefined ? { gates } : {}),
    };
  }
}

/** A schema that was judged good before. */
export function schemaOf(json: object): CompiledSchema {
  const compiled = compileSchema(json);
  if (!compiled.ok) throw extensionError('manifest_invalid', faultText(compiled.fault));
  return compiled.schema;
}

/**
 * Waits for an opening under its budget. In real time: while a harness opens, nobody holds it who could move its clock. What is
 * late is given up.
 */
async function within<T>(opening: Promise<T>, budgetMs: number, giveUp: () => Promise<void>): Promise<T> {
  let late: { cancel(): void } | undefined;
  const passed = new Promise<never>((_resolve, reject) => {
    late = machineClock().setTimer(budgetMs, () => {
      void giveUp();
      reject(extensionError('instantiate_timeout'));
    });
  });
  try {
    return await Promise.race([opening, passed]);
  } finally {
    late?.cancel();
  }
}
