import type { Command } from 'commander';
import { jsonFlag, portFlag, stateDirFlag, valueFlag } from '../../flags.ts';
import type { Execute } from '../execute.ts';

/** The host: start it, look at it, end it. */
export function registerHostCommands(program: Command, execute: Execute): void {
  const listening = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .addOption(stateDirFlag())
      .addOption(valueFlag('--config <file>', 'fairlead.toml to read'))
      .addOption(valueFlag('--bind <address>', 'address to listen on (FAIRLEAD_BIND)'))
      .addOption(portFlag())
      .option('--allow-remote', 'listen where other machines can connect, without TLS')
      .addOption(jsonFlag());
  listening('up', 'start a gateway and one Runner on this machine')
    .addOption(valueFlag('--runner-config <file>', 'runner.toml of the Runner'))
    .option('--examples', 'write a first runner.toml with the example plugins where there is none')
    .action((flags) => execute(async (context) => (await import('./up.ts')).up(context, flags)));
  listening('serve', 'start a gateway alone; Runners dial in').action((flags) =>
    execute(async (context) => (await import('./up.ts')).serve(context, flags)),
  );
  program
    .command('status')
    .description('say what runs on this state directory (exit 3: nothing)')
    .addOption(stateDirFlag())
    .addOption(jsonFlag())
    .action((flags) => execute(async (context) => (await import('./status.ts')).status(context, flags)));
  program
    .command('stop')
    .description('stop what runs on this state directory')
    .addOption(stateDirFlag())
    .action((flags) => execute(async (context) => (await import('./stop.ts')).stop(context, flags)));
  program
    .command('pause')
    .description('start no turn and no call until resume, also after a restart; cancel what runs')
    .addOption(stateDirFlag())
    .addOption(jsonFlag())
    .action((flags) => execute(async (context) => (await import('./pause.ts')).pause(context, flags)));
  program
    .command('resume')
    .description('end a pause; what waits is answered')
    .addOption(stateDirFlag())
    .addOption(jsonFlag())
    .action((flags) => execute(async (context) => (await import('./pause.ts')).resume(context, flags)));
  program
    .command('config')
    .description('what a host would run with')
    .command('show')
    .description('print every value and where it came from')
    .addOption(stateDirFlag())
    .addOption(valueFlag('--config <file>', 'fairlead.toml to read'))
    .addOption(jsonFlag())
    .action((flags) =>
      execute(async (context) => (await import('./config-show.ts')).configShow(context, flags)),
    );
}
