import { realpath, rm } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { readTextFile } from '@fairlead/base';
import { readRunnerConfig } from '@fairlead/runner';
import { parse } from 'smol-toml';
import { cliError } from '../cli-error.ts';
import { clientLimits } from '../limits.ts';
import { replacePrivateFile } from '../state/private-file.ts';
import { type ProviderBlock, providerBlock } from './provider-block.ts';

const newFile = [
  '# The native plugins of this machine.',
  '# Each [[plugins.providers]] block is a program that is started with your rights: add only what you trust.',
  '',
  'client_id = "local"',
  '',
].join('\n');

/**
 * Appends one provider to a `runner.toml` (made when absent) and changes nothing else in it: the new text is parsed whole,
 * and must say what the old one said and the new provider, or nothing is written. Starts nothing.
 * Throws `runner_file_unreadable`, `runner_file_not_toml`, `provider_id_taken`, `provider_not_appended`, `runner_file_refused`, `state_directory_unwritable`.
 */
export async function addProvider(path: string, provider: ProviderBlock): Promise<void> {
  const before = await readText(path);
  const old = parseToml(before ?? newFile);
  if (old === null) throw cliError('runner_file_not_toml', { detail: { file: path } });
  const providers = providersOf(old);
  if (providers.some((entry) => isTable(entry) && entry['id'] === provider.id)) {
    throw cliError('provider_id_taken', {
      message: `${path} has a plugin ${provider.id} already; nothing was written.`,
    });
  }
  const after = `${withBlankLine(before ?? newFile)}${providerBlock(provider)}`;
  const fresh = parseToml(after);
  if (fresh === null || !addsExactly(old, fresh, provider)) {
    throw cliError('provider_not_appended', { detail: { file: path, block: providerBlock(provider) } });
  }
  await requireAccepted(path, after);
  // A link stays a link: its target is replaced.
  await replacePrivateFile(before === null ? path : await realpath(path), after);
}

/** The Runner's own reader judges the new file, so that what is written is never refused by the next reload. */
async function requireAccepted(path: string, text: string): Promise<void> {
  const candidate = `${path}.candidate`;
  await replacePrivateFile(candidate, text);
  try {
    const reading = await readRunnerConfig(candidate);
    if (reading.ok) return;
    throw cliError('runner_file_refused', { message: `${path} would be refused: ${reading.localDetail}` });
  } finally {
    await rm(candidate, { force: true });
  }
}

async function readText(path: string): Promise<string | null> {
  const file = await readTextFile(path, clientLimits.runnerFileBytes);
  if (file.ok) return file.text;
  if (file.fault === 'absent') return null;
  // Read as text all the same, it would be written back with other bytes in the place of those that are none.
  if (file.fault === 'not_utf8') throw cliError('runner_file_not_toml', { detail: { file: path } });
  throw cliError('runner_file_unreadable', { detail: { file: path, reason: file.systemCode ?? file.fault } });
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
