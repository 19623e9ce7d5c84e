import { mcpLimits } from '../limits.ts';

/** The head of an answer: where its body begins and how long that is. */
export type AnswerHead = {
  readonly status: number;
  readonly mediaType: string;
  readonly bodyAt: number;
  readonly length: number;
  /** The server closes the connection after it. */
  readonly isLast: boolean;
};

/**
 * Reads the head of an HTTP/1.1 answer with one Content-Length and no transfer coding. `more`: it is not whole yet; null: it is
 * none, or of another kind.
 */
export function readHead(bytes: Buffer): AnswerHead | 'more' | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return bytes.length > mcpLimits.headBytes ? null : 'more';
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const status = /^HTTP\/1\.1 (\d{3})(?: |$)/.exec(first)?.[1];
  if (status === undefined) return null;
  let length: number | null = null;
  let mediaType = '';
  let isLast = false;
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === 'transfer-encoding') return null;
    if (name === 'content-type') mediaType = value.split(';', 1)[0] ?? '';
    if (name === 'connection') isLast = /\bclose\b/i.test(value);
    if (name !== 'content-length') continue;
    if (length !== null || !/^\d{1,10}$/.test(value)) return null;
    length = Number(value);
  }
  return length === null ? null : { status: Number(status), mediaType, bodyAt: end + 4, length, isLast };
}
