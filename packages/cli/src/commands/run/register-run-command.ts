import { type Command, InvalidArgumentError, Option } from 'commander';
import { jsonFlag, stateDirFlag, valueFlag } from '../../flags.ts';
import type { Execute } from '../execute.ts';

/** One turn of an agent. */
export function registerRunCommand(program: Command, execute: Execute): void {
  program
    .command('run')
    .argument('<text>', 'what is said to the agent; - reads standard input')
    .description('say something to an agent and print its answer (exit 3: how a call ended is not known)')
    .addOption(valueFlag('--session <session>', 'go on in a session, by name or id; a new name makes one'))
    .addOption(valueFlag('--agent <agent>', 'who answers (default: the first agent)'))
    .addOption(valueFlag('--model <model>', 'with which model, as backend/model'))
    .addOption(valueFlag('--workspace <dir>', 'folder that a new session works in (default: this one)'))
    .addOption(approveFlag())
    .addOption(timeoutFlag())
    .addOption(stateDirFlag())
    .addOption(valueFlag('--config <file>', 'fairlead.toml to read where no host runs'))
    .addOption(jsonFlag())
    .action((text: string, flags) =>
      execute(async (context) => (await import('./run.ts')).run(context, text, flags)),
    );
}

function approveFlag(): Option {
  const description = 'tools that may run unasked in this run, with commas between; or all';
  return new Option('--approve <tools>', description).argParser((value: string) => {
    if (value.trim() === '') throw new InvalidArgumentError('it must not be empty');
    if (value === 'all') return 'all';
    const tools = value.split(',').map((tool) => tool.trim());
    const isName = (tool: string) => /^[A-Za-z0-9_-]{1,64}$/.test(tool);
    if (!tools.every(isName)) throw new InvalidArgumentError('names of tools with commas between, or all');
    return tools;
  });
}

function timeoutFlag(): Option {
  return new Option('--timeout <secs>', 'seconds that it may take, 1 to 86400').argParser((value: string) => {
    if (value.trim() === '') throw new InvalidArgumentError('it must not be empty');
    const secs = Number(value);
    if (!/^\d{1,5}$/.test(value) || secs < 1 || secs > 86_400)
      throw new InvalidArgumentError('a number of seconds from 1 to 86400');
    return secs;
  });
}
