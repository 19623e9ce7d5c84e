// The smallest correct native plugin: one tool, `add`. With `--stamp FILE` it writes there when it gives its first answer,
// and who it is. It ends when its stdin does.
import { writeFileSync } from 'node:fs';

const stampFile = process.argv[2] === '--stamp' ? process.argv[3] : undefined;
let stamped = stampFile === undefined;

const number = { type: 'number' };
const add = {
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] },
  outputSchema: { type: 'object', properties: { sum: number }, required: ['sum'] },
};

function answer({ method, params }) {
  if (method === 'initialize') return { protocolVersion: params.protocolVersion };
  if (method === 'tools/list') return { tools: [add] };
  const sum = params.arguments.a + params.arguments.b;
  return { content: [{ type: 'text', text: String(sum) }], structuredContent: { sum }, isError: false };
}

let text = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  text += chunk;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
    const request = JSON.parse(text.slice(0, end));
    text = text.slice(end + 1);
    if (!stamped) {
      stamped = true;
      writeFileSync(stampFile, JSON.stringify({ atNs: String(process.hrtime.bigint()), pid: process.pid }));
    }
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, result: answer(request) })}\n`);
  }
});
