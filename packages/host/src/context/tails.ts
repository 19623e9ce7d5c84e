import type { OwnedText } from '@fairlead/extension/runtime';
import { escapeMarks } from '../models/tool-text.ts';

/** Blocks of extensions as they stand behind a user's text: each marked as the extension's, and nothing in it ends the mark. */
export function tailText(tails: readonly OwnedText[]): string {
  return tails
    .filter(({ text }) => text.trim() !== '')
    .map(({ owner, text }) => `<context name="${owner}">\n${escapeMarks(text)}\n</context>`)
    .join('\n');
}
