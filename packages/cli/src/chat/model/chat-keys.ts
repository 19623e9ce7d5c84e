import { chatLimits } from '../../limits.ts';
import type { Key } from '../terminal/key-decoder.ts';
import type { ChatWish } from './chat-events.ts';
import type { ChatModel } from './chat-model.ts';
import { type Choice, choicesAt } from './completion.ts';
import { edit, editorWith, emptyEditor, insert, lineAway } from './editor.ts';
import { lookBack } from './input-history.ts';
import { panelMoved, panelText } from './question-panel.ts';
import { olderOnes, readingKey } from './reading-keys.ts';
import { searchKey } from './search-keys.ts';

const NOTHING: readonly ChatWish[] = [];

/** What somebody did at the keyboard. Whoever has the keys now takes them: reading back, the search, the question, the text. */
export function pressKey(chat: ChatModel, key: Key, nowMs: number): readonly ChatWish[] {
  if (key.kind === 'key' && key.key === 'ctrl-c') return interrupt(chat, nowMs);
  chat.interruptedMs = null;
  if (chat.reading !== null) return readingKey(chat, key);
  if (chat.search !== null) return searchKey(chat, key);
  if (chat.isHelpShown && key.kind === 'key' && (key.key === 'escape' || key.key === 'f1')) {
    chat.isHelpShown = false;
    return NOTHING;
  }
  if (chat.panel?.hasFocus === true) {
    const wishes = panelKey(chat, key, nowMs);
    if (wishes !== null) return wishes;
  }
  if (key.kind !== 'key') return write(chat, key.text);
  return editorKey(chat, key.key);
}

/** Once: what runs is cancelled, or what is written goes. Again: leaves. */
function interrupt(chat: ChatModel, nowMs: number): readonly ChatWish[] {
  const isAgain = chat.interruptedMs !== null && nowMs - chat.interruptedMs < chatLimits.againMs;
  if (isAgain) return leave(chat);
  chat.interruptedMs = nowMs;
  chat.reading = null;
  chat.search = null;
  const isRunning = chat.live.isRunning || (chat.session?.running ?? null) !== null;
  if (isRunning) {
    chat.say('Cancelling the turn … Ctrl-C again leaves', nowMs);
    return [{ do: 'cancel' }];
  }
  chat.editor = { ...emptyEditor, cut: chat.editor.text === '' ? chat.editor.cut : chat.editor.text };
  chat.choice = -1;
  chat.say('Ctrl-C again leaves; the session stays', nowMs);
  return NOTHING;
}

function leave(chat: ChatModel): readonly ChatWish[] {
  chat.isLeaving = true;
  return [{ do: 'leave' }];
}

function write(chat: ChatModel, text: string): readonly ChatWish[] {
  chat.editor = insert(chat.editor, text);
  edited(chat);
  return NOTHING;
}

function edited(chat: ChatModel): void {
  chat.choice = -1;
  chat.isMenuShut = false;
}

/** Null where the text takes the key. */
function panelKey(chat: ChatModel, key: Key, nowMs: number): readonly ChatWish[] | null {
  const { panel } = chat;
  if (panel === null || panel.isSent) return null;
  if (key.kind === 'paste') {
    chat.panel = { ...panel, hasFocus: false, choice: null, letter: '' };
    return null;
  }
  if (key.kind === 'text') {
    const { panel: next, passed } = panelText(panel, key.text, nowMs);
    chat.panel = next;
    return passed === '' ? NOTHING : write(chat, passed);
  }
  switch (key.key) {
    case 'left':
    case 'right':
      chat.panel = panelMoved(panel, key.key === 'left' ? -1 : 1);
      return NOTHING;
    case 'enter':
      if (panel.choice === null) {
        chat.say('Choose with a letter or the arrows, then Enter', nowMs);
        return NOTHING;
      }
      chat.panel = { ...panel, isSent: true };
      return [{ do: 'decide', approval: panel.question.id, decision: panel.choice }];
    case 'escape':
    case 'tab':
    case 'shift-tab':
      chat.panel = { ...panel, hasFocus: false, choice: null, letter: '' };
      return NOTHING;
    case 'backspace':
      chat.panel = { ...panel, choice: null, letter: '' };
      return NOTHING;
    default:
      return null;
  }
}

