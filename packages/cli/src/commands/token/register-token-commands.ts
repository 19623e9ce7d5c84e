import type { Command } from 'commander';
import { jsonFlag, stateDirFlag, valueFlag } from '../../flags.ts';
import type { Execute } from '../execute.ts';

/** Tokens: personal ones and those of Runners. */
export function registerTokenCommands(program: Command, execute: Execute): void {
  const token = program.command('token').description('personal tokens and Runner tokens');
  token
    .command('create')
    .description(
      'make a token and print it once: a personal one with --name and --scopes, or a Runner’s with --runner',
    )
    .addOption(stateDirFlag())
    .addOption(valueFlag('--name <name>', 'what it is for'))
    .addOption(valueFlag('--scopes <scopes>', 'comma-separated scopes of a personal token'))
    .addOption(valueFlag('--runners <ids>', 'limit a personal token to these Runners, comma-separated'))
    .addOption(valueFlag('--runner <id>', 'make a Runner token for this Runner id instead'))
    .addOption(valueFlag('--expires <time>', 'lifetime such as 90d, 12h, 30m (default: 90d)'))
    .addOption(jsonFlag())
    .action((flags) => execute(async (context) => (await import('./token.ts')).tokenCreate(context, flags)));
  token
    .command('list')
    .description('list tokens; never their secrets')
    .addOption(stateDirFlag())
    .addOption(jsonFlag())
    .action((flags) => execute(async (context) => (await import('./token.ts')).tokenList(context, flags)));
  token
    .command('revoke')
    .argument('<id>', 'token id, as `token list` shows it')
    .description('revoke a token, at once')
    .addOption(stateDirFlag())
    .addOption(jsonFlag())
    .action((id: string, flags) =>
      execute(async (context) => (await import('./token.ts')).tokenRevoke(context, id, flags)),
    );
}
