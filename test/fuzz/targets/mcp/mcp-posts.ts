/** One request to `/mcp`, as it goes onto a socket. */
export type McpPost = {
  readonly bytes: Buffer;
  /** What a client of the protocol would read in its body; undefined where it is no JSON. */
  readonly message: unknown;
  readonly era: string;
  /** Whether it is an honest request of HTTP: only then is it answered, and what follows it read. */
  readonly isSound: boolean;
  /** Whether its body says that it is longer than it is: nothing can come behind it. */
  readonly isHalf: boolean;
  /** Whether method, path, token and media type are those of a client of MCP. */
  readonly isPlain: boolean;
};

export const ERAS: readonly string[] = ['2025-11-25', '2026-07-28'];
/** As many are sent in one go: more shows nothing that fewer do not. */
const POSTS_MAX = 6;
const METHODS: ReadonlySet<unknown> = new Set(['POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** The end of a body is told by the framing alone; the rest is about the connection and not about the protocol. */
const FRAMING: ReadonlySet<string> = new Set([
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'expect',
  'upgrade',
  'te',
  'trailer',
]);
/** Half of what the gateway takes, so that all of them together are within its bounds. */
const HEADERS_MAX = 8 * 1_024;

/**
 * What an input asks to be sent: `{"posts": [{era?, method?, path?, headers?, body? | raw?, framing?}]}`, one after another on one
 * connection; anything else is itself a body, which is sent as a client of each revision would.
 */
export function postsOf(input: Uint8Array, token: string): McpPost[] {
  const asked = parsed(Buffer.from(input).toString());
  const list = isRecord(asked) ? asked['posts'] : undefined;
  if (!Array.isArray(list)) return ERAS.map((era) => postOf({ era }, Buffer.from(input), token));
  return list.slice(0, POSTS_MAX).map((post: unknown) => {
    const given = isRecord(post) ? post : { body: post };
    const { raw, body } = given;
    const text = typeof raw === 'string' ? raw : textOf(body);
    return postOf(given, Buffer.from(text), token);
  });
}

type Given = { readonly [key: string]: unknown };

function postOf(given: Given, sent: Buffer, token: string): McpPost {
  const era = given['era'] === ERAS[1] || given['era'] === 1 ? '2026-07-28' : '2025-11-25';
  const body = bodyOf(era, sent);
  const message = parsed(body.toString());
  const headers = headersOf(era, message, token);
  const touched = new Set<string>();
  const changed = isRecord(given['headers']) ? given['headers'] : {};
  for (const [name, value] of Object.entries(changed)) {
    const known = name.toLowerCase();
    const isGone = value === null || (Array.isArray(value) && value.length === 0);
    // A request without a Host is none of HTTP/1.1, and Node answers it itself.
    if (!/^[\w!#$%&'*+.^`|~-]{1,64}$/.test(name) || FRAMING.has(known) || (isGone && known === 'host'))
      continue;
    touched.add(known);
    if (isGone) headers.delete(known);
    else headers.set(known, (Array.isArray(value) ? value : [value]).slice(0, 8).map(headerText));
  }
  const method = METHODS.has(given['method']) ? String(given['method']) : 'POST';
  const path =
    typeof given['path'] === 'string' && /^\/mcp[!-~]{0,200}$/.test(given['path']) ? given['path'] : '/mcp';
  const lines = [...headers].flatMap(([name, values]) => values.map((value) => `${name}: ${value}`));
  const [framing, framed] = framedBody(given['framing'], body);
  const head = Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, framing, '', ''].join('\r\n'), 'latin1');
  return {
    bytes: Buffer.concat([head, framed]),
    message,
    era,
    isSound: head.length < HEADERS_MAX && given['framing'] !== 'half' && !lines.some(hasControl),
    isHalf: given['framing'] === 'half',
    isPlain: method === 'POST' && path === '/mcp' && ![...ADMISSION].some((word) => touched.has(word)),
  };
}

/** What is looked at before there is a message. */
const ADMISSION: ReadonlySet<string> = new Set([
  'authorization',
  'content-type',
  'content-encoding',
  'host',
  'origin',
]);

/** As an honest client of that revision has them. */
function headersOf(era: string, message: unknown, token: string): Map<string, string[]> {
  const headers = new Map([
    ['host', ['localhost']],
    ['content-type', ['application/json']],
    ['accept', ['application/json, text/event-stream']],
    ['authorization', [`Bearer ${token}`]],
    ['mcp-protocol-version', [era]],
  ]);
  if (era !== ERAS[1] || !isRecord(message)) return headers;
  const { method, params } = message;
  const name = isRecord(params) ? params['name'] : undefined;
  if (typeof method === 'string' && PLAIN_NAME.test(method)) headers.set('mcp-method', [method]);
  if (typeof name === 'string' && PLAIN_NAME.test(name)) headers.set('mcp-name', [name]);
  return headers;
}

const PLAIN_NAME = /^[\w/-]{1,64}$/;

/** A request of 2026-07-28 says in itself what its client is: where one does not, that is put in. */
function bodyOf(era: string, sent: Buffer): Buffer {
  const message = era === ERAS[1] && !sent.includes('"_meta"') ? parsed(sent.toString()) : undefined;
  if (!isRecord(message) || message['method'] === undefined) return sent;
  const { params = {} } = message;
  if (!isRecord(params)) return sent;
  return Buffer.from(JSON.stringify({ ...message, params: { ...params, _meta: META } }));
}

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'f', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The header that tells the end of a body, and the body under it: in one piece, in chunks, or only half of it. */
function framedBody(framing: unknown, body: Buffer): [string, Buffer] {
  if (framing === 'half') return [`content-length: ${body.length + 1}`, body];
  if (framing !== 'chunks') return [`content-length: ${body.length}`, body];
  const pieces: Buffer[] = [];
  const size = Math.max(1, Math.ceil(body.length / 5));
  for (let at = 0; at < body.length; at += size) {
    const piece = body.subarray(at, at + size);
    pieces.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
  }
  return ['transfer-encoding: chunked', Buffer.concat([...pieces, Buffer.from('0\r\n\r\n')])];
}

/** No value may begin another line; every other byte is the gateway's to judge. */
function headerText(value: unknown): string {
  return textOf(value)
    .slice(0, 4_096)
    .replace(/[\r\n]/g, ' ');
}

function hasControl(line: string): boolean {
  return /[\0-\x08\x0a-\x1f\x7f]/.test(Buffer.from(line, 'latin1').toString('latin1'));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
