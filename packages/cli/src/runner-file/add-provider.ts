import { realpath, rm } from 'node:fs/promises';
import { readTextFile } from '@fairlead/base';
import { readRunnerConfig } from '@fairlead/runner';
import { cliError } from '../cli-error.ts';
import { clientLimits } from '../limits.ts';
import { replacePrivateFile } from '../state/private-file.ts';
import type { ProviderBlock } from './provider-block.ts';
import { withProvider } from './with-provider.ts';

const newFile = [
  '# The native plugins of this machine.',
  '# Each [[plugins.providers]] block is a program that is started with your rights: add only what you trust.',
  '',
  'client_id = "local"',
  '',
].join('\n');

/**
 * Appends one provider to a `runner.toml` (made when absent) and changes nothing else in it. Starts nothing.
 * Throws `runner_file_unreadable`, `runner_file_refused`, `state_directory_unwritable` and the codes of `withProvider`.
 */
export async function addProvider(path: string, provider: ProviderBlock): Promise<void> {
  const before = await readText(path);
  const after = withProvider(path, before ?? newFile, provider);
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
