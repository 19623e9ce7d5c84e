import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { isExtensionName } from '@fairlead/extension/runtime';
import { cliError } from '../../cli-error.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { commandHint, shellWord } from '../../output/command-hint.ts';
import { takeEmptyFolder } from '../../scaffold/empty-folder.ts';
import { extensionFiles, extensionTarball } from '../../scaffold/extension-files.ts';
import { packPackage } from '../../scaffold/pack-package.ts';
import { resolveStateDirectory } from '../../state/state-directory.ts';

/**
 * `fairlead ext init DIR [--name NAME]`: a TypeScript extension whose test passes. Installs nothing and loads it nowhere.
 * Throws `extension_name_invalid`, `destination_not_empty`, `sdk_not_packed`.
 */
export async function extInit(
  context: CommandContext,
  folder: string,
  flags: { readonly name?: string },
): Promise<number> {
  const target = resolve(context.cwd, folder);
  const name = flags.name ?? basename(target);
  // `[[extensions.path]]` of fairlead.toml takes that one word.
  if (!isExtensionName(name) || name === 'path') {
    throw cliError('extension_name_invalid', {
      message: `${JSON.stringify(name)} cannot be an extension's name; nothing was written.`,
    });
  }
  await takeEmptyFolder(target);
  for (const { path, text } of extensionFiles(name)) {
    await mkdir(dirname(join(target, path)), { recursive: true });
    await writeFile(join(target, path), text, { flag: 'wx' });
  }
  const { cloneRoot, env } = context;
  await packPackage({ cloneRoot, folder: 'packages/extension', target: join(target, extensionTarball), env });
  context.stdout(nextSteps(context, target, name));
  return exitCodes.done;
}

function nextSteps(context: CommandContext, target: string, name: string): string {
  const { command, stateFlag } = commandHint(context, resolveStateDirectory(context));
  return [
    `made ${target}`,
    '',
    'An extension runs in the host with the rights of whoever runs the host; nothing sandboxes it.',
    '',
    'Test it (Node 24 or newer):',
    `  cd ${shellWord(target)} && npm install && ${nodePath(context)}npm test`,
    '',
    'Then, while a host runs:',
    `  ${command} ext check ${shellWord(target)}`,
    `  ${command} ext load${stateFlag} ${shellWord(target)}`,
    `  ${command} ext reload${stateFlag} ${name}`,
    '',
  ].join('\n');
}

/** A clone that brought its own Node runs on a machine that has none of that age: its tests need the same one. */
function nodePath({ cloneRoot }: CommandContext): string {
  const folder = dirname(process.execPath);
  return folder.startsWith(`${cloneRoot}${sep}`) ? `PATH=${shellWord(folder)}:$PATH ` : '';
}
