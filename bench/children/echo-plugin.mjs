// The smallest correct native plugin whose answer is as long as its question: one tool, `echo`. It ends when its stdin does.
const text = { type: 'string', maxLength: 16384 };
const echo = {
  name: 'echo',
  description: 'Gives back what it got.',
  inputSchema: { type: 'object', properties: { text }, required: ['text'] },
  outputSchema: { type: 'object', properties: { text }, required: ['text'] },
};

function answer({ method, params }) {
  if (method === 'initialize') return { protocolVersion: params.protocolVersion };
  if (method === 'tools/list') return { tools: [echo] };
  return { content: [], structuredContent: { text: params.arguments.text }, isError: false };
}

let waiting = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  waiting += chunk;
  for (let end = waiting.indexOf('\n'); end >= 0; end = waiting.indexOf('\n')) {
    const request = JSON.parse(waiting.slice(0, end));
    waiting = waiting.slice(end + 1);
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, result: answer(request) })}\n`);
  }
});
