import type { Command } from 'commander';
import { jsonFlag, notBlank, stateDirFlag, valueFlag } from '../../flags.ts';
import type { Execute } from '../execute.ts';

/** Extensions: make one, check one, and those of the host that runs on this machine. */
export function registerExtCommands(program: Command, execute: Execute): void {
  const ext = program.command('ext').description('extensions of the host on this machine');
  ext
    .command('init')
    .argument('<dir>', 'folder to make; its name is the extension’s unless --name gives one')
    .description('make a TypeScript extension with a tool, a command, a hook and a test; loads nothing')
    .addOption(valueFlag('--name <name>', 'name of the extension'))
    .action((dir: string, flags) =>
      execute(async (context) => (await import('./ext-init.ts')).extInit(context, dir, flags)),
    );
  ext
    .command('check')
    .argument('<dir>', 'folder of an extension')
    .description('load an extension aside, open each of its scopes, end it; says what is wrong')
    .addOption(jsonFlag())
    .action((dir: string, flags) =>
      execute(async (context) => (await import('./ext-check.ts')).extCheck(context, dir, flags)),
    );
  ext
    .command('list')
    .description('list the host’s extensions: version, scopes, kinds, state, failures')
    .addOption(stateDirFlag())
    .addOption(jsonFlag())
    .action((flags) => execute(async (context) => (await import('./ext-list.ts')).extList(context, flags)));
  ext
    .command('load')
    .argument('<dir>', 'folder of an extension; it runs with your rights')
    .description('load an extension into the host, until the host ends')
    .addOption(stateDirFlag())
    .addOption(jsonFlag())
    .action((dir: string, flags) =>
      execute(async (context) => (await import('./ext-load.ts')).extLoad(context, dir, flags)),
    );
  ext
    .command('reload')
    .argument('<name>', 'name of an extension that was loaded from a folder, or that folder')
    .description('load its folder again; where that fails, what runs stays')
    .addOption(stateDirFlag())
    .addOption(jsonFlag())
    .action((name: string, flags) =>
      execute(async (context) => (await import('./ext-load.ts')).extReload(context, name, flags)),
    );
  ext
    .command('unload')
    .argument('<name>', 'name of an extension that was loaded from a folder, or that folder')
    .description('end an extension; running calls end first')
    .addOption(stateDirFlag())
    .addOption(jsonFlag())
    .action((name: string, flags) =>
      execute(async (context) => (await import('./ext-load.ts')).extUnload(context, name, flags)),
    );
  ext
    .command('output')
    .argument('<name>', 'name of an extension')
    .description('show what its worker printed last, 64 KiB at most')
    .addOption(stateDirFlag())
    .addOption(jsonFlag())
    .action((name: string, flags) =>
      execute(async (context) => (await import('./ext-load.ts')).extOutput(context, name, flags)),
    );
  for (const [command, description] of [
    ['diff', 'show what an MCP server offers that is not what was approved'],
    ['approve', 'approve what an MCP server offers now, as it is shown'],
  ] as const)
    ext
      .command(command)
      .argument('<name>', 'name of an extension, such as mcp-files')
      .description(description)
      .addOption(valueFlag('--tool <tool>', 'of this tool alone, by the name that the server has for it'))
      .addOption(stateDirFlag())
      .addOption(jsonFlag())
      .action((name: string, flags) =>
        execute(async (context) => {
          const { extApprove, extDiff } = await import('./ext-diff.ts');
          return await (command === 'diff' ? extDiff : extApprove)(context, name, flags);
        }),
      );
  switching(ext, 'add', 'switch an extension on in a session, as /extensions add does').action(
    (name: string, flags) =>
      execute(async (context) =>
        (await import('./ext-switch.ts')).extSwitch(context, { sub: 'add', name }, flags),
      ),
  );
  switching(ext, 'remove', 'switch an extension off in a session, as /extensions remove does').action(
    (name: string, flags) =>
      execute(async (context) =>
        (await import('./ext-switch.ts')).extSwitch(context, { sub: 'remove', name }, flags),
      ),
  );
}

function switching(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .argument('<name>', 'name of an extension')
    .description(description)
    .requiredOption('--session <session>', 'id or name of the session', notBlank)
    .option('--agent', 'for the agent that answers there, in all its sessions')
    .addOption(stateDirFlag())
    .addOption(jsonFlag());
}
