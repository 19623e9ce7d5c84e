import { TextDecoder } from 'node:util';

/** What a body is, by its type and its first bytes. */
type BodyKind = 'html' | 'text' | 'binary';

/** `text` is empty for a binary body. `type` is the media type without parameters, empty where none was said. */
export interface PageText {
  readonly kind: BodyKind;
  readonly type: string;
  readonly text: string;
}

/** Where HTML says its own charset; browsers look no further, either. */
const PRESCAN_BYTES = 1024;

const HTML_TYPES: ReadonlySet<string> = new Set(['text/html', 'application/xhtml+xml']);

const TEXT_TYPE =
  /^(?:text\/.*|application\/(?:json|xml|javascript|ecmascript|x-ndjson|ndjson|jsonl|yaml|x-yaml|toml|sql|graphql|rtf|x-sh|x-www-form-urlencoded)|[^/]+\/.*\+(?:json|xml|yaml))$/;

/**
 * The text of a body: by the mark at its start, else by the charset of its header, else by that of its `meta`, else as UTF-8. What is no
 * text and what nobody can tell to be text is binary.
 */
export function pageText(body: Uint8Array, contentType: string): PageText {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const kind = kindOf(body, type);
  return { kind, type, text: kind === 'binary' ? '' : decoded(body, charsetIn(contentType), kind) };
}

function kindOf(body: Uint8Array, type: string): BodyKind {
  if (HTML_TYPES.has(type)) return 'html';
  if (TEXT_TYPE.test(type)) return 'text';
  if (type !== '' && type !== 'application/octet-stream' && type !== 'application/unknown') return 'binary';
  const start = body.subarray(0, PRESCAN_BYTES);
  if (markOf(body) === undefined && start.includes(0)) return 'binary';
  // Whoever says nothing of a type may have text; whoever says "bytes" has bytes.
  if (type !== '') return 'binary';
  return /^\s*<(?:!doctype html|html|head|body)\b/i.test(latin1(start)) ? 'html' : 'text';
}

function charsetIn(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1];
}

function decoded(body: Uint8Array, header: string | undefined, kind: BodyKind): string {
  const inside = kind === 'html' ? charsetOfMeta(latin1(body.subarray(0, PRESCAN_BYTES))) : undefined;
  const decoder =
    decoderFor(markOf(body)) ?? decoderFor(header) ?? decoderFor(inside) ?? new TextDecoder('utf-8');
  return decoder.decode(body);
}

/** The encoding that a byte order mark says. */
function markOf(body: Uint8Array): string | undefined {
  const [first, second, third] = body;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

function charsetOfMeta(start: string): string | undefined {
  for (const [meta] of start.matchAll(/<meta\b[^>]*>/gi)) {
    const label = /charset\s*=\s*["']?\s*([^\s"'/>;]+)/i.exec(meta)?.[1];
    // A page that could be read so far is not in 16 bits, whatever it says.
    if (label !== undefined) return /^utf-?16/i.test(label) ? 'utf-8' : label;
  }
  return undefined;
}

function decoderFor(label: string | undefined): TextDecoder | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}

function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
