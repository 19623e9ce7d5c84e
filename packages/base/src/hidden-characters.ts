/**
 * What a reader cannot see, or what changes what is around it: control and C1 characters, ESC among them, direction marks, joiners, tags and other
 * ignorables, separators, every blank but the space, halves of a pair, private use, what is not assigned.
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/** A text with what `shown` says in the place of each hidden character. Line breaks and tabs are hidden characters, too. */
export function replaceHidden(text: string, shown: (character: string) => string): string {
  return text.replace(HIDDEN, (character) => shown(character));
}

/** A text with the escape of JSON in the place of each hidden character: a text that is JSON says the same as before. */
export function escapeHidden(text: string): string {
  return replaceHidden(text, jsonEscape);
}

/** JSON has no other escape for a character of two units than those of its halves. */
function jsonEscape(character: string): string {
  let text = '';
  for (let at = 0; at < character.length; at += 1)
    text += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return text;
}
