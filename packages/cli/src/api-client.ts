import { type ClientRequest, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { FairleadError, isJsonObject, type Json, type JsonObject } from '@fairlead/base';

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
  readonly dispatch_certainty: 'not_started' | 'completed' | 'outcome_unknown';
  readonly failure_kind?: string;
  readonly call?: string;
};

/**
 * What one request came to. `unsent`: it never reached a server. `lost`: it began, and no whole answer came back, so what
 * it caused is not known.
 */
export type Answer =
  | { readonly kind: 'answered'; readonly status: number; readonly envelope: Envelope }
  | { readonly kind: 'unsent'; readonly reason: string }
  | { readonly kind: 'lost'; readonly reason: string };

export type ApiRequest = {
  readonly serverUrl: string;
  readonly path: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly token?: string | undefined;
  readonly body?: Json;
  readonly timeoutMs: number;
};

const maxAnswerBytes = 16 * 1024 * 1024;

/** Sends one request, once. Never retries, never follows a redirect. Throws `server_url_invalid` for a bad address. */
export function sendOnce(options: ApiRequest): Promise<Answer> {
  const url = parseServerUrl(options.serverUrl, options.path);
  const payload = options.body === undefined ? undefined : Buffer.from(JSON.stringify(options.body));
  return new Promise((resolve) => {
    let connected = false;
    let timer: NodeJS.Timeout | undefined;
    const end = (answer: Answer) => {
      clearTimeout(timer);
      resolve(answer);
      request.destroy();
    };
    const fail = (reason: string) => end(connected ? { kind: 'lost', reason } : { kind: 'unsent', reason });
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request: ClientRequest = send(url, {
      method: options.method,
      agent: false,
      headers: {
        accept: 'application/json',
        ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
        ...(payload === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': payload.length }),
      },
    });
    request.on('socket', (socket) => {
      const event = url.protocol === 'https:' ? 'secureConnect' : 'connect';
      socket.once(event, () => {
        connected = true;
      });
    });
    request.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? 'connection failed'));
    request.on('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxAnswerBytes) fail('the answer is too large');
        else chunks.push(chunk);
      });
      response.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? 'the answer broke off'));
      response.on('end', () => {
        const envelope = response.complete ? readEnvelope(Buffer.concat(chunks)) : null;
        if (envelope === null) fail(`an answer (HTTP ${response.statusCode ?? 0}) that is not Fairlead's`);
        else end({ kind: 'answered', status: response.statusCode ?? 0, envelope });
      });
    });
    timer = setTimeout(
      () => fail(`no answer within ${Math.round(options.timeoutMs / 1000)} s`),
      options.timeoutMs,
    );
    request.end(payload);
  });
}

function parseServerUrl(serverUrl: string, path: string): URL {
  const url = URL.parse(serverUrl);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.username !== '') {
    throw new FairleadError(
      'server_url_invalid',
      'the server address must be an http or https URL without a user name',
    );
  }
  const base = url.pathname.endsWith('/') ? url.pathname.slice(0, -1) : url.pathname;
  return new URL(`${base}${path}`, url);
}

function readEnvelope(bytes: Buffer): Envelope | null {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return isEnvelope(value) ? value : null;
  } catch {
    return null;
  }
}

function isEnvelope(value: unknown): value is Envelope {
  if (!isJsonObject(value) || typeof value['success'] !== 'boolean' || !('output' in value)) return false;
  const certainty = value['dispatch_certainty'];
  if (certainty !== 'not_started' && certainty !== 'completed' && certainty !== 'outcome_unknown')
    return false;
  const error = value['error'];
  if (error === null) return true;
  return (
    isJsonObject(error) &&
    typeof (error as JsonObject)['code'] === 'string' &&
    typeof error['message'] === 'string'
  );
}
