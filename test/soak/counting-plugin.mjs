// Two tools: `count` adds a byte to the file that it is given and says how many calls this process has had; `crash` ends the process
// without an answer. It ends when its stdin does.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [file] = process.argv.slice(2);
const inputSchema = { type: 'object', properties: { note: { type: 'string' } } };
const calls = { type: 'integer' };
const tools = [
  {
    name: 'count',
    inputSchema,
    outputSchema: { type: 'object', properties: { calls }, required: ['calls'] },
  },
  { name: 'crash', inputSchema: { type: 'object', properties: {} } },
];
let count = 0;

function call({ name }) {
  if (name === 'crash') process.exit(1);
  appendFileSync(file, '.');
  count += 1;
  return { content: [{ type: 'text', text: String(count) }], structuredContent: { calls: count } };
}

function resultOf(method, params) {
  if (method === 'initialize') return { protocolVersion: 'webcodex-plugin-v1' };
  return method === 'tools/list' ? { tools } : call(params);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method, params) }));
}
