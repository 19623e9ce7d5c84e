import { validateHeaderName, validateHeaderValue } from 'node:http';
import { networkLimits } from '../limits.ts';

/** Header names are in lower case. */
export type RequestHeaders = Readonly<Record<string, string>>;

/** What belongs to the connection, which the host makes itself. */
const OWN: ReadonlySet<string> = new Set([
  ...['host', 'connection', 'content-length', 'transfer-encoding', 'upgrade', 'te', 'trailer', 'expect'],
  ...['keep-alive', 'accept-encoding', 'http2-settings', 'sec-websocket-key', 'sec-websocket-version'],
]);

/** What may follow a redirect to another origin: nothing in it says who asks. */
const ANONYMOUS: ReadonlySet<string> = new Set([
  ...['accept', 'accept-language', 'user-agent', 'content-type', 'content-language', 'content-encoding'],
  ...['content-location', 'range', 'if-modified-since', 'if-none-match', 'if-range', 'cache-control'],
]);

/** The headers of a request, or null where one may not be set, is none, or there are too many. */
export function checkedHeaders(given: Readonly<Record<string, string>>): RequestHeaders | null {
  const headers: Record<string, string> = {};
  let bytes = 0;
  for (const [name, value] of Object.entries(given)) {
    const key = name.toLowerCase();
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value) + 4;
    if (bytes > networkLimits.requestHeaderBytes || Object.hasOwn(headers, key)) return null;
    if (OWN.has(key) || key.startsWith('proxy-') || !isHeader(key, value)) return null;
    headers[key] = value;
  }
  return headers;
}

/** The headers for the next request after a redirect. */
export function redirectedHeaders(
  headers: RequestHeaders,
  change: { readonly isSameOrigin: boolean; readonly dropsBody: boolean },
): RequestHeaders {
  const kept = Object.entries(headers).filter(
    ([name]) =>
      (change.isSameOrigin || ANONYMOUS.has(name)) && !(change.dropsBody && name.startsWith('content-')),
  );
  return Object.fromEntries(kept);
}

function isHeader(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
