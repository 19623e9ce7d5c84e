/** What a model costs: whole nano-dollars for a million tokens of each kind. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Input that was read from the back end's prompt cache. */
  readonly cached: number;
  /** Input that was written to it. */
  readonly written: number;
}

/** One model of a back end. */
export interface BackendModel {
  /** As the back end knows it; may hold slashes. */
  readonly name: string;
  /** Tokens of prompt and reply together. */
  readonly contextWindow: number;
  /** False where it cannot be offered tools. */
  readonly tools: boolean;
  readonly price?: Price;
}

interface BackendBase {
  readonly name: string;
  readonly models: readonly BackendModel[];
  readonly requestTimeoutMs: number;
  /** Attempts after the first. */
  readonly maxRetries: number;
  /** Most tokens of one reply. */
  readonly maxTokens: number;
}

/** Where models are reached: `[[backends]]` of `fairlead.toml`. */
export type Backend =
  | (BackendBase & {
      readonly type: 'openai_compatible' | 'anthropic';
      readonly baseUrl: string;
      /** Name of the variable that holds the key. */
      readonly apiKeyEnv?: string;
    })
  | (BackendBase & {
      readonly type: 'scripted';
      /** As written; a relative path is meant from the folder of `fairlead.toml`. */
      readonly file: string;
    });

/** The part of `fairlead.toml` that is about models. */
export interface BackendTables {
  readonly backends: readonly Backend[];
  /** `model`: the default, as `backend/model`. Without it the first model of the first back end, where there is one. */
  readonly model?: string;
}
