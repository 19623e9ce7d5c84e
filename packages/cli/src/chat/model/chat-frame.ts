import type { Frame } from '../terminal/painter.ts';
import { cellsOf, clip } from '../text/cells.ts';
import { clipRow, row, type StyledLine, span } from '../text/styled-line.ts';
import { visibleExactLine, visibleLine } from '../text/visible-text.ts';
import { answerText, blockRows, needsGap } from './block-rows.ts';
import { menuOf } from './chat-keys.ts';
import type { ChatModel } from './chat-model.ts';
import { secondsSince } from './durations.ts';
import { editorRows } from './editor.ts';
import { decisionWords } from './question-panel.ts';

/** Rows that what is written may take, and the menu below it. */
const editorMost = 8;
const menuMost = 6;
const callsMost = 6;

/** What is to scroll away, and is not printed again. */
export function doneRows(chat: ChatModel): StyledLine[] {
  const look = { columns: chat.columns, marks: chat.marks, isWhole: false };
  return chat.transcript
    .take()
    .flatMap(([before, block]) => [
      ...(needsGap(before, block) ? [row('')] : []),
      ...blockRows(block, look).map((line) => clipRow(line, chat.columns)),
    ]);
}

/** The screen, or the end of it. No row is wider than the screen, there are fewer rows than it has, and the cursor stands in one of them. */
export function frameOf(chat: ChatModel, nowMs: number): Frame {
  if (chat.reading !== null) return readingFrame(chat);
  const most = Math.max(1, chat.rows - 1);
  const bottom = bottomRows(chat, nowMs);
  const input = inputRows(chat, Math.max(1, Math.min(editorMost, most - 2)));
  // The text that is written comes first, then what is asked and where one is, then what the agent says.
  const kept = Math.max(0, most - input.rows.length);
  const below = bottom.slice(0, Math.min(bottom.length, Math.max(kept - 1, 0)));
  const asked = questionRows(chat).slice(0, Math.max(0, kept - below.length));
  const room = Math.max(0, kept - below.length - asked.length);
  const above = liveRows(chat, nowMs, room);
  const rows = [...above, ...asked, ...input.rows, ...below].map((line) => clipRow(line, chat.columns));
  const cells = Math.min(input.cells, Math.max(0, chat.columns - 1));
  return { rows, cursor: { row: above.length + asked.length + input.row, cells }, isWhole: false };
}

/** What goes on: words as they come, calls, messages on their way; the newest of it where not all fits. */
function liveRows(chat: ChatModel, nowMs: number, room: number): StyledLine[] {
  const { columns, marks, live } = chat;
  const look = { columns, marks, isWhole: false };
  const { text, reasoning } = live.words;
  const words =
    text !== ''
      ? answerText(lastPart(text, columns * chat.rows), look, 'plain')
      : reasoning !== ''
        ? answerText(lastPart(reasoning, 4 * columns), look, 'dim').slice(-3)
        : [];
  const rest = [
    ...live.calls.slice(-callsMost).map((call) => callRow(chat, call, nowMs)),
    ...chat.outgoing
      .slice(-3)
      .map(
        ({ text: said }): StyledLine => [
          span(`${marks.prompt} `, 'dim'),
          span(clip(visibleLine(said), Math.max(1, columns - 14)), 'dim'),
          span(chat.isLost ? '  waits' : '  sending', 'dim'),
        ],
      ),
    ...chat.asked
      .slice(-3)
      .map(
        (line): StyledLine => [
          span(`${marks.prompt} `, 'dim'),
          span(clip(visibleLine(line), columns - 2), 'dim'),
        ],
      ),
    ...stateRows(chat, nowMs),
  ];
  const all = [...words, ...rest];
  if (all.length === 0) return room > 0 ? [row('')] : [];
  return [row(''), ...all, row('')].slice(-Math.max(room, 0)).slice(0, room);
}

/** The end of a long text is what is read while it comes; all of it would be broken into rows with each word. */
function lastPart(text: string, most: number): string {
  if (text.length <= most) return text;
  const part = text.slice(-most);
  const start = part.indexOf('\n') + 1;
  return start > 0 ? part.slice(start) : part.replace(/^[\udc00-\udfff]/, '');
}

