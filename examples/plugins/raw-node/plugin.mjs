// A native plugin without any library: the protocol itself, to read and to port. Needs Node 18 or newer and nothing else.
//
// The protocol in short: every line of standard input is one JSON-RPC 2.0 request; every request gets one line on standard output;
// nothing else is ever written there. There are three methods (initialize, tools/list, tools/call) and no notifications.
// The Runner sends one request at a time and waits for its answer. It ends the plugin by closing standard input, or by a signal.

const PROTOCOL_VERSION = 'webcodex-plugin-v1';

// A line may hold 1 MiB. The Runner never sends more; whoever does gets no further answer.
const LINE_MAX_BYTES = 1_048_576;

const tools = [
  {
    name: 'echo',
    description: 'Answers with the text that it was given.',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string', minLength: 1, maxLength: 4096 } },
      required: ['text'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'add',
    description: 'Adds two numbers.',
    inputSchema: {
      type: 'object',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      required: ['a', 'b'],
      additionalProperties: false,
    },
    // With an output schema, every result must carry structured content that fits it. An error result has no sum,
    // so `sum` is not required.
    outputSchema: {
      type: 'object',
      properties: { sum: { type: 'number' } },
      required: [],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true },
  },
];

// The Runner has checked the arguments against the input schema before it sends them. What is checked here is what the schema
// cannot say, and what happens when somebody else is on the other side.
function callTool(name, { text, a, b }) {
  switch (name) {
    case 'echo':
      if (typeof text !== 'string' || text === '') return failure('echo needs a text');
      // A result's text may hold no control character but tab and line ends: one more ends the plugin.
      if (/[^\P{Cc}\t\n\r]/u.test(text)) return failure('the text holds a control character');
      return success(text, { text });
    case 'add':
      if (!Number.isFinite(a) || !Number.isFinite(b)) return failure('add needs two numbers, a and b');
      // The largest numbers have no sum that JSON can hold.
      if (!Number.isFinite(a + b)) return failure('the sum is too large');
      return success(String(a + b), { sum: a + b });
    default:
      return failure('there is no such tool');
  }
}

function success(text, structuredContent) {
  return { content: [{ type: 'text', text }], structuredContent, isError: false };
}

// A failure that is known is a result like any other. A tool that cannot know what happened must not answer: it ends the process,
// and the caller is told that the outcome is unknown.
function failure(text) {
  return { content: [{ type: 'text', text }], structuredContent: {}, isError: true };
}

function answer(line) {
  let request;
  try {
    request = JSON.parse(line);
  } catch {
    // Without an id there is nothing to answer under. Never write it to standard output.
    process.stderr.write('raw-node: a line that is not JSON was ignored\n');
    return;
  }
  const { id, method, params } = isObject(request) ? request : {};
  if (typeof id !== 'number' && typeof id !== 'string') {
    process.stderr.write('raw-node: a request without an id was ignored\n');
    return;
  }
  if (method === 'initialize') {
    if (params?.protocolVersion === PROTOCOL_VERSION) respond(id, { protocolVersion: PROTOCOL_VERSION });
    else refuse(id, -32602, 'unsupported protocol version');
  } else if (method === 'tools/list') {
    respond(id, { tools });
  } else if (method === 'tools/call') {
    if (isObject(params?.arguments)) respond(id, callTool(params.name, params.arguments));
    else refuse(id, -32602, 'params has no arguments');
  } else {
    refuse(id, -32601, 'method not found');
  }
}

function respond(id, result) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`);
}

function refuse(id, code, message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// Nobody reads the answers any more: end without a stack trace.
process.stdout.on('error', () => process.exit());

// A chunk is not a line: it may hold several, or a part of one, or end within a character.
let rest = Buffer.alloc(0);
process.stdin.on('data', (chunk) => {
  rest = Buffer.concat([rest, chunk]);
  for (let end = rest.indexOf('\n'); end !== -1 && end <= LINE_MAX_BYTES; end = rest.indexOf('\n')) {
    answer(rest.toString('utf8', 0, end));
    rest = rest.subarray(end + 1);
  }
  if (rest.length > LINE_MAX_BYTES) {
    process.stderr.write('raw-node: a line over 1 MiB; stopping\n');
    process.exit(1);
  }
});
process.stdin.on('end', () => {
  if (rest.length > 0) answer(rest.toString());
});
