import { type Command, InvalidArgumentError, Option } from 'commander';
import { jsonFlag, stateDirFlag, valueFlag } from '../../flags.ts';
import type { Execute } from '../execute.ts';

/** The models that agents think with. */
export function registerModelCommands(program: Command, execute: Execute): void {
  const model = program.command('model').description('the models that agents of this host use');
  model
    .command('add')
    .description('add a model to fairlead.toml: asks, tries it with one call, never keeps a key')
    .addOption(typeFlag())
    .addOption(valueFlag('--name <name>', 'name of the back end (default: local, claude or demo)'))
    .addOption(valueFlag('--base-url <url>', 'address of its API, such as http://127.0.0.1:11434/v1'))
    .addOption(valueFlag('--model <model>', 'the model, as the server calls it'))
    .addOption(valueFlag('--api-key-env <variable>', 'name of the variable that holds the key'))
    .addOption(valueFlag('--file <file>', 'script of a scripted model'))
    .addOption(contextFlag())
    .option('--default', 'make it the default, where fairlead.toml names none')
    .option('--no-check', 'write it without asking the model anything')
    .addOption(stateDirFlag())
    .addOption(valueFlag('--config <file>', 'fairlead.toml to append to'))
    .addOption(jsonFlag())
    .action((flags) => execute(async (context) => (await import('./model-add.ts')).modelAdd(context, flags)));
  model
    .command('list')
    .description('list the models of fairlead.toml, and whether their keys are set')
    .addOption(stateDirFlag())
    .addOption(valueFlag('--config <file>', 'fairlead.toml to read'))
    .addOption(jsonFlag())
    .action((flags) =>
      execute(async (context) => (await import('./model-list.ts')).modelList(context, flags)),
    );
}

function typeFlag(): Option {
  const types = ['openai_compatible', 'anthropic', 'scripted'];
  return new Option('--type <type>', types.join(', ')).argParser((value: string) => {
    if (value.trim() === '') throw new InvalidArgumentError('it must not be empty');
    if (!types.includes(value)) throw new InvalidArgumentError(`one of ${types.join(', ')}`);
    return value;
  });
}

function contextFlag(): Option {
  const description = 'tokens of prompt and reply together (default: 128000)';
  return new Option('--context-window <tokens>', description).argParser((value: string) => {
    if (value.trim() === '') throw new InvalidArgumentError('it must not be empty');
    const tokens = Number(value);
    if (!/^\d{4,8}$/.test(value) || tokens < 1024) throw new InvalidArgumentError('a number from 1024 on');
    return tokens;
  });
}
