import { isUtf8 } from 'node:buffer';
import type { Json } from './json.ts';
import type { JsonBounds, JsonBoundsFault } from './json-bounds.ts';

/** Why a text is refused. The first four words are about form, the rest name the limit that was passed. */
export type JsonFault =
  | 'syntax'
  | 'invalid_utf8'
  | 'duplicate_key'
  | 'lone_surrogate'
  | 'number_not_finite'
  | 'integer_out_of_range'
  | JsonBoundsFault;

/** What `parseJson` answers. */
export type JsonParse =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly fault: JsonFault };

/**
 * Parses one JSON text (RFC 8259) from bytes. The bytes are scanned first, so a hostile text costs one pass and no
 * allocation: fatal UTF-8, depth, nodes, string and key bytes, no duplicate keys, no lone surrogates, only finite numbers, integer tokens only within ±(2^53−1).
 */
export function parseJson(bytes: Uint8Array, bounds: JsonBounds): JsonParse {
  const fault = scanJson(bytes, bounds);
  if (fault !== null) return { ok: false, fault };
  return { ok: true, value: JSON.parse(decode(bytes)) as Json };
}

/** The scan alone: the first fault, or null when `JSON.parse` will take the text as it stands. */
export function scanJson(bytes: Uint8Array, bounds: JsonBounds): JsonFault | null {
  if (bytes.length > bounds.maxBytes) return 'bytes';
  return new Scan(bytes, bounds).run();
}

function decode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const MINUS = 0x2d;
const LETTER_U = 0x75;

const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');
const NULL = Buffer.from('null');

/** Above this many keys an object's keys are kept in a set: comparing one by one would be quadratic. */
const LISTED_KEYS = 16;

type ObjectFrame = {
  /** Hash of each key so far, with where its token starts, flat: hash, start, hash, start … */
  readonly listed: number[];
  all: Set<string> | undefined;
};

/** One pass over one text. Containers are kept on an explicit stack, so depth costs no call stack. */
class Scan {
  readonly #bytes: Uint8Array;
  readonly #bounds: JsonBounds;
  #at = 0;
  #nodes = 0;
  #ascii = true;
  #keyHash = 0;
  #keyEscaped = false;
  /** One entry per open container: its keys for an object, null for an array. */
  readonly #open: (ObjectFrame | null)[] = [];

  constructor(bytes: Uint8Array, bounds: JsonBounds) {
    this.#bytes = bytes;
    this.#bounds = bounds;
  }

  run(): JsonFault | null {
    const fault = this.#values();
    if (fault !== null) return fault;
    this.#skipSpace();
    if (this.#at !== this.#bytes.length) return 'syntax';
    return this.#ascii || isUtf8(this.#bytes) ? null : 'invalid_utf8';
  }

  #values(): JsonFault | null {
    for (;;) {
      // At the start of a value.
      this.#skipSpace();
      this.#nodes += 1;
      if (this.#nodes > this.#bounds.maxNodes) return 'nodes';
      const byte = this.#bytes[this.#at];
      let fault: JsonFault | null;
      if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        this.#at += 1;
        this.#skipSpace();
        const close = byte === OPEN_OBJECT ? CLOSE_OBJECT : CLOSE_ARRAY;
        if (this.#bytes[this.#at] === close) {
          this.#at += 1;
        } else {
          this.#open.push(byte === OPEN_OBJECT ? { listed: [], all: undefined } : null);
          if (this.#open.length > this.#bounds.maxDepth) return 'depth';
          if (byte === OPEN_OBJECT) {
            fault = this.#key();
            if (fault !== null) return fault;
          }
          continue;
        }
      } else {
        fault = this.#scalar(byte);
        if (fault !== null) return fault;
      }
      // After a value: close what ends here, or go on to the next member.
      for (;;) {
        if (this.#open.length === 0) return null;
        const frame = this.#open[this.#open.length - 1];
        this.#skipSpace();
        const next = this.#bytes[this.#at];
        this.#at += 1;
        if (next === COMMA) {
          if (frame !== null) {
            this.#skipSpace();
            fault = this.#key();
            if (fault !== null) return fault;
          }
          break;
        }
        if (next !== (frame === null ? CLOSE_ARRAY : CLOSE_OBJECT)) return 'syntax';
        this.#open.pop();
      }
    }
  }

  #scalar(byte: number | undefined): JsonFault | null {
    switch (byte) {
      case QUOTE:
        return this.#string(false);
      case 0x74:
        return this.#word(TRUE);
      case 0x66:
        return this.#word(FALSE);
      case 0x6e:
        return this.#word(NULL);
      default:
        return this.#number();
    }
  }

  #word(word: Uint8Array): JsonFault | null {
    for (let index = 0; index < word.length; index += 1) {
      if (this.#bytes[this.#at + index] !== word[index]) return 'syntax';
    }
    this.#at += word.length;
    return null;
  }

  #number(): JsonFault | null {
    const bytes = this.#bytes;
    const start = this.#at;
    let at = start;
    if (bytes[at] === MINUS) at += 1;
    const digits = at;
    if (bytes[at] === 0x30) at += 1;
    else while (isDigit(bytes[at])) at += 1;
    if (at === digits) return 'syntax';
    const integerDigits = at - digits;
    let integer = true;
    if (bytes[at] === 0x2e) {
      integer = false;
      at += 1;
      const fraction = at;
      while (isDigit(bytes[at])) at += 1;
      if (at === fraction) return 'syntax';
    }
    if (bytes[at] === 0x65 || bytes[at] === 0x45) {
      integer = false;
      at += 1;
      if (bytes[at] === 0x2b || bytes[at] === MINUS) at += 1;
      const exponent = at;
      while (isDigit(bytes[at])) at += 1;
      if (at === exponent) return 'syntax';
    }
    this.#at = at;
    if (integer && integerDigits < 16) return null;
    const value = Number(decode(bytes.subarray(start, at)));
    if (!Number.isFinite(value)) return integer ? 'integer_out_of_range' : 'number_not_finite';
    return integer && !Number.isSafeInteger(value) ? 'integer_out_of_range' : null;
  }

