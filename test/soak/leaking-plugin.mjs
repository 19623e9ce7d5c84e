// The counting plugin with a leak: every fourth call of `count` leaves a process behind, which ends by itself after five minutes. A
// soak must notice that, and nothing else: it counts and crashes as the other one does. It ends when its stdin does.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [file] = process.argv.slice(2);
const object = { type: 'object', properties: {} };
const tools = [
  { name: 'count', inputSchema: { ...object, properties: { note: { type: 'string' } } } },
  { name: 'crash', inputSchema: object },
];
let count = 0;

function call({ name }) {
  if (name === 'crash') process.exit(1);
  appendFileSync(file, '.');
  count += 1;
  if (count % 4 === 0) spawn('sleep', ['300'], { stdio: 'ignore' });
  return { content: [], structuredContent: { calls: count } };
}

function resultOf(method, params) {
  if (method === 'initialize') return { protocolVersion: 'webcodex-plugin-v1' };
  return method === 'tools/list' ? { tools } : call(params);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result: resultOf(method, params) }));
}
