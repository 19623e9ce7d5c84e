import { Command, InvalidArgumentError, Option } from 'commander';
import type { CommandContext } from './command-context.ts';
import { readVersion } from './version.ts';

/** Sets the exit status of the process. */
export type SetExit = (code: number) => void;

/**
 * The command tree. Only names, flags and help live here; each action imports its own module when it runs, so that
 * `fairlead --help` reads nothing else.
 */
export function buildProgram(context: CommandContext, exit: SetExit): Command {
  const program = new Command('fairlead');
  program
    .description('A self-hosted capability host for AI agents: run local programs as tools, safely.')
    .version(readVersion())
    .exitOverride()
    .showHelpAfterError('(`fairlead help` lists the commands)')
    .configureOutput({ writeOut: (text) => context.stdout(text), writeErr: (text) => context.stderr(text) });

  addHostCommands(program, context, exit);
  addRunnerCommands(program, context, exit);
  addTokenCommands(program, context, exit);
  addPluginCommands(program, context, exit);
  for (const command of everyCommand(program)) {
    command.exitOverride().configureOutput({
      writeOut: (text) => context.stdout(text),
      writeErr: (text) => context.stderr(text),
    });
  }
  return program;
}

function* everyCommand(command: Command): Generator<Command> {
  for (const child of command.commands) {
    yield child;
    yield* everyCommand(child);
  }
}

/** An option that may be given once; a second time is a mistake, not an override. */
function once(
  flags: string,
  description: string,
  parse: (value: string) => unknown = (value) => value,
): Option {
  let given = false;
  return new Option(flags, description).argParser((value: string) => {
    if (given) throw new InvalidArgumentError('it was given twice');
    given = true;
    return parse(value);
  });
}

function port(value: string): number {
  const number = Number(value);
  if (!/^\d{1,5}$/.test(value) || number > 65_535)
    throw new InvalidArgumentError('a port is a number from 0 to 65535');
  return number;
}

function nonEmpty(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('it must not be empty');
  return value;
}

const stateDir = () => once('--state-dir <dir>', 'state directory (FAIRLEAD_STATE_DIR)', nonEmpty);
const json = () => new Option('--json', 'print one JSON object on stdout');

function addHostCommands(program: Command, context: CommandContext, exit: SetExit): void {
  const listening = (command: Command) =>
    command
      .addOption(stateDir())
      .addOption(once('--config <file>', 'fairlead.toml to read', nonEmpty))
      .addOption(once('--bind <address>', 'address to listen on (FAIRLEAD_BIND)', nonEmpty))
      .addOption(once('--port <port>', 'port to listen on; 0 takes a free one (FAIRLEAD_PORT)', port))
      .option('--allow-remote', 'listen on an address that other machines reach, without TLS')
      .addOption(json());
  listening(program.command('up').description('start a gateway and a Runner on this machine'))
    .addOption(once('--runner-config <file>', 'runner.toml of the Runner', nonEmpty))
    .option('--examples', 'write a first runner.toml with the example plugins where there is none')
    .action(async (flags) => exit(await (await import('./commands/up.ts')).up(context, flags)));
  listening(program.command('serve').description('start a gateway alone; Runners dial in')).action(
    async (flags) => exit(await (await import('./commands/up.ts')).serve(context, flags)),
  );
  program
    .command('status')
    .description('say what runs on this state directory (exit 3: nothing)')
    .addOption(stateDir())
    .addOption(json())
    .action(async (flags) => exit(await (await import('./commands/status.ts')).status(context, flags)));
  program
    .command('stop')
    .description('stop what runs on this state directory')
    .addOption(stateDir())
    .action(async (flags) => exit(await (await import('./commands/stop.ts')).stop(context, flags)));
  program
    .command('config')
    .description('the host configuration')
    .command('show')
    .description('print every value and where it came from')
    .addOption(stateDir())
    .addOption(once('--config <file>', 'fairlead.toml to read', nonEmpty))
    .addOption(json())
    .action(async (flags) =>
      exit(await (await import('./commands/config-show.ts')).configShow(context, flags)),
    );
}

