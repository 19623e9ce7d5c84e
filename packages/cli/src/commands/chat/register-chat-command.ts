import type { Command } from 'commander';
import { stateDirFlag, valueFlag } from '../../flags.ts';
import type { Execute } from '../execute.ts';

/** A conversation on a terminal. */
export function registerChatCommand(program: Command, execute: Execute): void {
  program
    .command('chat')
    .description('talk to an agent of the running host; without a terminal, line by line')
    .addOption(valueFlag('--session <session>', 'which session, by name or id; a new name makes one'))
    .option('--new', 'a new session, not the newest one of this folder')
    .addOption(valueFlag('--agent <agent>', 'who answers in a new session (default: the first agent)'))
    .addOption(valueFlag('--model <model>', 'with which model, as backend/model'))
    .addOption(valueFlag('--workspace <dir>', 'folder that the session works in (default: this one)'))
    .option('--demo', 'a script in place of a model, in a session of its own; needs no host')
    .addOption(stateDirFlag())
    .action((flags) => execute(async (context) => (await import('../../chat/chat.ts')).chat(context, flags)));
}