function callRow(chat: ChatModel, call: ChatModel['live']['calls'][number], nowMs: number): StyledLine {
  const { columns, marks } = chat;
  const name = clip(visibleLine(call.tool), 32);
  const { progress } = call;
  const took = `  ${secondsSince(call.sinceMs, nowMs)}`;
  const head: StyledLine = [span(`${marks.running} `, 'accent'), span(name, 'bold'), span(took, 'dim')];
  const room = columns - cellsOf(name) - took.length - 4;
  if (progress === null)
    return room < 12 ? head : [...head, span(`  ${clip(visibleLine(call.arguments), room)}`, 'dim')];
  const { done, total, text } = progress;
  const told =
    total === null || total <= 0 ? visibleLine(text) : `${bar(done / total, marks)} ${visibleLine(text)}`;
  return room < 12 ? head : [...head, span(`  ${clip(told, room)}`)];
}

function bar(share: number, { full, empty }: ChatModel['marks']): string {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * 10);
  return `${full.repeat(filled)}${empty.repeat(10 - filled)} ${Math.round(Math.min(1, Math.max(0, share)) * 100)} %`;
}

const STATES: Readonly<Record<string, string>> = {
  queued: 'waits for the turn before it',
  model: 'the model is at work',
  approval: 'waits for your decision',
};

function stateRows(chat: ChatModel, nowMs: number): StyledLine[] {
  const { live, marks } = chat;
  return live.states.slice(-3).flatMap(({ state, tool, sinceMs }): StyledLine[] => {
    // A call that is shown says so itself, and so does the question.
    if (state === 'tool' && live.calls.length > 0) return [];
    if (state === 'approval' && chat.panel !== null) return [];
    const what =
      state === 'tool' ? `runs ${clip(visibleLine(tool), 32)}` : (STATES[state] ?? visibleLine(state));
    return [[span(`${marks.running} `, 'accent'), span(`${what}, ${secondsSince(sinceMs, nowMs)}`, 'dim')]];
  });
}

/** What may be decided, right above the text. */
function questionRows(chat: ChatModel): StyledLine[] {
  const { panel, marks } = chat;
  if (panel === null) return [];
  const { question, choice, hasFocus, isSent } = panel;
  const name = clip(visibleExactLine(question.tool), 28);
  const behind = chat.questionsBehind;
  const more = behind === 0 ? '' : `  (${behind} more)`;
  const title: StyledLine = [
    span(`${marks.question} `, 'warn'),
    span(name, 'bold'),
    span(isSent ? ' … telling the host' : ' waits for your decision', 'warn'),
    span(more, 'dim'),
  ];
  const options = question.decisions.flatMap((decision, index) => {
    const words = Object.hasOwn(decisionWords, decision) ? (decisionWords[decision] ?? '') : decision;
    const text = ` ${words} `;
    return [
      span(index === 0 ? '  ' : '  '),
      span(text, choice === decision ? 'chosen' : hasFocus ? 'bold' : 'dim'),
    ];
  });
  const how = hasFocus ? `   ${lettersOf(question.decisions)}, then Enter; Tab: write` : '   Tab: decide';
  return [title, [...options, span(how, 'dim')]];
}

function lettersOf(decisions: readonly string[]): string {
  return decisions.map((decision) => (decision === 'approve_turn' ? 't' : decision.slice(0, 1))).join('/');
}

/** The text that is written, or the search; the part of it around the cursor. */
function inputRows(
  chat: ChatModel,
  most: number,
): { readonly rows: StyledLine[]; readonly row: number; readonly cells: number } {
  const { marks, columns, search } = chat;
  if (search !== null) {
    const words = clip(visibleLine(search.words), Math.max(4, Math.floor(columns / 3)));
    const found = search.text === null ? (search.words === '' ? '' : 'nothing') : visibleLine(search.text);
    const before = `search: ${words}`;
    const line = [span(before, 'accent'), span(`  ${found}`, search.text === null ? 'dim' : 'plain')];
    return { rows: [line], row: 0, cells: cellsOf(before) };
  }
  const mark = `${marks.prompt} `;
  const { rows, row: at, cells } = editorRows(chat.editor, Math.max(2, columns - 2));
  const start = Math.max(0, Math.min(at - most + 1, rows.length - most));
  const shown = rows
    .slice(start, start + most)
    .map(
      ([before, after], index): StyledLine => [
        span(start + index === 0 ? mark : '  ', chat.panel?.hasFocus === true ? 'dim' : 'accent'),
        ...(before === '' ? [] : [span(before)]),
        ...(after === '' ? [] : [span(after)]),
      ],
    );
  return { rows: shown, row: at - start, cells: cells + 2 };
}

