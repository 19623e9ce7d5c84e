import { clusterCells } from '../text/cells.ts';
import { clustersOf, visibleLine, visibleText } from '../text/visible-text.ts';

/** A text that is being written. `cursor` stands before a character, never within one. */
export type Editor = {
  readonly text: string;
  readonly cursor: number;
  /** What was cut last. */
  readonly cut: string;
};

/** What an entry may have, in UTF-16 units. */
const editorCharacters = 65_536;

export const emptyEditor: Editor = { text: '', cursor: 0, cut: '' };

/** A text that is taken up, the cursor at its end. */
export function editorWith(text: string, cut = ''): Editor {
  const kept = text.length <= editorCharacters ? text : wholeUpTo(text, editorCharacters);
  return { text: kept, cursor: kept.length, cut };
}

/** Never between the two halves of one character. */
function wholeUpTo(text: string, end: number): string {
  return text.slice(0, /[\ud800-\udbff]/.test(text[end - 1] ?? '') ? end - 1 : end);
}

/** Puts a text in; what is beyond the bound is left out. Controls other than breaks and tabs go: nobody typed them. */
export function insert({ text, cursor, cut }: Editor, added: string): Editor {
  const clean = added.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
  const kept = wholeUpTo(clean, Math.min(clean.length, Math.max(0, editorCharacters - text.length)));
  const whole = text.slice(0, cursor) + kept + text.slice(cursor);
  return { text: whole, cursor: atBoundary(whole, cursor + kept.length), cut };
}

/** The first boundary of characters at or behind a place: what was put in may have joined what stands behind it. */
function atBoundary(text: string, place: number): number {
  for (const [start, end] of boundaries(text)) if (place > start && place < end) return end;
  return Math.min(Math.max(place, 0), text.length);
}

function* boundaries(text: string): Generator<readonly [number, number]> {
  let start = 0;
  for (const cluster of clustersOf(text)) {
    yield [start, start + cluster.length];
    start += cluster.length;
  }
}

function before({ text, cursor }: Editor): number {
  let place = 0;
  for (const [start, end] of boundaries(text)) {
    if (end >= cursor) return start;
    place = end;
  }
  return place;
}

function after({ text, cursor }: Editor): number {
  for (const [, end] of boundaries(text)) if (end > cursor) return end;
  return text.length;
}

function lineStart({ text, cursor }: Editor): number {
  return text.lastIndexOf('\n', cursor - 1) + 1;
}

function lineEnd({ text, cursor }: Editor): number {
  const end = text.indexOf('\n', cursor);
  return end === -1 ? text.length : end;
}

function wordBefore({ text, cursor }: Editor): number {
  const found = /\S+\s*$/.exec(text.slice(0, cursor));
  return found === null ? 0 : found.index;
}

function wordAfter({ text, cursor }: Editor): number {
  return cursor + (/^\s*\S+/.exec(text.slice(cursor))?.[0].length ?? text.length - cursor);
}

function to(editor: Editor, place: number): Editor {
  return { ...editor, cursor: atBoundary(editor.text, place) };
}

function without(editor: Editor, start: number, end: number, isCut: boolean): Editor {
  const text = editor.text.slice(0, start) + editor.text.slice(end);
  const cut = isCut && end > start ? editor.text.slice(start, end) : editor.cut;
  return { text, cursor: atBoundary(text, start), cut };
}

/** The cursor a line up or down, at the same character of it; null where there is no such line. */
export function lineAway(editor: Editor, way: -1 | 1): Editor | null {
  const start = lineStart(editor);
  const end = lineEnd(editor);
  if (way === -1 && start === 0) return null;
  if (way === 1 && end === editor.text.length) return null;
  const offset = editor.cursor - start;
  const otherStart = way === -1 ? lineStart({ ...editor, cursor: start - 1 }) : end + 1;
  const otherEnd = lineEnd({ ...editor, cursor: otherStart });
  return to(editor, Math.min(otherStart + offset, otherEnd));
}

