import { wireLimits } from '../limits.ts';

/** A foreign text in a message for people: one line, cut, what cannot be seen written out. */
export function foreignText(text: string): string {
  const line = text
    .slice(0, wireLimits.foreignText * 2)
    .toWellFormed()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '?')
    .trim();
  return line.length <= wireLimits.foreignText
    ? line
    : `${line.slice(0, wireLimits.foreignText - 1).toWellFormed()}…`;
}

/** What an error says, where it is one. */
export function thrownText(thrown: unknown): string {
  return foreignText(thrownWhole(thrown));
}

/** The same before it is cut, for whoever masks something in it. */
export function thrownWhole(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : 'something that is no error was thrown';
}
