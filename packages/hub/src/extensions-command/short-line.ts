import { singleLine } from '@fairlead/base';
import { commandLimits } from '../limits.ts';

/** Any text as one line of at most 120 characters that a terminal shows as it stands; cut between characters, not within one. */
export function shortLine(text: string): string {
  const line = singleLine(text.slice(0, commandLimits.maxLooked)).replaceAll(/ {2,}/g, ' ').trim();
  const characters = Array.from(line);
  if (characters.length <= commandLimits.maxLine && text.length <= commandLimits.maxLooked)
    return line.toWellFormed();
  return `${characters
    .slice(0, commandLimits.maxLine - 1)
    .join('')
    .toWellFormed()}…`;
}