const EDITS: Readonly<Record<string, (editor: Editor) => Editor>> = {
  left: (editor) => ({ ...editor, cursor: before(editor) }),
  'ctrl-b': (editor) => ({ ...editor, cursor: before(editor) }),
  right: (editor) => ({ ...editor, cursor: after(editor) }),
  'ctrl-f': (editor) => ({ ...editor, cursor: after(editor) }),
  home: (editor) => to(editor, lineStart(editor)),
  'ctrl-a': (editor) => to(editor, lineStart(editor)),
  end: (editor) => to(editor, lineEnd(editor)),
  'ctrl-e': (editor) => to(editor, lineEnd(editor)),
  'ctrl-left': (editor) => to(editor, wordBefore(editor)),
  'alt-left': (editor) => to(editor, wordBefore(editor)),
  'alt-b': (editor) => to(editor, wordBefore(editor)),
  'ctrl-right': (editor) => to(editor, wordAfter(editor)),
  'alt-right': (editor) => to(editor, wordAfter(editor)),
  'alt-f': (editor) => to(editor, wordAfter(editor)),
  backspace: (editor) => without(editor, before(editor), editor.cursor, false),
  'shift-backspace': (editor) => without(editor, before(editor), editor.cursor, false),
  delete: (editor) => without(editor, editor.cursor, after(editor), false),
  'ctrl-d': (editor) => without(editor, editor.cursor, after(editor), false),
  'ctrl-w': (editor) => without(editor, wordBefore(editor), editor.cursor, true),
  'alt-backspace': (editor) => without(editor, wordBefore(editor), editor.cursor, true),
  'alt-d': (editor) => without(editor, editor.cursor, wordAfter(editor), true),
  'ctrl-u': (editor) => without(editor, lineStart(editor), editor.cursor, true),
  'ctrl-k': (editor) => {
    const end = lineEnd(editor);
    return without(editor, editor.cursor, end === editor.cursor ? after(editor) : end, true);
  },
  'ctrl-y': (editor) => insert(editor, editor.cut),
  'alt-enter': (editor) => insert(editor, '\n'),
  'shift-enter': (editor) => insert(editor, '\n'),
  'ctrl-j': (editor) => insert(editor, '\n'),
};

/** What a key does to the text; null where it is no key of an editor. */
export function edit(editor: Editor, key: string): Editor | null {
  return Object.hasOwn(EDITS, key) ? (EDITS[key]?.(editor) ?? null) : null;
}

/** The text as rows of a screen, each no wider than `cells`, and where the cursor stands in them. */
export function editorRows(
  { text, cursor }: Editor,
  cells: number,
): {
  readonly rows: readonly (readonly [before: string, after: string])[];
  readonly row: number;
  readonly cells: number;
} {
  const width = Math.max(cells, 2);
  const rows: [string, string][] = [['', '']];
  let taken = 0;
  let place = 0;
  let at: { row: number; cells: number } | null = null;
  const put = (shown: string, wide: number) => {
    if (taken + wide > width - 1) {
      rows.push(['', '']);
      taken = 0;
    }
    const last = rows[rows.length - 1] as [string, string];
    if (at === null && place >= cursor) at = { row: rows.length - 1, cells: taken };
    last[at !== null && at.row === rows.length - 1 ? 1 : 0] += shown;
    taken += wide;
  };
  for (const cluster of clustersOf(text)) {
    if (cluster === '\n') {
      if (at === null && place >= cursor) at = { row: rows.length - 1, cells: taken };
      rows.push(['', '']);
      taken = 0;
    } else {
      const shown = cluster === '\t' ? '    ' : visibleJoined(cluster);
      // An escape is as many characters as it has; a character is never broken.
      if (shown === cluster) put(shown, clusterCells(shown));
      else for (const each of clustersOf(shown)) put(each, clusterCells(each));
    }
    place += cluster.length;
  }
  at ??= { row: rows.length - 1, cells: taken };
  return { rows, row: at.row, cells: at.cells };
}

/** Joiners within a character are what it is made of. */
function visibleJoined(cluster: string): string {
  const isJoined = /\u200c|\u200d|[\ufe00-\ufe0f]/.test(cluster) && cluster.length > 1;
  return isJoined ? visibleText(cluster) : visibleLine(cluster);
}
