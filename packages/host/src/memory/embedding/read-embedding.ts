import { type ConfigurationReading, readConfiguration, type TableReader } from '../../configuration/table.ts';
import { memoryLimits } from '../../limits.ts';

/** `[embedding]` of `fairlead.toml`: who turns text into vectors. */
export interface EmbeddingSettings {
  /** Ends without a slash; `/embeddings` is asked below it. */
  readonly baseUrl: string;
  readonly model: string;
  /** Asked for, and what every vector must have; absent: what the model gives. */
  readonly dimensions?: number;
  readonly apiKeyEnv?: string;
}

/** The tables of `fairlead.toml` that are read here. */
export const embeddingKeys: readonly string[] = ['embedding'];

/** Reads `[embedding]` of a parsed `fairlead.toml`; undefined where there is none. */
export function readEmbedding(
  document: Readonly<Record<string, unknown>>,
): ConfigurationReading<EmbeddingSettings | undefined> {
  return readConfiguration(document, (root) => {
    if (!root.has('embedding')) return undefined;
    const table: TableReader = root.table('embedding');
    table.onlyKnown(['base_url', 'model', 'dimensions', 'api_key_env']);
    const url =
      'must be the http or https address of an API like OpenAI’s, such as http://127.0.0.1:11434/v1';
    const baseUrl = table.text('base_url', memoryLimits.urlBytes, url) ?? table.refuse('base_url', url);
    if (!isPlainUrl(baseUrl)) table.refuse('base_url', url);
    const name = 'must be the name of a model that makes embeddings, such as nomic-embed-text';
    const model = table.text('model', memoryLimits.modelBytes, name) ?? table.refuse('model', name);
    const dimensions = table.whole('dimensions', 1, memoryLimits.dimensionsMax);
    const apiKeyEnv = table.text(
      'api_key_env',
      128,
      'must be the name of an environment variable',
      /^[A-Za-z_][A-Za-z0-9_]*$/,
    );
    return {
      baseUrl: baseUrl.replace(/\/+$/, ''),
      model,
      ...(dimensions === undefined ? {} : { dimensions }),
      ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }),
    };
  });
}

/** Without a name, a password or a query: what is secret stands in a variable. */
function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username + password + search + hash === '';
}
