import { type Command, InvalidArgumentError, Option } from 'commander';
import { jsonFlag, listFlag, stateDirFlag, valueFlag } from '../../flags.ts';
import type { Execute } from '../execute.ts';

/** The sessions of the host on this machine. */
export function registerSessionCommands(program: Command, execute: Execute): void {
  const session = program.command('session').description('the sessions of the host on this machine');
  session
    .command('list')
    .description('list sessions, the ones used last first')
    .option('--closed', 'those that are closed too')
    .addOption(stateDirFlag())
    .addOption(jsonFlag())
    .action((flags) =>
      execute(async (context) => (await import('./session.ts')).sessionList(context, flags)),
    );
  named(session, 'show', 'show a session and its newest entries')
    .addOption(entriesFlag())
    .addOption(valueFlag('--before <id>', 'only entries before this one'))
    .addOption(jsonFlag())
    .action((name: string, flags) =>
      execute(async (context) => (await import('./session.ts')).sessionShow(context, name, flags)),
    );
  named(session, 'export', 'print a session as JSON lines: what it is, then each entry in order').action(
    (name: string, flags) =>
      execute(async (context) => (await import('./session.ts')).sessionExport(context, name, flags)),
  );
  named(session, 'continue', 'begin a turn that goes on where the last one was cut short')
    .addOption(jsonFlag())
    .action((name: string, flags) =>
      execute(async (context) => (await import('./session.ts')).sessionContinue(context, name, flags)),
    );
  named(session, 'cancel', 'cancel the turn that runs in a session, with all that it began')
    .addOption(jsonFlag())
    .action((name: string, flags) =>
      execute(async (context) => (await import('./session.ts')).sessionCancel(context, name, flags)),
    );
  named(session, 'close', 'cancel what runs in a session and close it; what was said stays')
    .addOption(jsonFlag())
    .action((name: string, flags) =>
      execute(async (context) => (await import('./session.ts')).sessionClose(context, name, flags)),
    );
  session
    .command('new')
    .description('make a session and print its id')
    .addOption(valueFlag('--name <name>', 'name of the session'))
    .addOption(
      listFlag('--agent <agent...>', 'who takes part, the first one answers (default: the first agent)'),
    )
    .addOption(valueFlag('--workspace <dir>', 'folder that it works in (default: this one)'))
    .addOption(modeFlag())
    .addOption(stateDirFlag())
    .addOption(jsonFlag())
    .action((flags) => execute(async (context) => (await import('./session.ts')).sessionNew(context, flags)));
}

/** A command about one session. */
function named(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .argument('<session>', 'id or name of a session')
    .description(description)
    .addOption(stateDirFlag());
}

function modeFlag(): Option {
  const modes = ['normal', 'inspect', 'read_only'];
  return new Option('--mode <mode>', `${modes.join(', ')} (default: normal)`).argParser((value: string) => {
    if (value.trim() === '') throw new InvalidArgumentError('it must not be empty');
    if (!modes.includes(value)) throw new InvalidArgumentError(`one of ${modes.join(', ')}`);
    return value;
  });
}

function entriesFlag(): Option {
  return new Option('--limit <count>', 'how many entries, 1 to 200 (default: 20)').argParser(
    (value: string) => {
      if (value.trim() === '') throw new InvalidArgumentError('it must not be empty');
      const count = Number(value);
      if (!/^[1-9]\d{0,2}$/.test(value) || count > 200)
        throw new InvalidArgumentError('a number from 1 to 200');
      return count;
    },
  );
}