function addRunnerCommands(program: Command, context: CommandContext, exit: SetExit): void {
  const runner = program.command('runner').description('a Runner: local programs, served to a gateway');
  runner
    .command('run')
    .description('run a Runner that dials a gateway')
    .addOption(stateDir())
    .addOption(once('--config <file>', 'runner.toml to read', nonEmpty))
    .addOption(once('--server-url <url>', 'the gateway', nonEmpty))
    .addOption(once('--token-file <file>', 'file that holds the Runner token', nonEmpty))
    .action(async (flags) =>
      exit(await (await import('./commands/runner-run.ts')).runnerRun(context, flags)),
    );
  runner
    .command('status')
    .description('the providers of a Runner on this machine')
    .addOption(stateDir())
    .addOption(once('--runner <id>', 'Runner id, where several run here', nonEmpty))
    .addOption(json())
    .action(async (flags) =>
      exit(await (await import('./commands/runner-local.ts')).runnerStatus(context, flags)),
    );
  runner
    .command('stderr')
    .argument('<plugin>', 'provider id')
    .description("the last lines of a provider's stderr, on the Runner's machine only")
    .addOption(stateDir())
    .addOption(once('--runner <id>', 'Runner id, where several run here', nonEmpty))
    .addOption(json())
    .action(async (plugin: string, flags) =>
      exit(await (await import('./commands/runner-local.ts')).runnerStderr(context, plugin, flags)),
    );
}

function addTokenCommands(program: Command, context: CommandContext, exit: SetExit): void {
  const token = program.command('token').description('personal tokens and Runner tokens');
  token
    .command('create')
    .description('make a token and print it once')
    .addOption(stateDir())
    .addOption(once('--name <name>', 'what it is for', nonEmpty))
    .addOption(once('--scopes <scopes>', 'comma-separated scopes of a personal token', nonEmpty))
    .addOption(once('--runners <ids>', 'limit a personal token to these Runners', nonEmpty))
    .addOption(once('--runner <id>', 'make a Runner token for this Runner id instead', nonEmpty))
    .addOption(once('--expires <time>', 'lifetime such as 90d, 12h, 30m', nonEmpty))
    .addOption(json())
    .action(async (flags) => exit(await (await import('./commands/token.ts')).tokenCreate(context, flags)));
  token
    .command('list')
    .description('list tokens; never their secrets')
    .addOption(stateDir())
    .addOption(json())
    .action(async (flags) => exit(await (await import('./commands/token.ts')).tokenList(context, flags)));
  token
    .command('revoke')
    .argument('<id>', 'token id, as `token list` shows it')
    .description('revoke a token, at once')
    .addOption(stateDir())
    .addOption(json())
    .action(async (id: string, flags) =>
      exit(await (await import('./commands/token.ts')).tokenRevoke(context, id, flags)),
    );
}

function addPluginCommands(program: Command, context: CommandContext, exit: SetExit): void {
  const plugin = program.command('plugin').description('native plugins, through a gateway');
  const network = (name: string, description: string) =>
    plugin
      .command(name)
      .description(description)
      .addOption(stateDir())
      .addOption(
        once('--server-url <url>', 'the gateway (default: the one of this state directory)', nonEmpty),
      )
      .addOption(once('--token-file <file>', 'file that holds the token', nonEmpty))
      .addOption(once('--token <token>', 'the token itself (a file is safer)', nonEmpty))
      .addOption(json());
  const runner = () => once('--runner <id>', 'exact Runner id', nonEmpty);
  const provider = () => once('--plugin <id>', 'provider id', nonEmpty);
  const tool = () => once('--tool <name>', 'tool name', nonEmpty);
  network('list', 'list Runners, a Runner’s providers, or a provider’s tools')
    .addOption(runner())
    .addOption(provider())
    .action(async (flags) => exit(await (await import('./commands/plugin.ts')).pluginList(context, flags)));
  network('describe', 'show one tool whole and make a binding for it')
    .addOption(runner().makeOptionMandatory())
    .addOption(provider().makeOptionMandatory())
    .addOption(tool().makeOptionMandatory())
    .action(async (flags) =>
      exit(await (await import('./commands/plugin.ts')).pluginDescribe(context, flags)),
    );
  network('check', 'start a provider aside, admit its catalog, end it; changes nothing')
    .addOption(runner().makeOptionMandatory())
    .addOption(provider().makeOptionMandatory())
    .action(async (flags) => exit(await (await import('./commands/plugin.ts')).pluginCheck(context, flags)));
  network('reload', 'replace a Runner’s whole provider set from its runner.toml')
    .addOption(runner().makeOptionMandatory())
    .action(async (flags) => exit(await (await import('./commands/plugin.ts')).pluginReload(context, flags)));
  network('call', 'describe a tool, then call it once; says how certain the outcome is')
    .addOption(runner().makeOptionMandatory())
    .addOption(provider().makeOptionMandatory())
    .addOption(tool().makeOptionMandatory())
    .addOption(once('--arguments <json>', 'arguments as JSON, @FILE, or - for standard input (default {})'))
    .action(async (flags) =>
      exit(await (await import('./commands/plugin-call.ts')).pluginCall(context, flags)),
    );
}
