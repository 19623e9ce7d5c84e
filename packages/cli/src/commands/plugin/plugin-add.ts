import { readFile } from 'node:fs/promises';
import { basename, isAbsolute, join, resolve } from 'node:path';
import { isJsonObject } from '@fairlead/base';
import { isProviderId } from '@fairlead/protocol';
import { cliError } from '../../cli-error.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { commandHint } from '../../output/command-hint.ts';
import { addProvider } from '../../runner-file/add-provider.ts';
import { type ProviderBlock, providerBlock } from '../../runner-file/provider-block.ts';
import { resolveStateDirectory } from '../../state/state-directory.ts';
import { makeStateDirectory } from '../../state/state-folder.ts';
import { UsageError } from '../../usage-error.ts';

type AddFlags = {
  readonly stateDir?: string;
  readonly config?: string;
  readonly id?: string;
  readonly cwd?: string;
};

/**
 * `fairlead plugin add DIR`, a folder that `plugin init` made, or `fairlead plugin add ID -- COMMAND ARGS…`: appends a block to
 * this machine's runner.toml. Starts nothing. Throws `plugin_id_invalid`, `plugin_folder_invalid` and the codes of `addProvider`.
 */
export async function pluginAdd(
  context: CommandContext,
  words: readonly string[],
  flags: AddFlags,
): Promise<number> {
  const [first = '', command, ...args] = words;
  const provider =
    command === undefined
      ? await fromFolder(context, first, flags)
      : fromWords(context, first, command, args, flags);
  if (!isProviderId(provider.id)) {
    const message = `${JSON.stringify(provider.id)} cannot be a plugin's id; nothing was written.`;
    throw cliError('plugin_id_invalid', { message });
  }
  const stateDirectory = resolveStateDirectory({ flag: flags.stateDir, ...context });
  const path = await runnerFile(context, flags, stateDirectory);
  await addProvider(path, provider);
  const { command: hint, stateFlag } = commandHint(context, stateDirectory);
  context.stdout(
    `added ${provider.id} to ${path}; nothing was started\n\n${providerBlock(provider)}\n` +
      'A native plugin runs with your rights; nothing sandboxes it. When you have read it:\n' +
      `  ${hint} plugin check --runner RUNNER --plugin ${provider.id}${stateFlag}\n  ${hint} plugin reload --runner RUNNER${stateFlag}\n`,
  );
  return exitCodes.done;
}

async function runnerFile(context: CommandContext, flags: AddFlags, stateDirectory: string): Promise<string> {
  if (flags.config !== undefined) return resolve(context.cwd, flags.config);
  await makeStateDirectory(stateDirectory);
  return join(stateDirectory, 'runner.toml');
}

/** The command stays as it was typed when it is a name: the Runner looks it up in the PATH that it prepares. */
function fromWords(
  context: CommandContext,
  id: string,
  command: string,
  args: readonly string[],
  flags: AddFlags,
): ProviderBlock {
  if (flags.id !== undefined) throw new UsageError('Before -- stands the id; leave out --id.');
  const isPath = command.includes('/') && !isAbsolute(command);
  return {
    id,
    name: id,
    command: isPath ? resolve(context.cwd, command) : command,
    args,
    ...(flags.cwd === undefined ? {} : { cwd: resolve(context.cwd, flags.cwd) }),
  };
}

async function fromFolder(context: CommandContext, folder: string, flags: AddFlags): Promise<ProviderBlock> {
  const target = resolve(context.cwd, folder);
  const name = await packageName(target);
  const id = flags.id ?? name ?? basename(target);
  return {
    id,
    name: id,
    command: 'node',
    args: [join(target, 'dist/plugin.js')],
    ...(flags.cwd === undefined ? {} : { cwd: resolve(context.cwd, flags.cwd) }),
    timeout_secs: 30,
  };
}

/** The name in the folder's package.json: `plugin init` puts the id there. */
async function packageName(folder: string): Promise<string | null> {
  try {
    const file: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    return isJsonObject(file) && typeof file['name'] === 'string' ? file['name'] : null;
  } catch (cause) {
    throw cliError('plugin_folder_invalid', {
      message: `${folder} holds no plugin; nothing was written.`,
      cause,
    });
  }
}
