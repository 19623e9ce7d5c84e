import { type Command, Option } from 'commander';
import { certaintyFlag, jsonFlag, limitFlag, linesFlag, stateDirFlag, valueFlag } from '../../flags.ts';
import type { Execute } from '../execute.ts';

/** What to type when something does not work. */
export function registerTroubleCommands(program: Command, execute: Execute): void {
  program
    .command('doctor')
    .description('find what keeps things from working, and say how to mend it')
    .addOption(stateDirFlag())
    .addOption(valueFlag('--config <file>', 'fairlead.toml to read'))
    .addOption(valueFlag('--runner-config <file>', 'runner.toml to look at'))
    .addOption(jsonFlag())
    .action((flags) => execute(async (context) => (await import('./doctor.ts')).doctor(context, flags)));
  program
    .command('logs')
    .description('show the log of the host, or of a Runner of this machine')
    .option('-f, --follow', 'go on with what is written, until Ctrl-C')
    .addOption(linesFlag())
    .addOption(valueFlag('--runner <id>', 'a Runner that runs in a process of its own'))
    .addOption(stateDirFlag())
    .addOption(new Option('--json', 'the lines as they were written, one JSON object each'))
    .action((flags) => execute(async (context) => (await import('./logs.ts')).logs(context, flags)));
  program
    .command('journal')
    .description('show what was called, by whom and what became of it, newest first; never an argument')
    .addOption(limitFlag())
    .addOption(valueFlag('--before <id>', 'only calls begun before this one'))
    .addOption(certaintyFlag())
    .addOption(stateDirFlag())
    .addOption(jsonFlag())
    .action((flags) => execute(async (context) => (await import('./journal.ts')).journal(context, flags)));
}
