import { Command, Option } from 'commander';
import type { CommandContext, CommandOutput } from './command-context.ts';
import {
  jsonFlag,
  linesFlag,
  noSystemProxyFlag,
  portFlag,
  proxyFlag,
  stateDirFlag,
  valueFlag,
} from './flags.ts';
import { readVersion } from './version.ts';

/** Carries out what was asked for; the promise that `command` gives is of the exit status. */
export type Execute = (command: (context: CommandContext) => Promise<number>) => void | Promise<void>;

/**
 * The command tree. Only names, flags and help live here; each action imports its own module when it runs, so that
 * `fairlead --help` reads nothing else.
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
      outputError: (text, write) => write(withoutTokens(text.replace(/^error: /, 'fairlead: '))),
    })
    .addHelpText(
      'after',
      '\nBegin with `fairlead up`. `fairlead COMMAND --help` shows what a command takes.',
    );
  addHostCommands(program, execute);
  addTroubleCommands(program, execute);
  addRunnerCommands(program, execute);
  addTokenCommands(program, execute);
  addPluginCommands(program, execute);
  addMcpCommand(program, execute);
  refuseRepeatedFlags(program);
  return program;
}

/** What somebody typed in the wrong place is shown back; a token is not. */
function withoutTokens(text: string): string {
  return text.replace(/fairlead_(pat|runner)_[\w-]+/g, 'fairlead_$1_…');
}

/** A flag that is given twice is a mistake, not an override. Its values are not repeated: one may be a token. */
function refuseRepeatedFlags(command: Command): void {
  for (const option of command.options) {
    let isGiven = false;
    command.on(`option:${option.name()}`, () => {
      if (isGiven) command.error(`error: option '${option.long}' was given twice`);
      isGiven = true;
    });
  }
  for (const child of command.commands) refuseRepeatedFlags(child);
}

function addHostCommands(program: Command, execute: Execute): void {
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
    .action((flags) => execute(async (context) => (await import('./commands/up.ts')).up(context, flags)));
  listening('serve', 'start a gateway alone; Runners dial in').action((flags) =>
    execute(async (context) => (await import('./commands/up.ts')).serve(context, flags)),
  );
  program
    .command('status')
    .description('say what runs on this state directory (exit 3: nothing)')
    .addOption(stateDirFlag())
    .addOption(jsonFlag())
    .action((flags) =>
      execute(async (context) => (await import('./commands/status.ts')).status(context, flags)),
    );
  program
    .command('stop')
    .description('stop what runs on this state directory')
    .addOption(stateDirFlag())
    .action((flags) => execute(async (context) => (await import('./commands/stop.ts')).stop(context, flags)));
  program
    .command('config')
    .description('what a host would run with')
    .command('show')
    .description('print every value and where it came from')
    .addOption(stateDirFlag())
    .addOption(valueFlag('--config <file>', 'fairlead.toml to read'))
    .addOption(jsonFlag())
    .action((flags) =>
      execute(async (context) => (await import('./commands/config-show.ts')).configShow(context, flags)),
    );
}

function addTroubleCommands(program: Command, execute: Execute): void {
  program
    .command('doctor')
    .description('find what keeps things from working, and say how to mend it')
    .addOption(stateDirFlag())
    .addOption(valueFlag('--config <file>', 'fairlead.toml to read'))
    .addOption(valueFlag('--runner-config <file>', 'runner.toml to look at'))
    .addOption(jsonFlag())
    .action((flags) =>
      execute(async (context) => (await import('./commands/doctor.ts')).doctor(context, flags)),
    );
  program
    .command('logs')
    .description('show the log of the host, or of a Runner of this machine')
    .option('-f, --follow', 'go on with what is written, until Ctrl-C')
    .addOption(linesFlag())
    .addOption(valueFlag('--runner <id>', 'a Runner that runs in a process of its own'))
    .addOption(stateDirFlag())
    .addOption(new Option('--json', 'the lines as they were written, one JSON object each'))
    .action((flags) => execute(async (context) => (await import('./commands/logs.ts')).logs(context, flags)));
}

