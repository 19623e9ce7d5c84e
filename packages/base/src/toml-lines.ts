/** Where a value stands: the names and array indexes from the document's root. */
export type TomlPath = readonly (string | number)[];

/** Line numbers of the keys of one TOML document, for messages to the person who wrote it. */
export type TomlLines = {
  /** The 1-based line of the key or table at `path`, or of its nearest parent that has one. */
  lineOf(path: TomlPath): number | undefined;
};

/**
 * Finds the line of every key of a document that the TOML parser has already accepted (the parser keeps no positions).
 * On a document that it would refuse the answer is undefined but the scan still ends.
 */
export function locateTomlKeys(text: string): TomlLines {
  const root = new Scan(text).run();
  return {
    lineOf(path) {
      let place: Place | undefined = root;
      let line: number | undefined;
      for (const step of path) {
        place = place.below.get(step);
        if (place === undefined) break;
        line = place.line ?? line;
      }
      return line;
    },
  };
}

/** One key, table or item. A tree of them costs the same however deep a document nests, where whole paths would not. */
type Place = {
  line: number | undefined;
  /** How many tables an array of tables has so far. */
  tables: number | undefined;
  readonly below: Map<string | number, Place>;
};

function emptyPlace(): Place {
  return { line: undefined, tables: undefined, below: new Map() };
}

function placeBelow(place: Place, step: string | number): Place {
  let below = place.below.get(step);
  if (below === undefined) {
    below = emptyPlace();
    place.below.set(step, below);
  }
  return below;
}

/** The parser refuses what nests deeper, so nobody asks for lines of it. */
const MAX_DEPTH = 1000;

const BARE_KEY = /[A-Za-z0-9_-]/;

class Scan {
  readonly #text: string;
  readonly #root = emptyPlace();
  #at = 0;
  #line = 1;
  #table = this.#root;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): Place {
    for (;;) {
      this.#skipSpace(true);
      if (this.#at >= this.#text.length) return this.#root;
      const before = this.#at;
      if (this.#text[this.#at] === '[') this.#header();
      else this.#assignment(this.#table);
      // A document that no parser accepts must not hold the scan in place.
      if (this.#at === before) this.#step();
    }
  }

  #header(): void {
    const array = this.#text[this.#at + 1] === '[';
    this.#at += array ? 2 : 1;
    const line = this.#line;
    const names = this.#keys();
    let place = this.#root;
    names.forEach((name, index) => {
      place = placeBelow(place, name);
      const { tables } = place;
      if (array && index === names.length - 1) {
        place.tables = (tables ?? 0) + 1;
        place.line ??= line;
        place = placeBelow(place, tables ?? 0);
      } else if (tables !== undefined) place = placeBelow(place, tables - 1);
      place.line ??= line;
    });
    this.#table = place;
    while (this.#text[this.#at] === ']') this.#at += 1;
  }

  #assignment(parent: Place): void {
    const line = this.#line;
    let place = parent;
    for (const name of this.#keys()) {
      place = placeBelow(place, name);
      place.line ??= line;
    }
    if (this.#text[this.#at] !== '=') return;
    this.#at += 1;
    this.#skipSpace(false);
    this.#value(place);
  }

  /** A dotted key; leaves the position behind it and the space that follows. */
  #keys(): string[] {
    const names: string[] = [];
    for (;;) {
      this.#skipSpace(false);
      const quote = this.#text[this.#at];
      if (quote === '"' || quote === "'") names.push(this.#quoted(quote));
      else {
        const start = this.#at;
        while (BARE_KEY.test(this.#text[this.#at] ?? '')) this.#at += 1;
        names.push(this.#text.slice(start, this.#at));
      }
      this.#skipSpace(false);
      if (this.#text[this.#at] !== '.') return names;
      this.#at += 1;
    }
  }

  #value(place: Place): void {
    const first = this.#text[this.#at];
    if (first === '"' || first === "'") {
      const triple = first.repeat(3);
      if (this.#text.startsWith(triple, this.#at)) this.#multiline(triple);
      else this.#quoted(first);
    } else if (first === '[' || first === '{') this.#nested(place, first);
    else while (!/[,\]}\n#]|^$/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }

  #nested(place: Place, first: '[' | '{'): void {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) this.#at = this.#text.length;
    else if (first === '[') this.#items(place);
    else this.#members(place);
    this.#depth -= 1;
  }

  #items(place: Place): void {
    this.#at += 1;
    for (let index = 0; ; index += 1) {
      this.#skipSpace(true);
      if (this.#closes(']')) return;
      const item = placeBelow(place, index);
      item.line ??= this.#line;
      this.#value(item);
      this.#skipSpace(true);
      if (this.#text[this.#at] === ',') this.#at += 1;
      else if (!this.#closes(']')) this.#step();
      else return;
    }
  }

  #members(place: Place): void {
    this.#at += 1;
    for (;;) {
      this.#skipSpace(true);
      if (this.#closes('}')) return;
      this.#assignment(place);
      this.#skipSpace(true);
      if (this.#text[this.#at] === ',') this.#at += 1;
      else if (!this.#closes('}')) this.#step();
      else return;
    }
  }

  /** True at the closing character, which it takes, and at the end of the text. */
  #closes(character: string): boolean {
    if (this.#at >= this.#text.length) return true;
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  /** A one-line string; its raw content, with the escapes that a key can have resolved. */
  #quoted(quote: string): string {
    const start = this.#at + 1;
    let end = start;
    while (end < this.#text.length && this.#text[end] !== quote && this.#text[end] !== '\n') {
      end += quote === '"' && this.#text[end] === '\\' ? 2 : 1;
    }
    this.#at = Math.min(end + 1, this.#text.length);
    const raw = this.#text.slice(start, end);
    if (quote === "'" || !raw.includes('\\')) return raw;
    try {
      return JSON.parse(`"${raw}"`) as string;
    } catch {
      return raw;
    }
  }

  #multiline(quotes: string): void {
    this.#at += 3;
    while (this.#at < this.#text.length && !this.#text.startsWith(quotes, this.#at)) {
      if (quotes === '"""' && this.#text[this.#at] === '\\') this.#step();
      this.#step();
    }
    this.#at = Math.min(this.#at + 3, this.#text.length);
    // Up to two quotes may stand right before the closing three.
    while (this.#text[this.#at] === quotes[0]) this.#at += 1;
  }

  #skipSpace(lines: boolean): void {
    for (;;) {
      const character = this.#text[this.#at];
      if (character === '#') {
        while (this.#at < this.#text.length && this.#text[this.#at] !== '\n') this.#at += 1;
      } else if (character === ' ' || character === '\t' || character === '\r') this.#at += 1;
      else if (character === '\n' && lines) this.#step();
      else return;
    }
  }

  #step(): void {
    if (this.#text[this.#at] === '\n') this.#line += 1;
    this.#at += 1;
  }
}
