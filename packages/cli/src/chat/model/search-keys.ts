import { chatLimits } from '../../limits.ts';
import type { Key } from '../terminal/key-decoder.ts';
import type { ChatWish } from './chat-events.ts';
import type { ChatModel } from './chat-model.ts';
import { editorWith } from './editor.ts';
import { searchBack } from './input-history.ts';

const NOTHING: readonly ChatWish[] = [];

/** What a key does while somebody searches what was said. */
export function searchKey(chat: ChatModel, key: Key): readonly ChatWish[] {
  const { search } = chat;
  if (search === null) return NOTHING;
  const look = (words: string, before?: number) => {
    const found = searchBack(chat.history, words, before);
    if (found !== null) chat.search = { words, ...found };
    // What was found stays where there is no older one.
    else chat.search = before === undefined ? { ...search, words, text: null } : search;
  };
  if (key.kind !== 'key') {
    look((search.words + key.text.replace(/\s+/g, ' ')).slice(0, chatLimits.searchCharacters));
    return NOTHING;
  }
  switch (key.key) {
    case 'backspace':
      look([...search.words].slice(0, -1).join(''));
      return NOTHING;
    case 'ctrl-r':
    case 'up':
      look(search.words, search.place);
      return NOTHING;
    case 'escape':
    case 'ctrl-g':
      chat.search = null;
      return NOTHING;
    default:
      chat.search = null;
      if (search.text !== null) chat.editor = editorWith(search.text, chat.editor.cut);
      chat.isMenuShut = true;
      return NOTHING;
  }
}
