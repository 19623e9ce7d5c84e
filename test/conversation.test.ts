// A whole conversation, from a person's message to the file that it asked for: files that are read, a worker, a call that a person approves,
// and a second turn that remembers the first. Everything is real but the model: once a script, once a server that speaks the OpenAI API over
// HTTP and fails in every way that servers do.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isJsonObject, type Json, type JsonObject } from '@fairlead/base';
import type { Entry } from '@fairlead/host';
import { hygiene } from '@fairlead/testing';
import {
  modelStub,
  openAiDelta,
  openAiStream,
  openAiUsage,
  refuse,
  type StubAnswer,
  stream,
} from '../packages/host/test/models/model-stub.ts';
import { type TalkingHost, talkingHost } from './conversation/talking-host.ts';

/** Stands in what is read, and must not be seen anywhere behind it. */
const SECRET = `sk-ant-${'a1B2'.repeat(8)}`;
const KEY = 'the-key-of-the-back-end';

type Call = readonly [tool: string, args: JsonObject];
type Reply = { readonly text: string; readonly calls?: readonly Call[] };

const LOOKS: Reply = {
  text: 'I look first.',
  calls: [
    ['read_file', { path: 'notes.txt' }],
    ['read_file', { path: 'todo.txt' }],
  ],
};
const GIVES_AWAY: Reply = {
  text: '',
  calls: [['spawn_worker', { name: 'reader', task: 'Count the lines of notes.txt.' }]],
};
const WORKER_READS: Reply = { text: '', calls: [['read_file', { path: 'notes.txt' }]] };
const WORKER_SAYS: Reply = { text: 'There are two.' };
const WRITES: Reply = {
  text: 'I write it down.',
  calls: [['write_file', { path: 'report.txt', content: 'two\n' }]],
};
const ENDS: Reply = { text: 'Written.' };
const REMEMBERS: Reply = { text: 'Two lines, said the worker.' };

function furnish({ workspace }: TalkingHost): void {
  writeFileSync(join(workspace, 'notes.txt'), `one\n${SECRET}\n`);
  writeFileSync(join(workspace, 'todo.txt'), 'tea < coffee\n');
}

function inFewWords(entry: Entry): string {
  const who = entry.from.name ?? entry.from.id;
  switch (entry.type) {
    case 'message':
      return `${who}: ${entry.text}${entry.final === false ? ' …' : ''}`;
    case 'directive':
      return `${who} asks: ${entry.text}`;
    case 'ack':
      return `ack of ${who}`;
    case 'turn_end':
      return `end ${entry.status} after ${entry.steps} steps`;
    case 'error':
      return `error ${entry.code}`;
    case 'tool_call':
      return `call ${entry.tool} ${JSON.stringify(entry.arguments)}`;
    case 'tool_result':
      return `${entry.certainty}: ${entry.text.trimEnd()}`;
    case 'approval_request':
      return `asks about ${entry.tool}`;
    case 'approval_decision':
      return `${entry.decision} by ${entry.by} via ${entry.via}`;
    default:
      return entry.type;
  }
}

const REDACTED = '[REDACTED:anthropic_key]';

/** The session after both turns; `cut` stands where a reply was cut. */
function conversation(steps: number, cut: readonly string[] = []): readonly string[] {
  return [
    'Ada: Count what is in my notes, and write it down.',
    'ack of scout',
    'scout: I look first. …',
    'call read_file {"offset":1,"path":"notes.txt"}',
    'call read_file {"offset":1,"path":"todo.txt"}',
    `completed: one\n${REDACTED}`,
    'completed: tea < coffee',
    'call spawn_worker {"async":false,"name":"reader","task":"Count the lines of notes.txt."}',
    'completed: There are two.',
    'scout: I write it down. …',
    'asks about write_file',
    'approved by tok_ada via console',
    'call write_file {"content":"two\\n","path":"report.txt"}',
    'completed: Wrote 4 bytes to report.txt',
    ...cut,
    'scout: Written.',
    `end completed after ${steps} steps`,
    'Ada: What did the worker say?',
    'ack of scout',
    'scout: Two lines, said the worker.',
    'end completed after 1 steps',
  ];
}

