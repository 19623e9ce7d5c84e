import { isAbsolute, join } from 'node:path';
import { type Clock, madeOnce, nearestKey } from '@fairlead/base';
import { hostError } from '../errors.ts';
import { scriptLimits } from '../limits.ts';
import { aiSdkModel } from './ai-sdk/ai-sdk-model.ts';
import type { Fetch } from './ai-sdk/watched-request.ts';
import type { Backend, BackendModel, BackendTables, Price } from './configuration/backend.ts';
import { type Model, ModelFault, type ModelPart, type ModelRequest } from './model.ts';
import { readScript } from './scripted/read-script.ts';
import { scriptedModel } from './scripted/scripted-model.ts';
import { TokenEstimate } from './token-estimate.ts';

export interface ModelsOptions {
  readonly tables: BackendTables;
  /** The folder that a relative `file` is meant from. */
  readonly folder: string;
  /** Where keys stand. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** Reads the file of a script, at most `maxBytes`; null where there is none, or none that can be read. */
  readonly readFile: (path: string, maxBytes: number) => Promise<Uint8Array | null>;
  readonly fetch?: Fetch;
  readonly tokens?: TokenEstimate;
}

/** A model of this host with what its back end says about it. */
export interface HostModel {
  /** `backend/model`. */
  readonly ref: string;
  readonly backend: string;
  readonly name: string;
  readonly type: Backend['type'];
  readonly contextWindow: number;
  readonly tools: boolean;
  readonly price?: Price;
  readonly maxTokens: number;
  readonly maxRetries: number;
  readonly model: Model;
  /** Tokens of prompts for this model, about. */
  readonly tokens: TokenEstimate;
  /** Loads what its first request needs; until then nothing of it is in memory. Rejects with `script_invalid`. */
  load(): Promise<void>;
}

/** A line of `/backends`: what is configured, and whether a key is there, never the key. */
export interface BackendLine {
  readonly name: string;
  readonly type: Backend['type'];
  readonly baseUrl?: string;
  readonly file?: string;
  /** `none`: it needs no key. */
  readonly key: 'none' | 'present' | 'missing';
  readonly models: readonly Omit<BackendModel, 'price'>[];
  /** Models without a price: ceilings on money do not see them. */
  readonly unpriced: readonly string[];
}

/** The models of this host, by `backend/model`. Nothing is loaded or read before a model is used. */
export class Models {
  readonly #options: ModelsOptions;
  readonly #models = new Map<string, HostModel>();
  readonly #backends: Backend[] = [];
  readonly #tokens: TokenEstimate;
  #default: string | undefined;

  constructor(options: ModelsOptions) {
    this.#options = options;
    this.#tokens = options.tokens ?? new TokenEstimate();
    this.add(options.tables);
  }

  /** `backend/model` of the configuration, else the first there is; undefined on a host without back ends. */
  get default(): string | undefined {
    return this.#default;
  }

  /** Takes the back ends whose names are new; those that it has stay as they are. Answers their names. */
  add({ backends, model: preferred }: BackendTables): readonly string[] {
    const fresh = backends.filter(({ name }) => !this.#backends.some((known) => known.name === name));
    for (const backend of fresh) {
      this.#backends.push(backend);
      const made = this.#make(backend);
      for (const { name, contextWindow, tools, price } of backend.models) {
        const ref = `${backend.name}/${name}`;
        const { model, load } = made(name);
        this.#models.set(ref, {
          ref,
          backend: backend.name,
          name,
          type: backend.type,
          contextWindow,
          tools,
          ...(price === undefined ? {} : { price }),
          maxTokens: backend.maxTokens,
          maxRetries: backend.maxRetries,
          model,
          tokens: backend.type === 'scripted' ? new TokenEstimate() : this.#tokens,
          load: backend.type === 'scripted' ? load : () => this.#tokens.load(),
        });
      }
    }
    const known = preferred !== undefined && this.#models.has(preferred) ? preferred : undefined;
    this.#default ??= known ?? this.#models.keys().next().value;
    return fresh.map(({ name }) => name);
  }

  /** The names of all models, in the order of the file. */
  get refs(): readonly string[] {
    return [...this.#models.keys()];
  }

  /** The model of a name, or the default one. Throws `model_unknown`, with the nearest name. */
  resolve(ref: string | undefined = this.default): HostModel {
    const model = ref === undefined ? undefined : this.#models.get(ref);
    if (model !== undefined) return model;
    const nearest = ref === undefined ? undefined : nearestKey(ref, this.#models.keys());
    throw hostError('model_unknown', nearest === undefined ? '' : `did you mean ${nearest}?`);
  }

  /** What `/backends` shows. */
  list(): readonly BackendLine[] {
    const { env } = this.#options;
    return this.#backends.map((backend) => {
      const { name, type, models } = backend;
      const unpriced = models.filter(({ price }) => price === undefined).map((model) => model.name);
      const line = { name, type, models: models.map(({ price: _, ...model }) => model), unpriced };
      if (backend.type === 'scripted') return { ...line, unpriced: [], file: backend.file, key: 'none' };
      const { apiKeyEnv, baseUrl } = backend;
      if (apiKeyEnv === undefined) return { ...line, baseUrl, key: 'none' };
      return { ...line, baseUrl, key: (env[apiKeyEnv]?.trim() ?? '') === '' ? 'missing' : 'present' };
    });
  }

  #make(backend: Backend): (model: string) => { readonly model: Model; readonly load: () => Promise<void> } {
    const { env, clock, folder, readFile, fetch = machineFetch } = this.#options;
    if (backend.type === 'scripted') {
      const path = isAbsolute(backend.file) ? backend.file : join(folder, backend.file);
      const { requestTimeoutMs, name } = backend;
      const script = new ScriptFile(name, async () => {
        const bytes = await readFile(path, scriptLimits.json.maxBytes);
        if (bytes === null) return { ok: false, pointer: '', problem: 'cannot be read' };
        const reading = readScript(bytes);
        if (!reading.ok) return reading;
        return { ok: true, model: scriptedModel({ script: reading.script, clock, requestTimeoutMs }) };
      });
      return () => ({ model: script, load: () => script.load() });
    }
    const { type, baseUrl, apiKeyEnv, requestTimeoutMs } = backend;
    return (model) => ({
      model: aiSdkModel({
        type,
        model,
        baseUrl,
        env,
        fetch,
        clock,
        requestTimeoutMs,
        ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }),
      }),
      load: async () => {},
    });
  }
}

/** To name the machine's own loads it; a script needs none. */
const machineFetch: Fetch = (input, init) => globalThis.fetch(input, init);

type Opened =
  | { readonly ok: true; readonly model: Model }
  | { readonly ok: false; readonly pointer: string; readonly problem: string };

/** A scripted back end whose file is read when it is first used. One that could not be used is read again. */
class ScriptFile implements Model {
  readonly #model: () => Promise<Model>;

  constructor(name: string, open: () => Promise<Opened>) {
    this.#model = madeOnce(async () => {
      const opened = await open();
      if (opened.ok) return opened.model;
      const { pointer, problem } = opened;
      throw new ModelFault('script_invalid', {
        retryable: false,
        free: true,
        what: `${name}: ${pointer === '' ? 'the file' : pointer} ${problem}`,
        detail: { backend: name, pointer, problem },
      });
    });
  }

  async load(): Promise<void> {
    await this.#model();
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelPart, void, undefined> {
    const model = await this.#model();
    yield* model.stream(request);
  }
}
