import { mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { isProviderId } from '@fairlead/protocol';
import { cliError } from '../../cli-error.ts';
import type { CommandContext } from '../../command-context.ts';
import { exitCodes } from '../../exit-codes.ts';
import { commandHint, shellWord } from '../../output/command-hint.ts';
import { providerBlock } from '../../runner-file/provider-block.ts';
import { takeEmptyFolder } from '../../scaffold/empty-folder.ts';
import { packPackage } from '../../scaffold/pack-package.ts';
import { pluginFiles, sdkTarball } from '../../scaffold/plugin-files.ts';
import { resolveStateDirectory } from '../../state/state-directory.ts';

/**
 * `fairlead plugin init DIR [--id ID]`: a TypeScript plugin that builds and passes `check`. Installs nothing, runs nothing of
 * it, and registers it nowhere. Throws `plugin_id_invalid`, `destination_not_empty`, `sdk_not_packed`.
 */
export async function pluginInit(
  context: CommandContext,
  folder: string,
  flags: { readonly id?: string },
): Promise<number> {
  const target = resolve(context.cwd, folder);
  const id = flags.id ?? basename(target);
  if (!isProviderId(id)) {
    throw cliError('plugin_id_invalid', {
      message: `${JSON.stringify(id)} cannot be a plugin's id; nothing was written.`,
    });
  }
  await takeEmptyFolder(target);
  for (const { path, text } of pluginFiles(id)) {
    await mkdir(dirname(join(target, path)), { recursive: true });
    await writeFile(join(target, path), text, { flag: 'wx' });
  }
  const { cloneRoot, env } = context;
  await packPackage({ cloneRoot, folder: 'packages/plugin-sdk', target: join(target, sdkTarball), env });
  context.stdout(nextSteps(context, target, id));
  return exitCodes.done;
}

function nextSteps(context: CommandContext, target: string, id: string): string {
  const { command } = commandHint(context, resolveStateDirectory(context));
  const block = providerBlock({
    id,
    name: id,
    command: 'node',
    args: [join(target, 'dist/plugin.js')],
    timeout_secs: 30,
  });
  return [
    `made ${target}`,
    '',
    'A native plugin runs with the rights of whoever runs the Runner; nothing sandboxes it.',
    '',
    'Build it:',
    `  cd ${shellWord(target)} && npm install && npm run build`,
    '',
    `Register it: copy this block into the Runner's runner.toml, or run \`${command} plugin add ${shellWord(target)}\``,
    '',
    block,
    'Then:',
    `  ${command} plugin check --runner RUNNER --plugin ${id}`,
    `  ${command} plugin reload --runner RUNNER`,
    '',
  ].join('\n');
}
