import type { Command } from 'commander';
import { jsonFlag, stateDirFlag } from '../../flags.ts';
import type { Execute } from '../execute.ts';

/** The data of a state directory: copy it, put a copy back, begin anew. */
export function registerDataCommands(program: Command, execute: Execute): void {
  program
    .command('backup')
    .argument('<dir>', 'folder to make; there is nothing at it yet')
    .description('copy the database and keys to a new folder, also while a host runs')
    .addOption(stateDirFlag())
    .addOption(jsonFlag())
    .action((dir: string, flags) =>
      execute(async (context) => (await import('./backup.ts')).backUp(context, dir, flags)),
    );
  program
    .command('restore')
    .argument('<dir>', 'folder that backup made')
    .description('put a backup in place of the database; no host may run')
    .option('--replace', 'put a database that is there aside first')
    .addOption(stateDirFlag())
    .addOption(jsonFlag())
    .action((dir: string, flags) =>
      execute(async (context) => (await import('./restore.ts')).restoreFrom(context, dir, flags)),
    );
  program
    .command('reset')
    .description('remove the database and begin anew; no host may run')
    .option('--yes', 'do it without asking')
    .option('--forget-peer', 'remove this peer’s key too, and with it all its rights')
    .addOption(stateDirFlag())
    .addOption(jsonFlag())
    .action((flags) => execute(async (context) => (await import('./reset.ts')).resetData(context, flags)));
}
