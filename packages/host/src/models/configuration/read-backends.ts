import { type ConfigurationReading, readConfiguration, type TableReader } from '../../configuration/table.ts';
import { backendLimits } from '../../limits.ts';
import type { Backend, BackendModel, BackendTables, Price } from './backend.ts';

/** The top-level keys of `fairlead.toml` that are read here. */
export const backendKeys: readonly string[] = ['backends', 'model'];

const ANTHROPIC = 'https://api.anthropic.com/v1';
const TYPES = ['openai_compatible', 'anthropic', 'scripted'] as const;
const COMMON = ['name', 'type', 'request_timeout_secs', 'max_retries', 'max_tokens', 'models'];

/** Reads `[[backends]]` and `model` of a parsed `fairlead.toml`. One value that cannot be used refuses the file, with its place. */
export function readBackends(
  document: Readonly<Record<string, unknown>>,
): ConfigurationReading<BackendTables> {
  return readConfiguration(document, (root) => {
    const names = new Set<string>();
    const backends = root
      .tables('backends', backendLimits.backends, '[[backends]]')
      .map((table: TableReader) => {
        const backend = backendIn(table);
        if (names.has(backend.name)) table.refuse('name', 'must be a name that no other back end has');
        names.add(backend.name);
        return backend;
      });
    const model = root.text('model', backendLimits.text, 'must be "backend/model"');
    if (model === undefined) return { backends };
    const known = backends.flatMap(({ name, models }) => models.map((one) => `${name}/${one.name}`));
    if (!known.includes(model)) root.refuse('model', 'must be "backend/model" of a back end in this file');
    return { backends, model };
  });
}

function backendIn(table: TableReader): Backend {
  const name = table.text(
    'name',
    backendLimits.name,
    'must be a name of letters, digits, dot, dash and underscore, at most 64',
    /^[A-Za-z0-9][A-Za-z0-9._-]*$/,
  );
  if (name === undefined) table.refuse('name', 'must be given');
  const type = table.word('type', TYPES);
  if (type === undefined) table.refuse('type', `must be one of ${TYPES.join(', ')}`);
  const { requestTimeoutSecs, requestTimeoutMaxSecs, maxRetries, maxRetriesMax, maxTokens, maxTokensMax } =
    backendLimits;
  const common = {
    name,
    models: modelsIn(table),
    requestTimeoutMs:
      (table.whole('request_timeout_secs', 1, requestTimeoutMaxSecs) ?? requestTimeoutSecs) * 1000,
    maxRetries: table.whole('max_retries', 0, maxRetriesMax) ?? maxRetries,
    maxTokens: table.whole('max_tokens', 1, maxTokensMax) ?? maxTokens,
  };
  if (type === 'scripted') {
    table.onlyKnown([...COMMON, 'file']);
    const file = table.text('file', backendLimits.text, 'must name the file of a script');
    if (file === undefined) table.refuse('file', 'must name the file of a script');
    const models = common.models.length > 0 ? common.models : [scriptModel];
    return { ...common, type, file, models };
  }
  table.onlyKnown([...COMMON, 'base_url', 'api_key_env']);
  if (common.models.length === 0) table.refuse('models', 'must have a model: [[backends.models]]');
  const apiKeyEnv = table.text(
    'api_key_env',
    backendLimits.text,
    'must name an environment variable',
    /^[A-Za-z_][A-Za-z0-9_]*$/,
  );
  if (type === 'anthropic' && apiKeyEnv === undefined)
    table.refuse('api_key_env', 'must name the variable that holds the key');
  const baseUrl = addressIn(table, type, apiKeyEnv !== undefined);
  return { ...common, type, baseUrl, ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }) };
}

/** A scripted back end needs no list: it has one model. */
const scriptModel: BackendModel = Object.freeze({
  name: 'script',
  contextWindow: backendLimits.contextWindow,
  tools: true,
});

function addressIn(table: TableReader, type: 'openai_compatible' | 'anthropic', hasKey: boolean): string {
  const problem = 'must be an http or https URL without user, query and fragment';
  const written = table.text('base_url', backendLimits.text, problem);
  if (written === undefined) {
    if (type === 'anthropic') return ANTHROPIC;
    return table.refuse('base_url', 'must be the address of the server, such as http://127.0.0.1:8080/v1');
  }
  const url = URL.parse(written);
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    `${url.username}${url.password}${url.search}${url.hash}` !== '' ||
    /[?#]/.test(written)
  )
    return table.refuse('base_url', problem);
  if (url.protocol === 'http:' && hasKey && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname))
    table.notice('base_url', 'is not encrypted: whoever can watch that network can read the key');
  return url.href.replace(/\/+$/, '');
}

function modelsIn(table: TableReader): readonly BackendModel[] {
  const names = new Set<string>();
  return table.tables('models', backendLimits.models, '[[backends.models]]').map((entry: TableReader) => {
    entry.onlyKnown(['name', 'context_window', 'tools', 'price']);
    const name = entry.text('name', backendLimits.text, 'must be the name of a model, on one line');
    if (name === undefined) entry.refuse('name', 'must be given');
    if (names.has(name)) entry.refuse('name', 'must be a name that no other model of this back end has');
    names.add(name);
    const { contextWindow, contextWindowMax } = backendLimits;
    return {
      name,
      contextWindow: entry.whole('context_window', 1024, contextWindowMax) ?? contextWindow,
      tools: entry.flag('tools') ?? true,
      ...(entry.has('price') ? { price: priceIn(entry.table('price')) } : {}),
    };
  });
}

function priceIn(table: TableReader): Price {
  table.onlyKnown(['input', 'output', 'cached', 'written']);
  const read = (key: string): number | undefined => {
    const usd = table.number(key, 0, backendLimits.priceMax);
    return usd === undefined ? undefined : Math.round(usd * 1_000_000_000);
  };
  const input = read('input') ?? table.refuse('input', 'must be given: USD per million tokens');
  const output = read('output') ?? table.refuse('output', 'must be given: USD per million tokens');
  return { input, output, cached: read('cached') ?? input, written: read('written') ?? input };
}
