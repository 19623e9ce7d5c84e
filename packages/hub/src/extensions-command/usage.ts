import { nearestKey } from '@fairlead/base';
import { extensionErrors } from '@fairlead/extension/runtime';
import type { CommandAnswer } from './command-answer.ts';

/** Every sub-command, as it is typed. */
const USAGES = Object.freeze({
  list: '/extensions [list]',
  add: '/extensions add <name> [session|agent]',
  remove: '/extensions remove <name> [session|agent]',
  settings: '/extensions settings <name>',
  set: '/extensions set <name> <key> <value…>',
  unset: '/extensions unset <name> <key>',
  history: '/extensions history [name] [session|agent]',
});

/** The word behind `/extensions`. */
export type SubCommand = keyof typeof USAGES;

export function isSubCommand(word: string): word is SubCommand {
  return Object.hasOwn(USAGES, word);
}

/** A line that does not fit, with how this sub-command is typed. */
export function usageFault(sub: SubCommand, why: string): CommandAnswer {
  return fault(why, USAGES[sub]);
}

/** A word that is no sub-command, with all that there are. */
export function unknownSubCommand(word: string): CommandAnswer {
  const near = nearestKey(word, Object.keys(USAGES));
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  return fault(`there is no such sub-command${hint}`, Object.values(USAGES).join('\n'));
}

function fault(why: string, usage: string): CommandAnswer {
  const { message } = extensionErrors.command_usage;
  return { error: { code: 'command_usage', message: `${message} (${why})`, usage } };
}
