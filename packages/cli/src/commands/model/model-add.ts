import { realpath } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FairleadError, isJsonObject, readTextFile } from '@fairlead/base';
import { type AppendedBackend, appendBackend, type NewBackend, readBackends } from '@fairlead/host';
import { parse } from 'smol-toml';
import { cliError } from '../../cli-error.ts';
import { adminRequest } from '../../client/admin-request.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { hostConfigPath } from '../../host/host-config.ts';
import { clientLimits } from '../../limits.ts';
import { commandHint } from '../../output/command-hint.ts';
import { jsonLine, safeLine } from '../../output/safe-text.ts';
import { findHost } from '../../owner/host-in-charge.ts';
import { replacePrivateFile } from '../../state/private-file.ts';
import { resolveStateDirectory } from '../../state/state-directory.ts';
import { makeStateDirectory } from '../../state/state-folder.ts';
import { checkModel } from './check-model.ts';
import { type ModelWishFlags, modelWish } from './model-wish.ts';

type ModelAddFlags = ModelWishFlags & {
  readonly stateDir?: string;
  readonly config?: string;
  readonly default?: boolean;
  /** False for `--no-check`. */
  readonly check?: boolean;
  readonly json?: boolean;
};

/**
 * `fairlead model add`: asks for what the flags leave open, tries the model with one call, and appends a block to `fairlead.toml` that
 * names the variable of the key. Throws `key_not_reference`, `backend_name_taken`, `backend_not_appended`, `backend_refused`,
 * `host_config_parse_failed`, `host_config_read_failed`, and the fault of the call.
 */
export async function modelAdd(context: CommandContext, flags: ModelAddFlags): Promise<number> {
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const path = hostConfigPath(context, stateDirectory, flags.config);
  const before = await readConfig(path);
  const backend = await modelWish(context, flags);
  const ref = `${backend.name}/${backend.models?.[0]?.name ?? 'script'}`;
  const appended = append(before ?? '', backend, { ref, path, isDefault: flags.default === true });
  const { text, block } = appended;
  const tables = readBackends(parse(text));
  if (!tables.ok) throw cliError('backend_refused', { detail: { reason: tables.problem } });
  const isChecked = flags.check !== false;
  if (isChecked) await tryModel(context, { tables: tables.value, folder: dirname(path), ref });
  if (flags.config === undefined) await makeStateDirectory(stateDirectory);
  // A link stays a link: its target is replaced.
  await replacePrivateFile(before === null ? path : await realpath(path), text);
  const { backends, model } = tables.value;
  const isDefault = (model ?? `${backends[0]?.name}/${backends[0]?.models[0]?.name}`) === ref;
  const isTaken = flags.config === undefined ? await handToHost(context, stateDirectory, backend.name) : null;
  if (flags.json === true) {
    const inUse = isTaken === true;
    context.stdout(jsonLine({ model: ref, file: path, checked: isChecked, default: isDefault, inUse }));
    return exitCodes.done;
  }
  context.stdout(`added ${safeLine(ref)} to ${path}\n\n${block}\n`);
  const { command, stateFlag } = commandHint(context, stateDirectory);
  const variable = backend.api_key_env;
  const start = `${command} stop${stateFlag}, then start it again`;
  if (isTaken === false)
    context.stdout(
      `The running host takes it at its next start${variable === undefined ? '' : `, where ${variable} is set`}: ${start}.\n`,
    );
  else
    context.stdout(
      `${isTaken === null && variable !== undefined ? `Start the host where ${variable} is set. ` : ''}Try it: ${command} run${stateFlag} "hello"\n`,
    );
  return exitCodes.done;
}

/** Has a running host take it, and prints what it says of ceilings: true where it did, false where it will at its next start, null where none runs. */
async function handToHost(
  context: CommandContext,
  stateDirectory: string,
  name: string,
): Promise<boolean | null> {
  const server = await findHost(context, stateDirectory);
  if (server === null) return null;
  // A host that was started with a file of its own reads that one.
  if (server.startedWith.config !== null) return false;
  try {
    const request = { method: 'POST', path: '/api/admin/models/reload', body: {} } as const;
    const taken = await adminRequest(context, { url: server.url, stateDirectory, ...request });
    if (!isJsonObject(taken)) return false;
    const { added, words } = taken;
    // Told once: whoever adds the model reads what it may cost.
    for (const line of Array.isArray(words) ? words : [])
      if (typeof line === 'string') context.stderr(`fairlead: ${safeLine(line)}\n`);
    return Array.isArray(added) && added.includes(name);
  } catch {
    // What stands in the file is not undone because a host could not be told.
    return false;
  }
}

type Try = Parameters<typeof checkModel>[1];

async function tryModel(context: CommandContext, tried: Try): Promise<void> {
  try {
    const said = await checkModel(context, tried);
    context.stderr(
      said === ''
        ? `fairlead: ${tried.ref} can be used\n`
        : `fairlead: ${tried.ref} answered: ${safeLine(said).slice(0, 80)}\n`,
    );
  } catch (error) {
    if (error instanceof FairleadError)
      context.stderr('fairlead: nothing was written; --no-check writes it without asking the model\n');
    throw error;
  }
}

async function readConfig(path: string): Promise<string | null> {
  const file = await readTextFile(path, clientLimits.hostFileBytes);
  if (file.ok) return file.text;
  if (file.fault === 'absent') return null;
  throw new FairleadError('host_config_read_failed', `${path} cannot be read; nothing was written.`, {
    detail: { reason: file.systemCode ?? file.fault },
  });
}

/** As the default it is put where nothing else is the default yet: a file that names one is not changed. */
function append(
  source: string,
  backend: NewBackend,
  { ref, path, isDefault }: { readonly ref: string; readonly path: string; readonly isDefault: boolean },
): AppendedBackend & { readonly ok: true } {
  const appended = isDefault ? appendBackend(source, backend, ref) : appendBackend(source, backend);
  if (appended.ok) return appended;
  switch (appended.reason) {
    case 'not_toml':
      throw new FairleadError('host_config_parse_failed', `${path} is not TOML; nothing was written.`);
    case 'not_appended':
      throw cliError('backend_not_appended', { detail: { file: path } });
    case 'refused':
      throw cliError('backend_refused', { detail: { at: appended.at.join('.'), reason: appended.problem } });
  }
}
