// The least that the far end of a WebSocket does for a JSON call: parses the frame, answers one of the same shape as the
// Runner link's. Prints its port. It ends when its stdin does.
import { WebSocketServer } from 'ws';

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false }, () =>
  console.log(server.address().port),
);
server.on('connection', (socket) => {
  socket._socket.setNoDelay(true);
  socket.on('message', (bytes) => {
    const { id, request } = JSON.parse(bytes.toString('utf8'));
    const sum = request.arguments.a + request.arguments.b;
    const result = {
      content: [{ type: 'text', text: String(sum) }],
      structuredContent: { sum },
      isError: false,
    };
    const payload = { kind: 'tools_call', result };
    socket.send(JSON.stringify({ type: 'result', id, response: { dispatch_state: 'completed', payload } }));
  });
});
process.stdin.resume().on('end', () => process.exit(0));
