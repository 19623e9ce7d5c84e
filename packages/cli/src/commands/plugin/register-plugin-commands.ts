import type { Command } from 'commander';
import { jsonFlag, listFlag, stateDirFlag, timeoutSecsFlag, valueFlag } from '../../flags.ts';
import type { Execute } from '../execute.ts';
import { throughGateway } from '../gateway-command.ts';

/** Native plugins: make one, register one, and use those of a Runner through a gateway. */
export function registerPluginCommands(program: Command, execute: Execute): void {
  const plugin = program.command('plugin').description('native plugins, through a gateway');
  const network = (name: string, description: string) => throughGateway(plugin, name, description);
  plugin
    .command('init')
    .argument('<dir>', 'folder to make; its name is the id unless --id gives one')
    .description('make a TypeScript plugin to build upon; registers and starts nothing')
    .addOption(valueFlag('--id <id>', 'plugin id'))
    .action((dir: string, flags) =>
      execute(async (context) => (await import('./plugin-init.ts')).pluginInit(context, dir, flags)),
    );
  plugin
    .command('add')
    .argument('<dir-or-id...>', 'a folder of `plugin init`, or: ID -- COMMAND ARGS…')
    .description('append a plugin to this machine’s runner.toml; starts nothing')
    .addOption(stateDirFlag())
    .addOption(valueFlag('--config <file>', 'runner.toml to append to'))
    .addOption(valueFlag('--id <id>', 'plugin id, for a folder'))
    .addOption(valueFlag('--cwd <dir>', 'folder that the plugin runs in'))
    .action((words: string[], flags) =>
      execute(async (context) => (await import('./plugin-add.ts')).pluginAdd(context, words, flags)),
    );
  plugin
    .command('conformance')
    .argument('<command...>', 'after --: the program and its arguments')
    .description('start a program and hold it against every clause of the plugin wire')
    .addOption(listFlag('--call <tool=json...>', 'make this call too, once, whatever it does'))
    .addOption(valueFlag('--cwd <dir>', 'folder that the program runs in'))
    .addOption(timeoutSecsFlag())
    .addOption(jsonFlag())
    .action((words: string[], flags) =>
      execute(async (context) =>
        (await import('./plugin-conformance.ts')).pluginConformance(context, words, flags),
      ),
    );
  plugin
    .command('hostile')
    .argument('[scenario]', 'what to break')
    .description('be a plugin that breaks the wire, for people who write Runners')
    .option('--list', 'print the scenarios, and what a Runner must answer to each')
    .addOption(jsonFlag())
    .action((scenario: string | undefined, flags) =>
      execute(async (context) =>
        (await import('./plugin-hostile.ts')).pluginHostile(context, scenario, flags),
      ),
    );
  const runner = () => valueFlag('--runner <id>', 'exact Runner id');
  const provider = () => valueFlag('--plugin <id>', 'plugin id');
  const tool = () => valueFlag('--tool <name>', 'tool name');
  network('list', 'list Runners, a Runner’s plugins (--runner), or a plugin’s tools (--runner --plugin)')
    .addOption(runner())
    .addOption(provider())
    .action((flags) => execute(async (context) => (await import('./plugin.ts')).pluginList(context, flags)));
  network('describe', 'show one tool whole and make a binding for it')
    .addOption(runner().makeOptionMandatory())
    .addOption(provider().makeOptionMandatory())
    .addOption(tool().makeOptionMandatory())
    .action((flags) =>
      execute(async (context) => (await import('./plugin.ts')).pluginDescribe(context, flags)),
    );
  network('check', 'start a plugin aside, admit its tools, end it; what is in use stays as it is')
    .addOption(runner().makeOptionMandatory())
    .addOption(provider().makeOptionMandatory())
    .action((flags) => execute(async (context) => (await import('./plugin.ts')).pluginCheck(context, flags)));
  network('reload', 'replace all plugins of a Runner by what its runner.toml says now')
    .addOption(runner().makeOptionMandatory())
    .action((flags) =>
      execute(async (context) => (await import('./plugin.ts')).pluginReload(context, flags)),
    );
  network('call', 'describe a tool, then call it once; says how certain the outcome is')
    .addOption(runner().makeOptionMandatory())
    .addOption(provider().makeOptionMandatory())
    .addOption(tool().makeOptionMandatory())
    .addOption(
      valueFlag('--arguments <json>', 'arguments as JSON, @FILE, or - for standard input (default: {})'),
    )
    .action((flags) =>
      execute(async (context) => (await import('./plugin-call.ts')).pluginCall(context, flags)),
    );
  network('outcome', 'what became of a call, check or reload whose answer was lost; runs nothing')
    .addOption(valueFlag('--call <id>', 'the call that the answer named').makeOptionMandatory())
    .action((flags) =>
      execute(async (context) => (await import('./plugin-outcome.ts')).pluginOutcome(context, flags)),
    );
}
