import { FairleadError, nearestKey, singleLine } from '@fairlead/base';
import { ExtensionError } from '@fairlead/extension';
import { extensionErrors } from '@fairlead/extension/runtime';
import { hostErrors } from '../errors.ts';
import type { CommandAnswer } from './command-answer.ts';

/** A line that does not fit, with how the command is typed. */
export function usageFault(why: string, usage: string): CommandAnswer {
  const message = `${extensionErrors.command_usage.message} (${shown(why)})`;
  return { error: { code: 'command_usage', message, usage, certainty: 'not_started' } };
}

/** A refusal by one of the host's codes. */
export function refusal(code: keyof typeof hostErrors, what: string): CommandAnswer {
  const message = `${hostErrors[code].message} (${shown(what)})`;
  return { error: { code, message, certainty: 'not_started' } };
}

/** A name that nobody has, with the nearest of those that somebody has. */
export function unknownCommand(name: string, known: Iterable<string>): CommandAnswer {
  const near = nearestKey(name, known);
  const hint = near === undefined ? '' : `; did you mean /${near}?`;
  const message = `${extensionErrors.unknown_command.message} (/${shown(name.slice(0, 48))}${hint})`;
  return { error: { code: 'unknown_command', message, certainty: 'not_started' } };
}

/** What a command threw, where it has a code; what has none is a fault of the host. */
export function faultAnswer(error: unknown): CommandAnswer {
  if (error instanceof FairleadError) {
    const { code, message, detail } = error;
    return { error: { code, message: shown(message), ...(detail === undefined ? {} : { detail }) } };
  }
  if (error instanceof ExtensionError) return { error: { code: error.code, message: shown(error.message) } };
  throw error;
}

/** Words that may hold what somebody typed, as a terminal can show them. */
export function shown(text: string): string {
  const line = singleLine(text.slice(0, 1000)).toWellFormed();
  return text.length > 1000 ? `${line}…` : line;
}
