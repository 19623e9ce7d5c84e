/** The words of a line, or why there are none. */
export type Words =
  | { readonly ok: true; readonly words: readonly Word[] }
  | { readonly ok: false; readonly message: string };

/** One word. A quoted one is never an option. */
export interface Word {
  readonly text: string;
  readonly quoted: boolean;
}

/**
 * Splits a line as a POSIX shell does: spaces part words; `'…'` keeps everything; `"…"` keeps everything but `\"`, `\\`, `\$`,
 * `` \` ``; a backslash outside quotes keeps the next character. Nothing is expanded.
 */
export function splitWords(line: string): Words {
  const words: Word[] = [];
  let text: string | undefined;
  let quoted = false;
  for (let index = 0; index < line.length; index += 1) {
    const character = line[index] as string;
    if (/\s/.test(character)) {
      if (text !== undefined) words.push({ text, quoted });
      text = undefined;
      quoted = false;
    } else if (character === '\\') {
      index += 1;
      if (index >= line.length) return { ok: false, message: 'a backslash ends the line' };
      text = (text ?? '') + line[index];
      quoted = true;
    } else if (character === "'" || character === '"') {
      const inner = quotedPart(line, index + 1, character);
      if (inner === undefined) return { ok: false, message: `a ${character} is not closed` };
      text = (text ?? '') + inner.text;
      quoted = true;
      index = inner.end;
    } else text = (text ?? '') + character;
  }
  if (text !== undefined) words.push({ text, quoted });
  return { ok: true, words };
}

/** What stands between quotes, and where the closing one is. */
function quotedPart(
  line: string,
  start: number,
  quote: string,
): { readonly text: string; readonly end: number } | undefined {
  let text = '';
  for (let index = start; index < line.length; index += 1) {
    const character = line[index] as string;
    if (character === quote) return { text, end: index };
    if (quote === '"' && character === '\\' && /["\\$`]/.test(line[index + 1] ?? '')) {
      index += 1;
      text += line[index];
    } else text += character;
  }
  return undefined;
}
