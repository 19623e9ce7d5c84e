import { Command } from 'commander';
import type { CommandOutput } from './command-context.ts';
import { registerApprovalCommands } from './commands/approvals/register-approval-commands.ts';
import { registerChatCommand } from './commands/chat/register-chat-command.ts';
import { registerDataCommands } from './commands/data/register-data-commands.ts';
import type { Execute } from './commands/execute.ts';
import { registerExtCommands } from './commands/ext/register-ext-commands.ts';
import { registerHostCommands } from './commands/host/register-host-commands.ts';
import { registerMcpCommand } from './commands/mcp/register-mcp-command.ts';
import { registerModelCommands } from './commands/model/register-model-commands.ts';
import { registerPluginCommands } from './commands/plugin/register-plugin-commands.ts';
import { registerRunCommand } from './commands/run/register-run-command.ts';
import { registerRunnerCommands } from './commands/runner/register-runner-commands.ts';
import { registerScheduleCommands } from './commands/schedule/register-schedule-commands.ts';
import { registerSessionCommands } from './commands/session/register-session-commands.ts';
import { registerTokenCommands } from './commands/token/register-token-commands.ts';
import { registerTroubleCommands } from './commands/trouble/register-trouble-commands.ts';
import { readVersion } from './version.ts';

/**
 * The command tree, put together from its groups: a new one is a folder of `commands/` and one line here. A group says
 * names, flags and help only; each action imports its own module when it runs, so that `fairlead --help` reads nothing
 * else.
 */
export function buildProgram(output: CommandOutput, execute: Execute): Command {
  const program = new Command('fairlead');
  program
    .description('A self-hosted capability host for AI agents: run local programs as tools, safely.')
    .version(readVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show this help')
    .helpCommand('help [command]', 'show the help of a command')
    .exitOverride()
    .showHelpAfterError('(add --help to see what the command takes)')
    .configureOutput({
      writeOut: (text) => output.stdout(text),
      writeErr: (text) => output.stderr(text),
      outputError: (text, write) =>
        write(withoutTokens(withItsPlace(text).replace(/^error: /, 'fairlead: '))),
    })
    .addHelpText(
      'after',
      '\nBegin with `fairlead up`. `fairlead COMMAND --help` shows what a command takes.',
    );
  registerHostCommands(program, execute);
  registerChatCommand(program, execute);
  registerRunCommand(program, execute);
  registerSessionCommands(program, execute);
  registerApprovalCommands(program, execute);
  registerScheduleCommands(program, execute);
  registerDataCommands(program, execute);
  registerTroubleCommands(program, execute);
  registerRunnerCommands(program, execute);
  registerTokenCommands(program, execute);
  registerPluginCommands(program, execute);
  registerExtCommands(program, execute);
  registerModelCommands(program, execute);
  registerMcpCommand(program, execute);
  refuseRepeatedFlags(program);
  return program;
}

/** What is typed in a chat alone, and is looked for here, is shown the way. */
function withItsPlace(text: string): string {
  return text.replace(
    /^(error: unknown command '(memory|skills)')\n/,
    '$1\n(/$2 is typed in `fairlead chat`)\n',
  );
}

/** What somebody typed in the wrong place is shown back; a token is not. */
function withoutTokens(text: string): string {
  return text.replace(/fairlead_(pat|runner)_[\w-]+/g, 'fairlead_$1_…');
}

/** A flag that is given twice is a mistake, not an override. Its values are not repeated: one may be a token. */
function refuseRepeatedFlags(command: Command): void {
  for (const option of command.options) {
    // One that takes several values may take them one by one.
    if (option.variadic) continue;
    let isGiven = false;
    command.on(`option:${option.name()}`, () => {
      if (isGiven) command.error(`error: option '${option.long}' was given twice`);
      isGiven = true;
    });
  }
  for (const child of command.commands) refuseRepeatedFlags(child);
}