function addRunnerCommands(program: Command, execute: Execute): void {
  const runner = program.command('runner').description('a Runner: local programs, served to a gateway');
  runner
    .command('run')
    .description('run a Runner that dials a gateway')
    .addOption(stateDirFlag())
    .addOption(valueFlag('--config <file>', 'runner.toml to read'))
    .addOption(valueFlag('--server-url <url>', 'the gateway (default: server_url of runner.toml)'))
    .addOption(valueFlag('--token-file <file>', 'file that holds the Runner token (FAIRLEAD_RUNNER_TOKEN)'))
    .addOption(proxyFlag())
    .addOption(noSystemProxyFlag())
    .action((flags) =>
      execute(async (context) => (await import('./commands/runner-run.ts')).runnerRun(context, flags)),
    );
  runner
    .command('pair')
    .description('on the gateway: print a code by which another machine becomes a Runner, once')
    .addOption(valueFlag('--runner <id>', 'its Runner id (default: a new one)'))
    .addOption(valueFlag('--name <name>', 'what its token is called'))
    .addOption(stateDirFlag())
    .addOption(jsonFlag())
    .action((flags) =>
      execute(async (context) => (await import('./commands/runner-pair.ts')).runnerPair(context, flags)),
    );
  runner
    .command('join')
    .argument('<url>', 'the gateway')
    .argument('<code>', 'what `runner pair` printed there')
    .description('on another machine: write runner.toml and the token for a code, then run')
    .addOption(stateDirFlag())
    .option('--no-start', 'write the files and end')
    .option('--allow-insecure', 'send code and token over plain http to another machine')
    .addOption(proxyFlag())
    .addOption(noSystemProxyFlag())
    .action((url: string, code: string, flags) =>
      execute(async (context) =>
        (await import('./commands/runner-join.ts')).runnerJoin(context, { url, code }, flags),
      ),
    );
  const local = (name: string, description: string) =>
    runner
      .command(name)
      .description(description)
      .addOption(stateDirFlag())
      .addOption(valueFlag('--runner <id>', 'Runner id, where several run here'))
      .addOption(jsonFlag());
  local('status', 'the plugins of a Runner on this machine').action((flags) =>
    execute(async (context) => (await import('./commands/runner-local.ts')).runnerStatus(context, flags)),
  );
  local('stderr', 'the last lines that a plugin wrote to stderr, on the Runner’s machine only')
    .argument('<plugin>', 'plugin id')
    .action((plugin: string, flags) =>
      execute(async (context) =>
        (await import('./commands/runner-local.ts')).runnerStderr(context, plugin, flags),
      ),
    );
  const configured = (name: string, description: string) =>
    throughGateway(runner, name, description).addOption(
      valueFlag('--runner <id>', 'exact Runner id').makeOptionMandatory(),
    );
  configured('check-config', 'say what of a Runner’s runner.toml differs from what is in force').action(
    (flags) =>
      execute(async (context) =>
        (await import('./commands/runner-config.ts')).runnerCheckConfig(context, flags),
      ),
  );
  configured('reload-config', 'put a Runner’s whole runner.toml in force, or change nothing').action(
    (flags) =>
      execute(async (context) =>
        (await import('./commands/runner-config.ts')).runnerReloadConfig(context, flags),
      ),
  );
}

function addTokenCommands(program: Command, execute: Execute): void {
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
    .action((flags) =>
      execute(async (context) => (await import('./commands/token.ts')).tokenCreate(context, flags)),
    );
  token
    .command('list')
    .description('list tokens; never their secrets')
    .addOption(stateDirFlag())
    .addOption(jsonFlag())
    .action((flags) =>
      execute(async (context) => (await import('./commands/token.ts')).tokenList(context, flags)),
    );
  token
    .command('revoke')
    .argument('<id>', 'token id, as `token list` shows it')
    .description('revoke a token, at once')
    .addOption(stateDirFlag())
    .addOption(jsonFlag())
    .action((id: string, flags) =>
      execute(async (context) => (await import('./commands/token.ts')).tokenRevoke(context, id, flags)),
    );
}

