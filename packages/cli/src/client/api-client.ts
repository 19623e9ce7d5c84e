import type { IncomingHttpHeaders } from 'node:http';
import { urlToHttpOptions } from 'node:url';
import { type Certainty, type Clock, encodeJson, isJsonObject, type Json, parseJson } from '@fairlead/base';
import { cliError } from '../cli-error.ts';
import { clientLimits } from '../limits.ts';
import { exchange } from './exchange.ts';

/** The envelope of every answer of the HTTP API (docs/reference/http-api.md). */
export type Envelope = {
  readonly success: boolean;
  readonly output: Json;
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly recovery?: string;
    readonly detail?: Json;
  } | null;
  readonly dispatch_certainty: Certainty;
  readonly failure_kind?: string;
  readonly call?: string;
};

/**
 * What one request came to. `refused`: 401 or 403 by something that is no gateway of ours, such as a proxy in front of it.
 * `unsent`: it never reached a server. `lost`: it began, and no whole answer came back, so what it caused is not known.
 */
export type Answer =
  | { readonly kind: 'answered'; readonly status: number; readonly envelope: Envelope }
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'unsent'; readonly reason: string }
  | { readonly kind: 'lost'; readonly reason: string };

export type ApiRequest = {
  readonly clock: Clock;
  readonly serverUrl: string;
  readonly path: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly token?: string | undefined;
  readonly body?: Json;
  /** For the whole of it, connecting included. */
  readonly timeoutMs: number;
  /** Gives up: before the request began nothing was sent, after it the answer is lost. */
  readonly signal?: AbortSignal;
  /** The proxy to go through, as `findProxy` says. */
  readonly proxy?: URL | null;
  /** Told the head of an answer before its body is read. */
  readonly onHead?: (status: number, headers: IncomingHttpHeaders) => void;
};

/** Sends one request, once. Never retries, never follows a redirect. Rejects with `server_url_invalid` for a bad address. */
export async function sendOnce(options: ApiRequest): Promise<Answer> {
  const { serverUrl, path, method, token, body, proxy, clock, timeoutMs, signal, onHead } = options;
  const url = parseServerUrl(serverUrl, path);
  const isSecure = url.protocol === 'https:';
  // TLS is a tenth of what a command costs, and most speak to their own machine.
  const { request: open } = isSecure ? await import('node:https') : await import('node:http');
  const agent = proxy == null ? false : await throughProxy(proxy, isSecure);
  const payload = body === undefined ? undefined : Buffer.from(encodeJson(body));
  const headers = headersOf(token, payload);
  try {
    const request = { ...urlToHttpOptions(url), method, agent, headers };
    const exchanged = await exchange({ clock, open, request, isSecure, payload, timeoutMs, signal, onHead });
    return exchanged.kind === 'answered' ? readAnswer(exchanged.status, exchanged.bytes) : exchanged;
  } finally {
    if (agent !== false) agent.destroy();
  }
}

/** Read only where a proxy is used. */
async function throughProxy(proxy: URL, isSecure: boolean) {
  const { ProxyAgent } = await import('./proxy-agent.ts');
  return new ProxyAgent(proxy, isSecure);
}

function headersOf(token: string | undefined, payload: Buffer | undefined): Record<string, string | number> {
  return {
    accept: 'application/json',
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(payload === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': payload.length }),
  };
}

function readAnswer(status: number, bytes: Buffer): Answer {
  const envelope = readEnvelope(bytes);
  if (envelope !== null) return { kind: 'answered', status, envelope };
  if (status === 401 || status === 403) return { kind: 'refused', status };
  return { kind: 'lost', reason: `an answer (HTTP ${status}) that is not Fairlead’s` };
}

/** The address of a path on a server. Throws `server_url_invalid`. */
export function parseServerUrl(serverUrl: string, path: string): URL {
  const url = URL.parse(serverUrl);
  const isPlain =
    url !== null &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    `${url.username}${url.password}${url.search}${url.hash}` === '';
  // The address is not repeated: what does not belong into it may be a secret.
  if (!isPlain) throw cliError('server_url_invalid');
  const base = url.pathname.endsWith('/') ? url.pathname.slice(0, -1) : url.pathname;
  return new URL(`${base}${path}`, url);
}

const answerBounds = {
  maxBytes: clientLimits.answerBytes,
  maxDepth: clientLimits.answerDepth,
  maxNodes: clientLimits.answerNodes,
  maxStringBytes: clientLimits.answerBytes,
  maxKeyBytes: clientLimits.answerBytes,
};

/** The JSON that the bytes of an answer are, or null. */
export function readAnswerJson(bytes: Buffer): Json {
  const parsed = parseJson(bytes, answerBounds);
  return parsed.ok ? parsed.value : null;
}

/** The envelope that the bytes of an answer are, or null. */
export function readEnvelope(bytes: Buffer): Envelope | null {
  const value = readAnswerJson(bytes);
  return isEnvelope(value) ? value : null;
}

function isEnvelope(value: Json): value is Json & Envelope {
  if (!isJsonObject(value) || typeof value['success'] !== 'boolean' || !('output' in value)) return false;
  const certainty = value['dispatch_certainty'];
  if (certainty !== 'not_started' && certainty !== 'completed' && certainty !== 'outcome_unknown')
    return false;
  const { error, call } = value;
  if (call !== undefined && typeof call !== 'string') return false;
  if (error === null) return true;
  return (
    isJsonObject(error) &&
    typeof error['code'] === 'string' &&
    typeof error['message'] === 'string' &&
    (error['recovery'] === undefined || typeof error['recovery'] === 'string')
  );
}
