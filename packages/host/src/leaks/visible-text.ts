import { escapeHidden, type JsonObject } from '@fairlead/base';
import { displayLimits } from '../limits.ts';
import type { LeakDetector } from './leak-detector.ts';
import { maskSensitive } from './mask-sensitive.ts';

/**
 * A name that somebody claims, made safe to show: invisible characters become `\u202e` and the like, and it is cut at 48 characters with
 * `…` behind. For names only: what a person decides about is never cut.
 */
export function visibleName(name: string): string {
  const characters = [...name.slice(0, 2 * displayLimits.nameCharacters + 1).normalize('NFC')];
  const isCut =
    characters.length > displayLimits.nameCharacters || name.length > 2 * displayLimits.nameCharacters;
  const shown = characters.slice(0, displayLimits.nameCharacters).join('');
  return escapeHidden(shown) + (isCut ? '…' : '');
}

/** Words that somebody wrote, safe to show: line breaks and tabs stay, every other character that cannot be seen becomes its escape. */
export function visibleText(text: string): string {
  return text.replace(/[^\n\t]+/g, (line) => escapeHidden(line));
}

/** Arguments that were masked before, as `visibleArguments` shows them. */
export function visibleJson(value: JsonObject): string {
  // The line breaks of the layout are ours; those of the values are escapes already.
  return JSON.stringify(value, null, 2).replace(/[^\n]+/g, (line) => escapeHidden(line));
}

/**
 * Arguments for a person who decides about them: whole, sensitive ones masked with their length, what looks like a secret left out, and every
 * character that cannot be seen as an escape of JSON. The text is JSON again, so a line break in an argument and the letters `\n` in one
 * cannot be taken for each other. Null above 64 KiB of JSON (`arguments_too_large`): arguments are never cut.
 */
export function visibleArguments(
  args: JsonObject,
  sensitive: readonly string[],
  detector: LeakDetector,
): string | null {
  if (Buffer.byteLength(JSON.stringify(args)) > displayLimits.argumentBytes) return null;
  return visibleJson(detector.json(maskSensitive(args, sensitive)).value);
}
