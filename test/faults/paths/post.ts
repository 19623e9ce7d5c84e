import { request } from 'node:http';
import { callerPatienceMs, outOfPatience } from './call-path.ts';

export type Posted =
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  | { readonly kind: 'lost' | 'late'; readonly reason: string }
  | { readonly kind: 'unsent'; readonly reason: string };

/** One POST of JSON on a connection of its own, once. `unsent`: no connection came about. `late`: it stood, and the time was over. */
export function post(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: unknown,
  timeoutMs: number = callerPatienceMs,
): Promise<Posted> {
  const payload = JSON.stringify(body);
  return new Promise((resolve) => {
    let hasBegun = false;
    const fail = (reason: string) => resolve({ kind: hasBegun ? 'lost' : 'unsent', reason });
    const sending = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method: 'POST',
        agent: false,
        headers: {
          ...headers,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(payload),
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('error', () => fail('the answer broke off'));
        response.on('end', () => {
          if (response.complete) resolve({ kind: 'answered', status: response.statusCode ?? 0, text });
          else fail('the answer broke off');
        });
        response.on('close', () => clearTimeout(timer));
      },
    );
    const timer = setTimeout(() => {
      if (hasBegun) resolve(outOfPatience);
      sending.destroy(new Error('no connection in time'));
    }, timeoutMs);
    sending.on('socket', (socket) =>
      socket.once('connect', () => {
        hasBegun = true;
      }),
    );
    sending.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      fail(error.code ?? error.message);
    });
    sending.end(payload);
  });
}
