import { clip, wrapExactly, wrapWords } from '../text/cells.ts';
import type { Marks } from '../text/marks.ts';
import { row, type Span, type Style, type StyledLine, span } from '../text/styled-line.ts';
import { visibleExactLine, visibleExactly, visibleLine, visibleText } from '../text/visible-text.ts';
import { type Block, type CallTold, certaintyText, type Question } from './block.ts';

/** How blocks become rows. `isWhole`: nothing of arguments and results is left out. */
export type Look = { readonly columns: number; readonly marks: Marks; readonly isWhole: boolean };

/** Prose is read in lines of this width at most. */
const proseCells = 100;
/** Of a result, where it is not shown whole. */
const previewRows = 3;
/** A name is never as long as to push its certainty away. */
const nameCells = 32;

/** The rows of a block, each no wider than the screen. */
export function blockRows(block: Block, look: Look): StyledLine[] {
  switch (block.kind) {
    case 'said':
      return saidRows(block, look);
    case 'answer':
      return answerRows(block, look);
    case 'call':
      return callRows(block.call, look);
    case 'question':
      return questionRows(block.question, look);
    case 'fault':
      return faultRows(block, look);
    case 'note':
      return indented(wrapWords(visibleText(block.text), prose(look)), look.marks.more, 'dim', 'dim');
    case 'output':
      return outputRows(block, look);
    case 'opened':
      return [row(clip(visibleLine(block.text), look.columns), 'bold'), ...lines(block.more, look, 'dim')];
  }
}

/** True where an empty row stands between two blocks. */
export function needsGap(before: Block | undefined, next: Block): boolean {
  if (before === undefined) return false;
  const isQuiet = ({ kind }: Block) => kind === 'call' || kind === 'note';
  if (next.kind === 'opened') return true;
  return !(isQuiet(before) && isQuiet(next));
}

function prose({ columns }: Look): number {
  return Math.max(8, Math.min(columns, proseCells) - 2);
}

function lines(text: string, look: Look, style: Style): StyledLine[] {
  return text === '' ? [] : wrapWords(visibleText(text), prose(look) + 2).map((line) => row(line, style));
}

/** A sign before the first row, blanks before the others. */
function indented(texts: readonly string[], mark: string, style: Style, markStyle: Style): StyledLine[] {
  return texts.map((text, index) => [span(index === 0 ? `${mark} ` : '  ', markStyle), span(text, style)]);
}

function saidRows({ by, who, text }: Block & { readonly kind: 'said' }, look: Look): StyledLine[] {
  const head = by === 'me' ? [] : [row(clip(visibleLine(who), prose(look)), 'bold')];
  return [
    ...head,
    ...indented(wrapWords(visibleText(text), prose(look)), look.marks.prompt, 'bold', 'accent'),
  ];
}

function answerRows({ who, text, isInterim }: Block & { readonly kind: 'answer' }, look: Look): StyledLine[] {
  const head = isInterim ? [] : [row(clip(visibleLine(who), prose(look)), 'accent')];
  return [...head, ...answerText(text, look, isInterim ? 'dim' : 'plain')];
}

