import { isDeepStrictEqual } from 'node:util';
import { parse } from 'smol-toml';
import { cliError } from '../cli-error.ts';
import { type ProviderBlock, providerBlock } from './provider-block.ts';

/**
 * The text of a `runner.toml` with one provider at its end, and nothing else in it changed: the new text is parsed whole, and must
 * say what the old one said and the new provider. `path` is what a refusal calls the file.
 * Throws `runner_file_not_toml`, `provider_id_taken`, `provider_not_appended`.
 */
export function withProvider(path: string, before: string, provider: ProviderBlock): string {
  const old = parseToml(before);
  if (old === null) throw cliError('runner_file_not_toml', { detail: { file: path } });
  const providers = providersOf(old);
  if (providers.some((entry) => isTable(entry) && entry['id'] === provider.id)) {
    throw cliError('provider_id_taken', {
      message: `${path} has a plugin ${provider.id} already; nothing was written.`,
    });
  }
  const after = `${withBlankLine(before)}${providerBlock(provider)}`;
  const fresh = parseToml(after);
  if (fresh === null || !addsExactly(old, fresh, provider)) {
    throw cliError('provider_not_appended', { detail: { file: path, block: providerBlock(provider) } });
  }
  return after;
}

type Table = { readonly [key: string]: unknown };

function parseToml(text: string): Table | null {
  try {
    return parse(text);
  } catch {
    return null;
  }
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function providersOf(file: Table): readonly unknown[] {
  const plugins = file['plugins'];
  const providers = isTable(plugins) ? plugins['providers'] : undefined;
  return Array.isArray(providers) ? providers : [];
}

/** The new file is the old one with this provider at the end of its list. */
function addsExactly(old: Table, fresh: Table, provider: ProviderBlock): boolean {
  const plugins = isTable(old['plugins']) ? old['plugins'] : {};
  const wanted = { ...old, plugins: { ...plugins, providers: [...providersOf(old), provider] } };
  // Compared as plain JSON: the parser's own dates and prototypes say nothing.
  return isDeepStrictEqual(JSON.parse(JSON.stringify(wanted)), JSON.parse(JSON.stringify(fresh)));
}

function withBlankLine(text: string): string {
  if (text === '' || text.endsWith('\n\n')) return text;
  return text.endsWith('\n') ? `${text}\n` : `${text}\n\n`;
}
