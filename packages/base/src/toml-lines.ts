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
  const lines = new Scan(text).run();
  return {
    lineOf(path) {
      for (let length = path.length; length > 0; length -= 1) {
        const line = lines.get(keyOf(path.slice(0, length)));
        if (line !== undefined) return line;
      }
      return undefined;
    },
  };
}

function keyOf(path: TomlPath): string {
  return JSON.stringify(path);
}

const BARE_KEY = /[A-Za-z0-9_-]/;

class Scan {
  readonly #text: string;
  readonly #lines = new Map<string, number>();
  /** How many tables each array of tables has so far. */
  readonly #counts = new Map<string, number>();
  #at = 0;
  #line = 1;
  #table: (string | number)[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  run(): Map<string, number> {
    for (;;) {
      this.#skipSpace(true);
      if (this.#at >= this.#text.length) return this.#lines;
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
    let path: (string | number)[] = [];
    names.forEach((name, index) => {
      path = [...path, name];
      const count = this.#counts.get(keyOf(path));
      if (array && index === names.length - 1) {
        this.#counts.set(keyOf(path), (count ?? 0) + 1);
        this.#note(path, line);
        path = [...path, count ?? 0];
      } else if (count !== undefined) path = [...path, count - 1];
      this.#note(path, line);
    });
    this.#table = path;
    while (this.#text[this.#at] === ']') this.#at += 1;
  }

  #assignment(parent: readonly (string | number)[]): void {
    const line = this.#line;
    let path = [...parent];
    for (const name of this.#keys()) {
      path = [...path, name];
      this.#note(path, line);
    }
    if (this.#text[this.#at] !== '=') return;
    this.#at += 1;
    this.#skipSpace(false);
    this.#value(path);
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

  #value(path: readonly (string | number)[]): void {
    const first = this.#text[this.#at];
    if (first === '"' || first === "'") {
      const triple = first.repeat(3);
      if (this.#text.startsWith(triple, this.#at)) this.#multiline(triple);
      else this.#quoted(first);
    } else if (first === '[') this.#items(path);
    else if (first === '{') this.#members(path);
    else while (!/[,\]}\n#]|^$/.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }

  #items(path: readonly (string | number)[]): void {
    this.#at += 1;
    for (let index = 0; ; index += 1) {
      this.#skipSpace(true);
      if (this.#closes(']')) return;
      this.#note([...path, index], this.#line);
      this.#value([...path, index]);
      this.#skipSpace(true);
      if (this.#text[this.#at] === ',') this.#at += 1;
      else if (!this.#closes(']')) this.#step();
      else return;
    }
  }

  #members(path: readonly (string | number)[]): void {
    this.#at += 1;
    for (;;) {
      this.#skipSpace(true);
      if (this.#closes('}')) return;
      this.#assignment(path);
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

  #note(path: readonly (string | number)[], line: number): void {
    const key = keyOf(path);
    if (!this.#lines.has(key)) this.#lines.set(key, line);
  }
}
