import type { ClientRequest, IncomingHttpHeaders, IncomingMessage, RequestOptions } from 'node:http';
import type { Clock } from '@fairlead/base';
import { clientLimits } from '../limits.ts';

/** Opens a request, as `request` of node:http and node:https does. */
export type OpenRequest = (options: RequestOptions) => ClientRequest;

/**
 * What one exchange came to. `unsent`: no byte of it was on a connection. `lost`: it began, and no whole answer came back, so what it
 * caused is not known.
 */
export type Exchanged =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly bytes: Buffer;
    }
  | { readonly kind: 'unsent'; readonly reason: string }
  | { readonly kind: 'lost'; readonly reason: string };

export type ExchangeOptions = {
  readonly clock: Clock;
  readonly open: OpenRequest;
  readonly request: RequestOptions;
  /** Over TLS a request is on its way when that stands, else when the socket is connected. */
  readonly isSecure: boolean;
  readonly payload?: Buffer | undefined;
  /** For the whole of it, connecting included. */
  readonly timeoutMs: number;
  /** Gives up: before the request began nothing was sent, after it the answer is lost. */
  readonly signal?: AbortSignal | undefined;
  /** Told the head of an answer before its body is read. */
  readonly onHead?: ((status: number, headers: IncomingHttpHeaders) => void) | undefined;
};

/** One request over Node's client and its whole answer, of at most 8 MiB. Never retries, never follows a redirect, never rejects. */
export function exchange(options: ExchangeOptions): Promise<Exchanged> {
  const { clock, open, isSecure, payload, timeoutMs, signal, onHead } = options;
  return new Promise((resolve) => {
    let hasBegun = false;
    let isOver = false;
    const end = (exchanged: Exchanged) => {
      if (isOver) return;
      isOver = true;
      timer.cancel();
      signal?.removeEventListener('abort', interrupt);
      resolve(exchanged);
    };
    const fail = (reason: string) => {
      end({ kind: hasBegun ? 'lost' : 'unsent', reason });
      request.destroy();
    };
    const interrupt = () => fail('interrupted');
    const request = open(options.request);
    request.on('socket', (socket) => {
      // What is open takes the request at once: a kept socket, or a proxy's way.
      if (!socket.connecting) hasBegun = true;
      else
        socket.once(isSecure ? 'secureConnect' : 'connect', () => {
          hasBegun = true;
        });
    });
    request.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? 'the connection failed'));
    request.on('response', (response) => {
      onHead?.(response.statusCode ?? 0, response.headers);
      collect(response, end, fail);
    });
    const timer = clock.setTimer(timeoutMs, () => fail(`no answer within ${Math.ceil(timeoutMs / 1000)} s`));
    signal?.addEventListener('abort', interrupt, { once: true });
    request.end(payload);
  });
}

function collect(
  response: IncomingMessage,
  end: (exchanged: Exchanged) => void,
  fail: (reason: string) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > clientLimits.answerBytes) fail('the answer is too large');
    else chunks.push(chunk);
  });
  response.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? 'the answer broke off'));
  response.on('end', () => {
    if (!response.complete) return fail('the answer broke off');
    const [first] = chunks;
    const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
    end({ kind: 'answered', status: response.statusCode ?? 0, headers: response.headers, bytes });
  });
}
