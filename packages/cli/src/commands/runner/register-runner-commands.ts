import type { Command } from 'commander';
import { jsonFlag, noSystemProxyFlag, proxyFlag, stateDirFlag, valueFlag } from '../../flags.ts';
import type { Execute } from '../execute.ts';
import { throughGateway } from '../gateway-command.ts';

/** Runners: run one, pair and join another machine, look at and change what is in force. */
export function registerRunnerCommands(program: Command, execute: Execute): void {
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
      execute(async (context) => (await import('./runner-run.ts')).runnerRun(context, flags)),
    );
  runner
    .command('pair')
    .description('on the gateway: print a code by which another machine becomes a Runner, once')
    .addOption(valueFlag('--runner <id>', 'its Runner id (default: a new one)'))
    .addOption(valueFlag('--name <name>', 'what its token is called'))
    .addOption(stateDirFlag())
    .addOption(jsonFlag())
    .action((flags) =>
      execute(async (context) => (await import('./runner-pair.ts')).runnerPair(context, flags)),
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
        (await import('./runner-join.ts')).runnerJoin(context, { url, code }, flags),
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
    execute(async (context) => (await import('./runner-local.ts')).runnerStatus(context, flags)),
  );
  local('stderr', 'the last lines that a plugin wrote to stderr, on the Runner’s machine only')
    .argument('<plugin>', 'plugin id')
    .action((plugin: string, flags) =>
      execute(async (context) => (await import('./runner-local.ts')).runnerStderr(context, plugin, flags)),
    );
  const configured = (name: string, description: string) =>
    throughGateway(runner, name, description).addOption(
      valueFlag('--runner <id>', 'exact Runner id').makeOptionMandatory(),
    );
  configured('check-config', 'say what of a Runner’s runner.toml differs from what is in force').action(
    (flags) =>
      execute(async (context) => (await import('./runner-config.ts')).runnerCheckConfig(context, flags)),
  );
  configured('reload-config', 'put a Runner’s whole runner.toml in force, or change nothing').action(
    (flags) =>
      execute(async (context) => (await import('./runner-config.ts')).runnerReloadConfig(context, flags)),
  );
}
