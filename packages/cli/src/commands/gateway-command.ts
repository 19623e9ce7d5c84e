import type { Command } from 'commander';
import { jsonFlag, noSystemProxyFlag, proxyFlag, stateDirFlag, valueFlag } from '../flags.ts';

/** A command that asks a gateway and prints its answer, with the flags that say which one. */
export function throughGateway(parent: Command, name: string, description: string): Command {
  return toGateway(parent, name, description).addOption(jsonFlag());
}

/** A command that speaks to a gateway. */
export function toGateway(parent: Command, name: string, description: string): Command {
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
