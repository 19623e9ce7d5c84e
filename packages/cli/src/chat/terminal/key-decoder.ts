/** What somebody did at the keyboard. A paste is never a key, whatever stands in it. */
export type Key =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'paste'; readonly text: string }
  /** `enter`, `ctrl-c`, `alt-enter`, `shift-tab`, `pageup` … */
  | { readonly kind: 'key'; readonly key: string };

const ESC = '\u001b';
const PASTE_BEGIN = `${ESC}[200~`;
const PASTE_END = `${ESC}[201~`;
/** No sequence of a keyboard is longer. */
const sequenceCharacters = 64;
/** More than an entry may have; the rest of a larger paste is left out. */
const pasteCharacters = 1_048_576;

const FINALS: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  H: 'home',
  F: 'end',
  P: 'f1',
  Z: 'shift-tab',
};

const NUMBERS: Readonly<Record<string, string>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
  11: 'f1',
};

/** Codes of `CSI code ; modifiers u` and of `CSI 27 ; modifiers ; code ~`. */
const CODES: Readonly<Record<number, string>> = { 9: 'tab', 13: 'enter', 27: 'escape', 127: 'backspace' };

/** Characters of a terminal as keys. What is no key of ours is passed over. */
export class KeyDecoder {
  #rest = '';
  #paste: string | null = null;

  /** True where what came may be an escape key or the beginning of a sequence: `flush` after a moment decides. */
  get isPending(): boolean {
    return this.#paste === null && this.#rest !== '';
  }

  /** Takes the next characters. */
  feed(text: string): Key[] {
    this.#rest += text;
    const keys: Key[] = [];
    while (this.#rest !== '') {
      const took = this.#paste === null ? this.#next(keys) : this.#pasted(keys);
      if (!took) break;
    }
    return keys;
  }

  /** Nothing more comes: a lone escape is the key. */
  flush(): Key[] {
    const rest = this.#rest;
    if (!this.isPending) return [];
    this.#rest = '';
    if (rest === ESC) return [{ kind: 'key', key: 'escape' }];
    if (rest === `${ESC}${ESC}`) return [{ kind: 'key', key: 'escape' }];
    return rest === `${ESC}[` || rest === `${ESC}O` ? [{ kind: 'key', key: `alt-${rest.slice(1)}` }] : [];
  }

  #next(keys: Key[]): boolean {
    const rest = this.#rest;
    if (rest.startsWith(ESC)) return this.#escape(keys);
    const plain = /^[^\u0000-\u001f\u007f]+/.exec(rest)?.[0];
    if (plain !== undefined) {
      keys.push({ kind: 'text', text: plain });
      this.#rest = rest.slice(plain.length);
      return true;
    }
    keys.push({ kind: 'key', key: controlKey(rest.charCodeAt(0)) });
    this.#rest = rest.slice(1);
    return true;
  }

  /** False where more must come. */
  #escape(keys: Key[]): boolean {
    const rest = this.#rest;
    if (rest.length === 1) return false;
    if (rest.startsWith(PASTE_BEGIN)) {
      this.#rest = rest.slice(PASTE_BEGIN.length);
      this.#paste = '';
      return true;
    }
    const introducer = rest[1];
    if (introducer === '[') return this.#control(keys, /^\u001b\[([0-9;:<=>?]*)[ -/]*([@-~])/);
    if (introducer === 'O') return this.#control(keys, /^\u001bO([0-9;]*)([@-~])/);
    if (introducer === ESC) {
      keys.push({ kind: 'key', key: 'escape' });
      this.#rest = rest.slice(1);
      return true;
    }
    const [character = ''] = rest.slice(1);
    const key = character < ' ' || character === '\u007f' ? controlKey(character.charCodeAt(0)) : character;
    keys.push({ kind: 'key', key: `alt-${key.replace(/^ctrl-j$/, 'enter')}` });
    this.#rest = rest.slice(1 + character.length);
    return true;
  }

  #control(keys: Key[], shape: RegExp): boolean {
    const found = shape.exec(this.#rest);
    if (found === null) {
      // What is no sequence, or a longer one than any, is thrown away up to where a new one may begin.
      const isOpen = /^\u001b[[O][ -?]*$/.test(this.#rest) && this.#rest.length < sequenceCharacters;
      if (isOpen) return false;
      const next = this.#rest.slice(2).search(/[^ -?]/);
      this.#rest = next === -1 ? '' : this.#rest.slice(2 + next);
      return true;
    }
    const [whole, parameters = '', final = ''] = found;
    this.#rest = this.#rest.slice(whole.length);
    const key = sequenceKey(parameters, final);
    if (key !== null) keys.push({ kind: 'key', key });
    return true;
  }

  #pasted(keys: Key[]): boolean {
    const end = this.#rest.indexOf(PASTE_END);
    // The end may be cut in two.
    const taken = end === -1 ? Math.max(0, this.#rest.length - PASTE_END.length + 1) : end;
    const room = pasteCharacters - (this.#paste ?? '').length;
    this.#paste += this.#rest.slice(0, Math.min(taken, room));
    this.#rest = this.#rest.slice(taken);
    if (end === -1) return false;
    keys.push({ kind: 'paste', text: (this.#paste ?? '').replace(/\r\n?/g, '\n') });
    this.#paste = null;
    this.#rest = this.#rest.slice(PASTE_END.length);
    return true;
  }
}

function controlKey(code: number): string {
  if (code === 0x0d) return 'enter';
  if (code === 0x09) return 'tab';
  if (code === 0x7f || code === 0x08) return 'backspace';
  if (code === 0x00) return 'ctrl-space';
  return `ctrl-${String.fromCharCode(code + 0x60)}`;
}

function sequenceKey(parameters: string, final: string): string | null {
  const numbers = parameters.split(';').map((part) => Number.parseInt(part, 10));
  const [first = Number.NaN, second = 1, third = Number.NaN] = numbers;
  if (final === 'u') return withModifiers(CODES[first] ?? letterOf(first), second);
  if (final === '~' && first === 27) return withModifiers(CODES[third] ?? letterOf(third), second);
  if (final === '~') return withModifiers(NUMBERS[String(first)] ?? null, second);
  return withModifiers(FINALS[final] ?? null, second);
}

function letterOf(code: number): string | null {
  return code > 0x20 && code < 0x7f ? String.fromCharCode(code) : null;
}

/** Modifiers are counted from 1: 1 shift, 2 alt, 4 control. */
function withModifiers(name: string | null, modifiers: number): string | null {
  if (name === null) return null;
  const bits = Number.isNaN(modifiers) ? 0 : modifiers - 1;
  const shift = (bits & 1) !== 0 && name !== 'shift-tab' ? 'shift-' : '';
  const alt = (bits & 2) !== 0 ? 'alt-' : '';
  const control = (bits & 4) !== 0 ? 'ctrl-' : '';
  return `${control}${alt}${shift}${name}`;
}