function editorKey(chat: ChatModel, key: string): readonly ChatWish[] {
  const changed = edit(chat.editor, key);
  // Ctrl-D deletes where there is something.
  if (changed !== null && !(key === 'ctrl-d' && chat.editor.text === '')) {
    chat.editor = changed;
    edited(chat);
    return NOTHING;
  }
  switch (key) {
    case 'ctrl-d':
      return leave(chat);
    case 'enter':
      return enter(chat);
    case 'tab':
      return tab(chat, 1);
    case 'shift-tab':
      return tab(chat, -1);
    case 'up':
    case 'ctrl-p':
      return upOrDown(chat, -1);
    case 'down':
    case 'ctrl-n':
      return upOrDown(chat, 1);
    case 'escape':
      chat.isMenuShut = true;
      chat.choice = -1;
      return NOTHING;
    case 'ctrl-r':
      chat.search = { words: '', place: chat.history.texts.length, text: null };
      return NOTHING;
    case 'ctrl-l':
      return [{ do: 'clear' }];
    case 'pageup':
    case 'shift-pageup':
      chat.reading = { back: Math.max(1, chat.rows - 2) };
      return olderOnes(chat);
    case 'f1':
      chat.isHelpShown = true;
      return NOTHING;
    default:
      return NOTHING;
  }
}

/** The words that fit where the cursor stands; none where somebody shut them, or where the only one stands there already. */
export function menuOf(chat: ChatModel): readonly Choice[] {
  if (chat.isMenuShut || chat.editor.text.length > chatLimits.menuCharacters) return [];
  const { text, cursor } = chat.editor;
  const choices = choicesAt(text, cursor, chat.names);
  const [only] = choices;
  const isThere =
    choices.length === 1 && only !== undefined && text.slice(only.start, only.end) === only.text;
  return isThere ? [] : choices;
}

function enter(chat: ChatModel): readonly ChatWish[] {
  const chosen = chat.choice === -1 ? undefined : menuOf(chat)[chat.choice];
  if (chosen !== undefined) {
    take(chat, chosen);
    return NOTHING;
  }
  const { text } = chat.editor;
  if (text.trim() === '') return NOTHING;
  // A backslash at the end of a line, as in a shell: where a terminal sends the same for Enter and Alt-Enter.
  if (text.endsWith('\\') && chat.editor.cursor === text.length) {
    chat.editor = editorWith(`${text.slice(0, -1)}\n`, chat.editor.cut);
    return NOTHING;
  }
  edited(chat);
  return chat.send(text);
}

function take(chat: ChatModel, { start, end, text }: Choice): void {
  const { editor } = chat;
  const rest = editor.text.slice(end);
  const whole = `${editor.text.slice(0, start)}${text}${rest.startsWith(' ') ? '' : ' '}`;
  chat.editor = { ...editor, text: whole + rest, cursor: whole.length };
  edited(chat);
}

/** As much as all of them have in common; after that one after the other. */
function tab(chat: ChatModel, way: -1 | 1): readonly ChatWish[] {
  const choices = menuOf(chat);
  const [first] = choices;
  if (first === undefined) {
    if (chat.panel !== null) chat.panel = { ...chat.panel, hasFocus: true };
    return NOTHING;
  }
  if (choices.length === 1) {
    take(chat, first);
    return NOTHING;
  }
  const { editor } = chat;
  const common = commonStart(choices.map(({ text }) => text));
  if (chat.choice === -1 && common.length > first.end - first.start) {
    const text = editor.text.slice(0, first.start) + common + editor.text.slice(first.end);
    chat.editor = { ...editor, text, cursor: first.start + common.length };
    return NOTHING;
  }
  chat.choice =
    chat.choice === -1 && way === -1
      ? choices.length - 1
      : (chat.choice + way + choices.length) % choices.length;
  return NOTHING;
}

function commonStart(texts: readonly string[]): string {
  const [first = ''] = texts;
  let length = first.length;
  for (const text of texts) {
    while (length > 0 && !text.toLowerCase().startsWith(first.slice(0, length).toLowerCase())) length -= 1;
  }
  return first.slice(0, length);
}

function upOrDown(chat: ChatModel, way: -1 | 1): readonly ChatWish[] {
  const choices = chat.choice === -1 ? [] : menuOf(chat);
  if (choices.length > 0) {
    chat.choice = (chat.choice + way + choices.length) % choices.length;
    return NOTHING;
  }
  const moved = lineAway(chat.editor, way);
  if (moved !== null) {
    chat.editor = moved;
    return NOTHING;
  }
  const found = lookBack(chat.history, way, chat.editor.text);
  if (found === null) return NOTHING;
  chat.history = found.history;
  chat.editor = editorWith(found.text, chat.editor.cut);
  chat.isMenuShut = true;
  return NOTHING;
}
