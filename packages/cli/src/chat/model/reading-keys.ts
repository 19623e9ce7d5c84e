import type { Key } from '../terminal/key-decoder.ts';
import type { ChatWish } from './chat-events.ts';
import type { ChatModel } from './chat-model.ts';

const NOTHING: readonly ChatWish[] = [];

/** Reading back; the frame holds `back` to what there is. */
export function readingKey(chat: ChatModel, key: Key): readonly ChatWish[] {
  const back = chat.reading?.back ?? 0;
  const page = Math.max(1, chat.rows - 2);
  const name = key.kind === 'key' ? key.key : key.kind === 'text' ? key.text : '';
  const steps: Readonly<Record<string, number>> = {
    up: 1,
    k: 1,
    down: -1,
    j: -1,
    pageup: page,
    'shift-pageup': page,
    b: page,
    pagedown: -page,
    'shift-pagedown': -page,
    ' ': -page,
  };
  const step = Object.hasOwn(steps, name) ? (steps[name] ?? 0) : 0;
  if (step !== 0) chat.reading = back + step < 0 ? null : { back: back + step };
  else if (name === 'home' || name === 'g') chat.reading = { back: Number.MAX_SAFE_INTEGER };
  else if (['end', 'G', 'q', 'escape', 'enter'].includes(name)) chat.reading = null;
  return olderOnes(chat);
}

/** At the top of what was read, older entries are asked for, once. */
export function olderOnes(chat: ChatModel): readonly ChatWish[] {
  const isAtTop = chat.reading !== null && chat.isAtTop(chat.reading.back);
  if (!isAtTop || chat.older === null || chat.isOlderAsked) return NOTHING;
  chat.isOlderAsked = true;
  return [{ do: 'older', before: chat.older }];
}
