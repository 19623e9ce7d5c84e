import { escapeHidden, replaceHidden } from '@fairlead/base';

/** What prose has beside letters: blanks, icons of a font, characters that are newer than this program. None drives a terminal or turns a line around. */
const OF_PROSE = /^[\p{Zs}\u2800\p{Co}[\p{Cn}--\p{Default_Ignorable_Code_Point}]]$/v;
/**
 * The zero-width joiner and non-joiner and the sixteen variation selectors: part of what scripts and emoji are made of, and drawn as nothing
 * elsewhere.
 */
const JOINS = /^(?:\u200c|\u200d|[\ufe00-\ufe0f])$/;
const PLAIN = /^[\n\x20-\x7e]*$/;

/** Code points that one character on the screen may be made of: a family of four with its joiners has seven. */
const clusterPoints = 8;

/** A character as its escape: `\u001b`, `\u{e0041}`. */
function escaped(character: string): string {
  const point = character.codePointAt(0) ?? 0;
  const hex = point.toString(16).padStart(4, '0');
  return point > 0xffff ? `\\u{${hex}}` : `\\u${hex}`;
}

function inLine(character: string): string {
  return OF_PROSE.test(character) ? character : escaped(character);
}

function inText(character: string): string {
  return character === '\n' || JOINS.test(character) ? character : inLine(character);
}

/**
 * Text of others, so that nothing in it can move a cursor, reorder a line or stand there unseen: each such character is written as its escape. Lines stay,
 * a tab is four blanks.
 */
export function visibleText(text: string): string {
  if (PLAIN.test(text)) return text;
  return boundedClusters(replaceHidden(text.replace(/\r\n?/g, '\n').replace(/\t/g, '    '), inText));
}

/** The same on one line, for names: breaks and tabs are escapes, too, and so are joiners and variation selectors. */
export function visibleLine(text: string): string {
  return boundedClusters(replaceHidden(text, inLine));
}

/** What somebody decides about: every character that is not seen, or seen as a blank and no space, is an escape of JSON. Lines stay. */
export function visibleExactly(text: string): string {
  return text.split('\n').map(visibleExactLine).join('\n');
}

/** The same on one line. */
export function visibleExactLine(text: string): string {
  return boundedClusters(escapeHidden(text));
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
