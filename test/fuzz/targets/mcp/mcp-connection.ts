import { connect, type Socket } from 'node:net';

/** An answer as it stood on the socket. */
export type McpAnswer = {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
};

/**
 * One bare connection to a gateway. What is sent goes out in one write and the answers come back in its order, so that several
 * requests cost little more than one; a connection that was closed is opened again.
 */
export class McpConnection {
  readonly #port: number;
  #socket: Socket | null = null;

  constructor(port: number) {
    this.#port = port;
  }

  /**
   * The answers, one for each request, fewer where the gateway closed the connection. `fate` says what the last request is: as good as the
   * others, broken, so that the gateway may close the connection, or only half of one, with nothing to come.
   */
  async send(
    requests: readonly Buffer[],
    fate: 'kept' | 'broken' | 'half',
  ): Promise<{ answers: McpAnswer[]; isClosed: boolean }> {
    const socket = await this.#open();
    const answers: McpAnswer[] = [];
    let pending: Buffer = Buffer.alloc(0);
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const take = (chunk: Buffer) => {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      try {
        for (let read = answerIn(pending); read !== null; read = answerIn(pending)) {
          answers.push(read.answer);
          pending = pending.subarray(read.length);
        }
      } catch (error) {
        reject(error as Error);
      }
      if (fate !== 'half' && answers.length >= requests.length) resolve(false);
    };
    const over = () => resolve(true);
    socket.on('data', take);
    socket.on('close', over);
    socket.write(Buffer.concat(requests));
    if (fate === 'half') socket.end();
    let isKept = false;
    try {
      const isClosed = await promise;
      isKept = !isClosed && fate === 'kept' && pending.length === 0;
      if (pending.length > 0)
        throw new Error(`more came than was asked for: ${pending.toString('latin1').slice(0, 200)}`);
      return { answers, isClosed };
    } finally {
      socket.off('data', take);
      socket.off('close', over);
      if (!isKept) {
        socket.destroy();
        this.#socket = null;
      }
    }
  }

  close(): void {
    this.#socket?.destroy();
  }

  async #open(): Promise<Socket> {
    const held = this.#socket;
    if (held !== null && !held.destroyed && held.readable && held.writable) return held;
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
    });
    // It is closed next; what came before that is what counts.
    socket.on('error', () => {});
    this.#socket = socket;
    return socket;
  }
}

/** The answer at the beginning of these bytes, once it is whole. */
function answerIn(bytes: Buffer): { readonly answer: McpAnswer; readonly length: number } | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = /^HTTP\/1\.1 ([1-5]\d\d) /.exec(first)?.[1];
  if (status === undefined) throw new Error(`no answer of HTTP: ${first.slice(0, 200)}`);
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const size = status === '204' ? '0' : headers.get('content-length');
  if (size === undefined || !/^\d+$/.test(size))
    throw new Error(`an answer without a length: ${lines.join(', ')}`);
  const length = end + 4 + Number(size);
  if (bytes.length < length) return null;
  const text = bytes.subarray(end + 4, length).toString();
  return { answer: { status: Number(status), headers, text }, length };
}
