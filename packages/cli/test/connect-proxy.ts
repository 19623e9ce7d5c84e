import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export type ConnectProxy = {
  readonly url: string;
  /** What was asked for, in order: `CONNECT host:port` and its credentials. */
  readonly asked: readonly { readonly target: string; readonly authorization: string | undefined }[];
};

/** A proxy that opens every way to one port of this machine, whatever was asked for; or refuses with a status. */
export async function connectProxy(
  t: { after(hook: () => unknown): void },
  options: { readonly to?: number; readonly refuse?: number; readonly hangUp?: boolean },
): Promise<ConnectProxy> {
  const asked: { target: string; authorization: string | undefined }[] = [];
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connection', keep);
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    asked.push({ target: request.url ?? '', authorization: request.headers['proxy-authorization'] });
    if (options.hangUp === true) {
      socket.destroy();
      return;
    }
    if (options.refuse !== undefined) {
      socket.end(`HTTP/1.1 ${options.refuse} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const far = connect(options.to ?? 0, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Open\r\n\r\n');
      socket.pipe(far).pipe(socket);
    });
    keep(far);
    socket.on('close', () => far.destroy());
    far.on('close', () => socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}