const KEYS: readonly string[] = [
  'Enter sends · Alt-Enter or Ctrl-J: new line · Tab completes · Up, Down: what was said',
  'Ctrl-R searches it · Page Up reads back · Ctrl-L clears · Esc shuts this',
  'Ctrl-C cancels the turn, twice leaves · Ctrl-D leaves · /help: commands',
];

/** Below the text: a menu, keys, and where one is. */
function bottomRows(chat: ChatModel, nowMs: number): StyledLine[] {
  const { columns, marks } = chat;
  if (chat.isHelpShown)
    return [...KEYS.map((line) => row(line.replaceAll('·', marks.dot), 'dim')), statusRow(chat, nowMs)];
  const choices = chat.search === null && chat.panel?.hasFocus !== true ? menuOf(chat) : [];
  const start = Math.max(0, Math.min(chat.choice - menuMost + 1, choices.length - menuMost));
  const shown = choices.slice(start, start + menuMost);
  const wide = Math.min(
    Math.max(...shown.map(({ text }) => cellsOf(visibleLine(text))), 0),
    Math.floor(columns / 2),
  );
  const menu = shown.map(({ text, about }, index): StyledLine => {
    const word = clip(visibleLine(text), wide);
    const pad = ' '.repeat(Math.max(0, wide - cellsOf(word)));
    const isChosen = start + index === chat.choice;
    return [
      span('  '),
      span(`${word}${pad}`, isChosen ? 'chosen' : 'accent'),
      span(`  ${clip(visibleLine(about), Math.max(1, columns - wide - 4))}`, 'dim'),
    ];
  });
  const left = choices.length - shown.length;
  const more = left > 0 ? [row(`  ${left} more`, 'dim')] : [];
  return [...menu, ...more, statusRow(chat, nowMs)];
}

function statusRow(chat: ChatModel, nowMs: number): StyledLine {
  const { notice, session, marks } = chat;
  if (notice !== null && nowMs < notice.untilMs)
    return row(`  ${visibleLine(notice.text)}`, notice.isBad ? 'bad' : 'warn');
  if (chat.isLost) return row('  The host does not answer; waiting for it …', 'warn');
  if (session === null) return row('  …', 'dim');
  const { name, id, agents, model, mode, isClosed } = session;
  const words = [
    name === '' ? id.slice(0, 12) : clip(visibleLine(name), 24),
    ...agents.slice(0, 1).map((agent) => clip(visibleLine(agent), 20)),
    ...(model === '' ? [] : [clip(visibleLine(model), 32)]),
    ...(mode === 'normal' ? [] : [visibleLine(mode)]),
    ...(isClosed ? ['closed'] : []),
    'F1 keys',
  ];
  return row(`  ${words.join(` ${marks.dot} `)}`, 'dim');
}

/** Everything so far, on a screen of its own. */
function readingFrame(chat: ChatModel): Frame {
  const { columns, marks } = chat;
  const height = Math.max(1, chat.rows - 1);
  const all = chat.wholeRows();
  const most = Math.max(0, all.length - height);
  const back = Math.min(chat.reading?.back ?? 0, most);
  chat.reading = { back };
  const end = all.length - back;
  const page = all.slice(Math.max(0, end - height), end);
  while (page.length < height) page.push(row(''));
  const top = chat.older !== null ? 'reading older …' : back === 0 ? 'all of it' : 'the beginning';
  const place = back === most ? top : back === 0 ? 'the end' : `${back} rows to the end`;
  const asks = chat.panel === null ? '' : ` ${marks.dot} a call waits for you`;
  const status = row(`  ${place}${asks} ${marks.dot} Page Up, Page Down, Home, q: back`, 'warn');
  const rows = [...page, status].map((line) => clipRow(line, columns));
  return {
    rows: chat.rows <= 1 ? rows.slice(-1) : rows,
    cursor: { row: chat.rows <= 1 ? 0 : rows.length - 1, cells: 0 },
    isWhole: true,
  };
}
