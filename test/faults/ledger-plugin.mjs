// A plugin whose every execution can be counted afterwards. Before it answers, it writes the execution to a file of its own in the
// folder that it is given and syncs the file and the folder: these files are what really happened. The file says what the answer says.
// Arguments of both tools: `name` (the file), `hold` (having written it, it waits for the file `<name>.gate`), `silent` (`before`: it
// neither writes nor answers; `after`: it writes and does not answer), `flood` (bytes that it writes to stderr before anything else),
// `fails` (its result says isError). Where a file `<name>.order` lies there, its arguments stand for those of the call: an agent's script
// cannot know them.
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [folder = '.', marks = '.'] = process.argv.slice(2);
const HOLD_MAX_MS = 20_000;
const FLOOD_LINE = `${'x'.repeat(1023)}\n`;

const inputSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    hold: { type: 'boolean' },
    silent: { type: 'string' },
    flood: { type: 'integer' },
    fails: { type: 'boolean' },
  },
  required: ['name'],
};

/** A second execution of one name is a second file. */
function record(name) {
  const answer = randomUUID();
  const draft = join(folder, `.${answer}`);
  const file = openSync(draft, 'wx');
  writeSync(file, JSON.stringify({ name, answer }));
  fsyncSync(file);
  closeSync(file);
  try {
    linkSync(draft, join(folder, name));
  } catch {
    linkSync(draft, join(folder, `${name}+${answer}`));
  }
  unlinkSync(draft);
  const directory = openSync(folder, 'r');
  fsyncSync(directory);
  closeSync(directory);
  return answer;
}

async function gate(name) {
  const path = join(marks, `${name}.gate`);
  const end = Date.now() + HOLD_MAX_MS;
  while (!existsSync(path) && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 2));
}

function orderOf(given) {
  try {
    return JSON.parse(readFileSync(join(marks, `${given.name}.order`), 'utf8'));
  } catch {
    return given;
  }
}

async function work(given) {
  const { name, hold, silent, flood = 0, fails } = orderOf(given);
  for (let written = 0; written < flood; written += FLOOD_LINE.length) process.stderr.write(FLOOD_LINE);
  if (silent === 'before') return null;
  const answer = record(name);
  if (silent === 'after') return null;
  if (hold === true) await gate(name);
  const content = [{ type: 'text', text: answer }];
  return fails === true ? { content, isError: true } : { content };
}

async function resultOf(method, params) {
  if (method === 'initialize') return { protocolVersion: 'webcodex-plugin-v1' };
  if (method === 'tools/list') return { tools: ['work', 'brief'].map((name) => ({ name, inputSchema })) };
  return await work(params.arguments);
}

writeFileSync(join(marks, 'plugin.pid'), String(process.pid));
// It does not end with its input, as bad ones do not: somebody has to end it.
setInterval(() => {}, 1_000_000);
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const result = await resultOf(method, params);
  if (result !== null) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
}
