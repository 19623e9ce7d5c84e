/**
 * What a terminal obeys or does not show: controls but the line feed, directions, separators, halves of characters, whatever is drawn as nothing. The
 * zero-width joiner and non-joiner and the sixteen variation selectors stay: scripts and emoji need them.
 */
const HIDDEN =
  /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]--[\n\u200c\u200d\ufe00-\ufe0f]]/gv;
/** Part of what scripts and emoji are made of, and drawn as nothing elsewhere. */
const UNSEEN = /\u200c|\u200d|[\ufe00-\ufe0f]/g;
const PLAIN = /^[\n\x20-\x7e]*$/;

/** Code points that one character on the screen may be made of: a family of four with its joiners has seven. */
const clusterPoints = 8;

/** A character as its escape: `\u001b`, `\u{e0041}`. */
function escaped(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  const hex = point.toString(16).padStart(4, '0');
  return point > 0xffff ? `\\u{${hex}}` : `\\u${hex}`;
}

/**
 * Text of others, so that nothing in it can move a cursor, reorder a line or stand there unseen: each such character is written as its escape. Lines stay,
 * a tab is four blanks.
 */
export function visibleText(text: string): string {
  if (PLAIN.test(text)) return text;
  return boundedClusters(text.replace(/\r\n?/g, '\n').replace(/\t/g, '    ').replace(HIDDEN, escaped));
}

/** The same for what somebody decides about: joiners and variation selectors are escapes, too. */
export function visibleExactly(text: string): string {
  return PLAIN.test(text) ? text : visibleText(text.replace(UNSEEN, escaped));
}

/** The same on one line, for names: breaks and tabs are escapes, too. */
export function visibleLine(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return boundedClusters(text.replace(/\n/g, escaped).replace(HIDDEN, escaped).replace(UNSEEN, escaped));
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** A pile of marks on one letter would cover the lines above: what is beyond a character’s own size is written as escapes. */
function boundedClusters(text: string): string {
  if (PLAIN.test(text)) return text;
  let bounded = '';
  for (const { segment } of segmenter.segment(text)) {
    if (segment.length <= clusterPoints) bounded += segment;
    else {
      const points = [...segment];
      bounded += points.slice(0, clusterPoints).join('') + points.slice(clusterPoints).map(escaped).join('');
    }
  }
  return bounded;
}

/** The characters of a text as people count them. */
export function clustersOf(text: string): string[] {
  if (PLAIN.test(text)) return text.split('');
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}