  #key(): JsonFault | null {
    if (this.#bytes[this.#at] !== QUOTE) return 'syntax';
    const start = this.#at;
    const fault = this.#string(true) ?? this.#noteKey(start);
    if (fault !== null) return fault;
    this.#skipSpace();
    if (this.#bytes[this.#at] !== COLON) return 'syntax';
    this.#at += 1;
    return null;
  }

  #noteKey(start: number): JsonFault | null {
    const frame = this.#open[this.#open.length - 1];
    if (frame === null || frame === undefined) return null;
    if (frame.all !== undefined) {
      const key = this.#keyAt(start);
      if (frame.all.has(key)) return 'duplicate_key';
      frame.all.add(key);
      return null;
    }
    const hash = this.#keyEscaped ? hashText(this.#keyAt(start)) : this.#keyHash;
    const { listed } = frame;
    for (let index = 0; index < listed.length; index += 2) {
      if (listed[index] !== hash) continue;
      if (this.#keyAt(listed[index + 1] as number) === this.#keyAt(start)) return 'duplicate_key';
    }
    listed.push(hash, start);
    if (listed.length > LISTED_KEYS * 2) {
      frame.all = new Set();
      for (let index = 1; index < listed.length; index += 2)
        frame.all.add(this.#keyAt(listed[index] as number));
    }
    return null;
  }

  /** The decoded key whose opening quote stands at `start`; its form has been checked. */
  #keyAt(start: number): string {
    let end = start + 1;
    while (this.#bytes[end] !== QUOTE) end += this.#bytes[end] === BACKSLASH ? 2 : 1;
    return JSON.parse(decode(this.#bytes.subarray(start, end + 1))) as string;
  }

  /** Leaves the position behind the closing quote, and the key's hash where `key` asks for it. */
  #string(key: boolean): JsonFault | null {
    const bytes = this.#bytes;
    const max = key ? this.#bounds.maxKeyBytes : this.#bounds.maxStringBytes;
    let at = this.#at + 1;
    let saved = 0;
    let hash = HASH_START;
    let escaped = false;
    const start = at;
    for (;;) {
      const byte = bytes[at];
      if (byte === undefined || byte < 0x20) return 'syntax';
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) {
        escaped = true;
        const length = this.#escape(at);
        if (typeof length === 'string') return length;
        const decoded = length === 2 ? 1 : length === 12 ? 4 : utf8Length(hex4(bytes, at + 2));
        saved += length - decoded;
        at += length;
        continue;
      }
      if (byte >= 0x80) this.#ascii = false;
      hash = Math.imul(hash ^ byte, HASH_FACTOR);
      at += 1;
    }
    if (at - start - saved > max) return key ? 'key_bytes' : 'string_bytes';
    this.#at = at + 1;
    this.#keyHash = hash;
    this.#keyEscaped = escaped;
    return null;
  }

  /** The length of the escape at `at` (2, 6, or 12 for a surrogate pair), or why it is refused. */
  #escape(at: number): number | JsonFault {
    const bytes = this.#bytes;
    const letter = bytes[at + 1];
    if (letter !== LETTER_U) return letter !== undefined && SHORT_ESCAPES.has(letter) ? 2 : 'syntax';
    const unit = hex4(bytes, at + 2);
    if (unit < 0) return 'syntax';
    if (unit < 0xd800 || unit > 0xdfff) return 6;
    if (unit > 0xdbff || bytes[at + 6] !== BACKSLASH || bytes[at + 7] !== LETTER_U) return 'lone_surrogate';
    const low = hex4(bytes, at + 8);
    if (low < 0) return 'syntax';
    return low >= 0xdc00 && low <= 0xdfff ? 12 : 'lone_surrogate';
  }

  #skipSpace(): void {
    const bytes = this.#bytes;
    for (let at = this.#at; ; at += 1) {
      const byte = bytes[at];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) {
        this.#at = at;
        return;
      }
    }
  }
}

const SHORT_ESCAPES: ReadonlySet<number> = new Set(Buffer.from('"\\/bfnrt'));
const HASH_START = 0x811c9dc5 | 0;
const HASH_FACTOR = 0x01000193;

function hashText(text: string): number {
  let hash = HASH_START;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, HASH_FACTOR);
  return hash;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

function hex4(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let index = at; index < at + 4; index += 1) {
    const byte = bytes[index] ?? 0;
    let digit: number;
    if (byte >= 0x30 && byte <= 0x39) digit = byte - 0x30;
    else if ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66) digit = (byte | 0x20) - 0x57;
    else return -1;
    value = value * 16 + digit;
  }
  return value;
}

function utf8Length(unit: number): number {
  if (unit < 0x80) return 1;
  return unit < 0x800 ? 2 : 3;
}