/** Two calls that only read run side by side: which of them begins and ends first is nobody's promise. */
function inOrder(told: readonly string[]): readonly string[] {
  const [calls, results] = [true, false].map((isCall) =>
    told.slice(3, 7).filter((line) => line.startsWith('call') === isCall),
  );
  return [...told.slice(0, 3), ...(calls ?? []).sort(), ...(results ?? []).sort(), ...told.slice(7)];
}

async function talked(talking: TalkingHost): Promise<readonly string[]> {
  furnish(talking);
  await talking.ask('Count what is in my notes, and write it down.');
  await talking.ask('What did the worker say?');
  return inOrder((await talking.entries()).map(inFewWords));
}

/** What must hold after it, whoever the model was. */
async function holds(talking: TalkingHost): Promise<void> {
  assert.equal(readFileSync(join(talking.workspace, 'report.txt'), 'utf8'), 'two\n');
  const entries = await talking.entries();
  const calls = entries.flatMap((entry) => (entry.type === 'tool_call' ? [entry.call] : []));
  const results = entries.flatMap((entry) => (entry.type === 'tool_result' ? [entry.call] : []));
  assert.deepEqual([new Set(calls).size, calls.toSorted()], [4, results.toSorted()]);
  const child = childOf(entries);
  assert.ok((await talking.host.sessions.meta(child)).closed);
  assert.deepEqual((await talking.entries(child)).map(inFewWords), [
    'scout asks: Count the lines of notes.txt.',
    'ack of worker:reader',
    'call read_file {"offset":1,"path":"notes.txt"}',
    `completed: one\n${REDACTED}`,
    'worker:reader: There are two.',
    'end completed after 2 steps',
  ]);
  const seen = [await talking.exported(), JSON.stringify(talking.heard), talking.logged.join('\n')].join(
    '\n',
  );
  for (const secret of [SECRET, KEY]) assert.ok(!seen.includes(secret));
  const states = talking.heard.flatMap((event) => (event.kind === 'state' ? [event.state] : []));
  assert.deepEqual(new Set(states), new Set(['model', 'tool', 'approval']));
}

/** The session of the worker, as the result of its call names it. */
function childOf(entries: readonly Entry[]): string {
  for (const entry of entries)
    if (entry.type === 'tool_result' && isJsonObject(entry.structured))
      return String(entry.structured['session']);
  return '';
}

test('a whole conversation with a script: tools, a worker, an approval, faults of the model, and a second turn that remembers', async (t) => {
  hygiene(t);
  const step = ({ text, calls = [] }: Reply, more: JsonObject = {}) => ({
    text,
    calls: calls.map(([tool, args]) => ({ tool, arguments: args })),
    ...more,
  });
  const talking = await talkingHost(t, {
    backend: SCRIPTED,
    script: {
      format: 'fairlead-script-v1',
      scripts: {
        default: [
          {
            when: 'my notes',
            steps: [
              step(LOOKS, { faults: [{ status: 429, after_secs: 1 }] }),
              step(GIVES_AWAY, {
                faults: [{ status: 500 }],
                expect: { tools: ['spawn_worker', 'shell'], last: 'tea &lt; coffee' },
              }),
              step(WRITES, { faults: ['cut'], expect: { last: 'There are two.' } }),
              step(ENDS, { faults: ['garbage'], expect: { last: 'Wrote 4 bytes' } }),
            ],
          },
          { when: 'the worker', steps: [step(REMEMBERS)] },
        ],
        'worker:reader': [
          {
            when: 'Count the lines',
            steps: [
              step(WORKER_READS, {
                expect: { tools: ['read_file'], absent: ['write_file', 'spawn_worker', 'shell'] },
              }),
              step(WORKER_SAYS, { expect: { last: REDACTED } }),
            ],
          },
        ],
      },
    },
  });
  assert.deepEqual(await talked(talking), conversation(4));
  await holds(talking);
  assert.equal(talking.heard.filter(({ kind }) => kind === 'step_reset').length, 4);
});

