// A plugin whose one tool has an effect that can be counted: it appends its argument `name` to the file `effects` of the folder that it
// is given. Other arguments: `until` (a file: before the effect it waits for that file, after it has noted the name in `began`), `dies`
// (it exits after the effect, without an answer), `fails` (its result says isError).
import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [folder = '.'] = process.argv.slice(2);
const optional = { until: { type: 'string' }, dies: { type: 'boolean' }, fails: { type: 'boolean' } };
const inputSchema = {
  type: 'object',
  properties: { name: { type: 'string' }, ...optional },
  required: ['name'],
};

async function work({ name, until, dies, fails }) {
  appendFileSync(join(folder, 'began'), `${name}\n`);
  while (until !== undefined && !existsSync(until)) await new Promise((resolve) => setTimeout(resolve, 2));
  appendFileSync(join(folder, 'effects'), `${name}\n`);
  if (dies === true) process.exit(1);
  const content = [{ type: 'text', text: `did ${name}` }];
  return fails === true ? { content, isError: true } : { content };
}

async function resultOf(method, params) {
  if (method === 'initialize') return { protocolVersion: 'webcodex-plugin-v1' };
  if (method === 'tools/list') return { tools: [{ name: 'work', inputSchema }] };
  return await work(params.arguments);
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result: await resultOf(method, params) }));
}
