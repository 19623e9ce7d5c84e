import { agentCommand } from './agent-command.ts';
import { approvalsCommand, decisionCommands } from './approvals-command.ts';
import { costsCommand } from './costs-command.ts';
import { namesElsewhere } from './elsewhere.ts';
import { extensionsCommand } from './extensions-command.ts';
import { helpCommand } from './help-command.ts';
import type { HostCommand } from './host-command.ts';
import { infoCommands } from './info-command.ts';
import { modelCommands } from './model-commands.ts';
import { newCommand } from './new-command.ts';
import { printCommand } from './print-command.ts';
import { sessionCommands } from './session-commands.ts';
import { turnCommands } from './turn-commands.ts';

/** Every command of the host, in the order of `/help`. */
export const commandTable: readonly HostCommand[] = [
  helpCommand,
  newCommand,
  ...sessionCommands,
  ...infoCommands,
  printCommand,
  costsCommand,
  ...turnCommands,
  approvalsCommand,
  ...decisionCommands,
  agentCommand,
  ...modelCommands,
  extensionsCommand,
];

/** By name or alias. */
export function findCommand(name: string): HostCommand | undefined {
  return commandTable.find((command) => command.name === name || command.aliases.includes(name));
}

/** Names and aliases of everything that runs here. */
export function hostNames(): readonly string[] {
  return commandTable.flatMap(({ name, aliases }) => [name, ...aliases]);
}

/** What no extension may call a command: what runs here, and what the host keeps for elsewhere. The hub’s `RESERVED_COMMANDS` are the same. */
export function reservedNames(): readonly string[] {
  return [...hostNames(), ...namesElsewhere];
}