/** Words of an agent: what stands in a fence keeps its lines and blanks. */
export function answerText(text: string, look: Look, style: Style): StyledLine[] {
  let isFenced = false;
  return visibleText(text.replace(/\n+$/, ''))
    .split('\n')
    .flatMap((line) => {
      const isFence = /^\s*(```|~~~)/.test(line);
      if (isFence) isFenced = !isFenced;
      const width = isFenced ? look.columns - 2 : prose(look);
      const wrapped = isFenced ? wrapExactly(line, width) : wrapWords(line, width);
      const isHeading = !isFenced && /^#{1,6} /.test(line);
      const drawn = isFence ? 'dim' : isHeading ? 'bold' : style;
      return wrapped.map((each) => [span('  '), span(each, drawn)]);
    });
}

/** The sign and colour of what is known about a call. */
function certaintyLook(certainty: string, marks: Marks): readonly [mark: string, style: Style] {
  if (certainty === 'completed') return [marks.completed, 'good'];
  if (certainty === 'not_started') return [marks.notStarted, 'warn'];
  return [marks.unknown, 'bad'];
}

function callRows(call: CallTold, look: Look): StyledLine[] {
  const { columns, marks, isWhole } = look;
  const [mark, style] = certaintyLook(call.certainty, marks);
  const name = clip(visibleLine(call.tool), nameCells);
  const told = clip(visibleLine(certaintyText(call)), Math.max(0, columns - nameCells - 5));
  const head: Span[] = [span(`${mark} `, style), span(name, 'bold'), span(`  ${told}`, style)];
  const given = visibleLine(call.arguments);
  const room = columns - head.reduce((sum, { text }) => sum + text.length, 0) - 2;
  if (!isWhole && given !== '' && room >= 12) head.push(span(`  ${clip(given, room)}`, 'dim'));
  return [head, ...(isWhole ? wholeCall(call, look) : preview(call, look))];
}

function wholeCall({ arguments: given, text }: CallTold, look: Look): StyledLine[] {
  const width = Math.max(8, look.columns - 2);
  const args = given === '' ? [] : wrapExactly(visibleLine(given), width);
  const result = text === '' ? [] : wrapExactly(visibleText(text), width - 2);
  return [
    ...args.map((line): StyledLine => [span('  '), span(line, 'dim')]),
    ...result.map((line): StyledLine => [span(`  ${look.marks.bar} `, 'dim'), span(line)]),
  ];
}

function preview({ text }: CallTold, look: Look): StyledLine[] {
  const shown = visibleText(text.replace(/\s+$/, ''));
  if (shown === '') return [];
  const all = shown.split('\n');
  const kept = all.length > previewRows ? all.slice(0, previewRows - 1) : all;
  const rows = kept.map((line) => row(`  ${look.marks.bar} ${clip(line, look.columns - 4)}`, 'dim'));
  const left = all.length - kept.length;
  return left === 0
    ? rows
    : [
        ...rows,
        row(clip(`  ${look.marks.bar} … ${left} more lines (Page Up shows all)`, look.columns), 'dim'),
      ];
}

/** Whole, whatever its size: whoever approves the arguments approves what stands there. */
function questionRows(
  { tool, extension, risk, facts, arguments: given }: Question,
  look: Look,
): StyledLine[] {
  const { columns, marks } = look;
  const whose = extension === '' ? '' : ` of ${extension}`;
  const title = wrapWords(`${visibleExactLine(tool)}${visibleExactLine(whose)} wants to run`, columns - 2);
  const about = [...(risk === '' ? [] : [['risk', risk] as const]), ...facts];
  return [
    ...indented(title, marks.question, 'bold', 'warn'),
    ...about.flatMap(([label, text]) =>
      wrapExactly(visibleExactLine(text), Math.max(8, columns - 14)).map(
        (line, index): StyledLine => [span(`  ${(index === 0 ? label : '').padEnd(11)} `, 'dim'), span(line)],
      ),
    ),
    row('  arguments', 'dim'),
    ...wrapExactly(visibleExactly(given), Math.max(8, columns - 4)).map(
      (line): StyledLine => [span(`  ${marks.bar} `, 'warn'), span(line)],
    ),
  ];
}

function faultRows({ text, code, next }: Block & { readonly kind: 'fault' }, look: Look): StyledLine[] {
  const said = `${visibleText(text)}${code === null ? '' : ` (${visibleLine(code)})`}`;
  return [
    ...indented(wrapWords(said, prose(look)), look.marks.unknown, 'bad', 'bad'),
    ...(next === null
      ? []
      : wrapWords(visibleText(next), prose(look)).map((line) => row(`  ${line}`, 'dim'))),
  ];
}

/** Columns of a table stay where they are as long as they fit. */
function outputRows({ line, text }: Block & { readonly kind: 'output' }, look: Look): StyledLine[] {
  const width = Math.max(8, look.columns - 2);
  const said = visibleText(text.replace(/\n+$/, ''));
  return [
    [span(`${look.marks.prompt} `, 'accent'), span(clip(visibleLine(line), width), 'accent')],
    ...(said === '' ? [] : wrapWords(said, width).map((each): StyledLine => [span('  '), span(each)])),
  ];
}
