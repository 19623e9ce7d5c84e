import { isJsonObject, type Json } from '@fairlead/base';

/**
 * What no reader sees, or what changes how others read: controls, direction marks, joiners, tags, fillers, variation selectors and whatever else is
 * drawn as nothing, separators of lines, halves of a pair, what is not assigned. Line breaks and tabs are none of it.
 */
const UNSEEN = /(?![\n\t])[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** The same but for what words and emoji of honest values are made of: joiners, two selectors, what a newer Unicode has. */
const HIDING =
  /(?![\n\r\t]|\u200c|\u200d|\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** A foreign text as a model is shown it: without what nobody sees. */
export function seenText(text: string): string {
  return text.toWellFormed().replace(UNSEEN, '');
}

/** The same within a length, in UTF-16 units. */
export function readable(text: string, length: number): string {
  const seen = seenText(text);
  return seen.length <= length ? seen : `${seen.slice(0, length - 1).toWellFormed()}…`;
}

/** JSON with each character that nobody sees as its escape: it is the same JSON. */
export function visibleJson(json: string): string {
  return json.replace(UNSEEN, (character) => {
    let text = '';
    for (let at = 0; at < character.length; at += 1)
      text += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
    return text;
  });
}

/** Whether a value that cannot be shown otherwise than it is hides something from whoever reads it. */
export function hidesSomething(value: Json): boolean {
  if (typeof value === 'string') return HIDING.test(value);
  if (Array.isArray(value)) return (value as readonly Json[]).some(hidesSomething);
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(([key, member]) => HIDING.test(key) || hidesSomething(member));
}