/** A command that asks a gateway and prints its answer, with the flags that say which one. */
function throughGateway(parent: Command, name: string, description: string): Command {
  return toGateway(parent, name, description).addOption(jsonFlag());
}

/** A command that speaks to a gateway. */
function toGateway(parent: Command, name: string, description: string): Command {
  return parent
    .command(name)
    .description(description)
    .addOption(stateDirFlag())
    .addOption(valueFlag('--server-url <url>', 'the gateway (default: the one of this state directory)'))
    .addOption(valueFlag('--token-file <file>', 'file that holds the token'))
    .addOption(
      valueFlag('--token <token>', 'the token itself (a file is safer; FAIRLEAD_TOKEN, FAIRLEAD_PAT)'),
    )
    .addOption(valueFlag('--env-file <file>', 'file of NAME=value lines that may hold the token'))
    .addOption(proxyFlag())
    .addOption(noSystemProxyFlag());
}

function addPluginCommands(program: Command, execute: Execute): void {
  const plugin = program.command('plugin').description('native plugins, through a gateway');
  const network = (name: string, description: string) => throughGateway(plugin, name, description);
  plugin
    .command('init')
    .argument('<dir>', 'folder to make; its name is the id unless --id gives one')
    .description('make a TypeScript plugin to build upon; registers and starts nothing')
    .addOption(valueFlag('--id <id>', 'plugin id'))
    .action((dir: string, flags) =>
      execute(async (context) => (await import('./commands/plugin-init.ts')).pluginInit(context, dir, flags)),
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
      execute(async (context) => (await import('./commands/plugin-add.ts')).pluginAdd(context, words, flags)),
    );
  const runner = () => valueFlag('--runner <id>', 'exact Runner id');
  const provider = () => valueFlag('--plugin <id>', 'plugin id');
  const tool = () => valueFlag('--tool <name>', 'tool name');
  network('list', 'list Runners, a Runner’s plugins (--runner), or a plugin’s tools (--runner --plugin)')
    .addOption(runner())
    .addOption(provider())
    .action((flags) =>
      execute(async (context) => (await import('./commands/plugin.ts')).pluginList(context, flags)),
    );
  network('describe', 'show one tool whole and make a binding for it')
    .addOption(runner().makeOptionMandatory())
    .addOption(provider().makeOptionMandatory())
    .addOption(tool().makeOptionMandatory())
    .action((flags) =>
      execute(async (context) => (await import('./commands/plugin.ts')).pluginDescribe(context, flags)),
    );
  network('check', 'start a plugin aside, admit its tools, end it; what is in use stays as it is')
    .addOption(runner().makeOptionMandatory())
    .addOption(provider().makeOptionMandatory())
    .action((flags) =>
      execute(async (context) => (await import('./commands/plugin.ts')).pluginCheck(context, flags)),
    );
  network('reload', 'replace all plugins of a Runner by what its runner.toml says now')
    .addOption(runner().makeOptionMandatory())
    .action((flags) =>
      execute(async (context) => (await import('./commands/plugin.ts')).pluginReload(context, flags)),
    );
  network('call', 'describe a tool, then call it once; says how certain the outcome is')
    .addOption(runner().makeOptionMandatory())
    .addOption(provider().makeOptionMandatory())
    .addOption(tool().makeOptionMandatory())
    .addOption(
      valueFlag('--arguments <json>', 'arguments as JSON, @FILE, or - for standard input (default: {})'),
    )
    .action((flags) =>
      execute(async (context) => (await import('./commands/plugin-call.ts')).pluginCall(context, flags)),
    );
  network('outcome', 'what became of a call, check or reload whose answer was lost; runs nothing')
    .addOption(valueFlag('--call <id>', 'the call that the answer named').makeOptionMandatory())
    .action((flags) =>
      execute(async (context) =>
        (await import('./commands/plugin-outcome.ts')).pluginOutcome(context, flags),
      ),
    );
}

function addMcpCommand(program: Command, execute: Execute): void {
  toGateway(
    program,
    'mcp',
    'serve the gateway’s tools over MCP on stdin and stdout, for clients that start their servers',
  ).action((flags) => execute(async (context) => (await import('./commands/mcp.ts')).mcp(context, flags)));
}