test('the same over HTTP, where the server also sends 429, 500, half a stream, a truncated call and garbage', async (t) => {
  hygiene(t);
  const stub = await modelStub(t);
  stub.answers.push(
    refuse(429, { error: { message: 'slowly' } }, { 'retry-after': '1' }),
    said(LOOKS),
    refuse(500, { error: { message: `oops ${KEY}` } }),
    said(GIVES_AWAY),
    said(WORKER_READS),
    said(WORKER_SAYS),
    half(WRITES),
    said(WRITES),
    truncated(),
    stream('<html>Bad gateway</html>'),
    stream('data: {"choices":[{"delta":{"content":7}}]}\n\ndata: {nonsense\n\n'),
    said(ENDS),
    said(REMEMBERS),
  );
  const talking = await talkingHost(t, {
    backend: OPENAI.replace('URL', `${stub.url}/v1`),
    env: { STUB_KEY: KEY },
  });
  assert.deepEqual(await talked(talking), conversation(5, ['error reply_cut']));
  await holds(talking);
  assert.equal(stub.answers.length, 0);
  assert.equal(stub.requests.length, 13);
  for (const { headers } of stub.requests) assert.equal(headers.authorization, `Bearer ${KEY}`);
  const [first, second] = [2, 12].map((at) => messagesOf(stub.requests[at]?.body));
  // What was answered 500 was sent again as it was.
  assert.deepEqual(first, messagesOf(stub.requests[3]?.body));
  assert.deepEqual(first, [
    ['system', 'Look before you write.'],
    ['user', 'Count what is in my notes, and write it down.'],
    ['assistant', 'I look first.', 'read_file', 'read_file'],
    ['tool', `<tool_output tool="read_file">\none\n${REDACTED}\n\n</tool_output>`],
    ['tool', '<tool_output tool="read_file">\ntea &lt; coffee\n\n</tool_output>'],
  ]);
  assert.deepEqual(second?.slice(5), [
    ['assistant', '', 'spawn_worker'],
    ['tool', second?.[6]?.[1]],
    ['assistant', 'I write it down.', 'write_file'],
    ['tool', '<tool_output tool="write_file">\nWrote 4 bytes to report.txt\n</tool_output>'],
    ['assistant', 'Written.'],
    ['user', 'What did the worker say?'],
  ]);
  assert.match(
    String(second?.[6]?.[1]),
    /^<tool_output tool="spawn_worker">\nThere are two\.\n\{"session":"ses_.+"\}\n<\/tool_output>$/,
  );
});

const SCRIPTED = `
[[backends]]
name = "local"
type = "scripted"
file = "script.json"

[[backends.models]]
name = "tiny"
`;

const OPENAI = `
[[backends]]
name = "local"
type = "openai_compatible"
base_url = "URL"
api_key_env = "STUB_KEY"

[[backends.models]]
name = "tiny"
context_window = 32000
`;

/** The pieces of a reply, a character each. Every reply calls its first call `c0`, as some servers do. */
function deltasOf({ text, calls: asked = [] }: Reply): readonly JsonObject[] {
  return [
    ...[...text].map((character) => openAiDelta({ content: character })),
    ...asked.map(([name, args], index) => {
      const call = {
        index,
        id: `c${index}`,
        type: 'function',
        function: { name, arguments: JSON.stringify(args) },
      };
      return openAiDelta({ tool_calls: [call] });
    }),
  ];
}

function said(reply: Reply): StubAnswer {
  const usage = openAiUsage({ prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 });
  const finish = openAiDelta({}, reply.calls === undefined ? 'stop' : 'tool_calls');
  return stream(openAiStream(...deltasOf(reply), finish, usage), { size: 50 });
}

/** All of a reply but its end; then the connection is torn. */
function half(reply: Reply): StubAnswer {
  const whole = openAiStream(...deltasOf(reply));
  return stream(whole.replace('data: [DONE]\n\n', ''), { ends: false });
}

/** A call whose arguments are cut by the length of the reply. */
function truncated(): StubAnswer {
  const call = {
    index: 0,
    id: 'cut',
    type: 'function',
    function: { name: 'write_file', arguments: '{"path":"report.txt","content":"lo' },
  };
  return stream(openAiStream(openAiDelta({ tool_calls: [call] }), openAiDelta({}, 'length')));
}

/** Messages of a request: role, text, names of calls. */
function messagesOf(body: JsonObject | undefined): readonly (readonly Json[])[] {
  const messages = (body?.['messages'] ?? []) as readonly JsonObject[];
  return messages.map(({ role = '', content, tool_calls: asked }) => {
    const names = ((asked ?? []) as readonly JsonObject[]).map(
      (call) => (call['function'] as JsonObject)['name'] ?? '',
    );
    return [role, content ?? '', ...names];
  });
}
