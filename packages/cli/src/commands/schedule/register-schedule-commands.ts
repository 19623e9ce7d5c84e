import type { Command } from 'commander';
import { jsonFlag, stateDirFlag, valueFlag } from '../../flags.ts';
import type { Execute } from '../execute.ts';

/** What agents have planned. */
export function registerScheduleCommands(program: Command, execute: Execute): void {
  const schedule = program.command('schedule').description('what agents have planned to do');
  schedule
    .command('list')
    .description('list schedules, with when each is due next')
    .addOption(valueFlag('--agent <agent>', 'only those of this agent, by name or id'))
    .addOption(stateDirFlag())
    .addOption(jsonFlag())
    .action((flags) =>
      execute(async (context) => (await import('./schedule-list.ts')).scheduleList(context, flags)),
    );
}
