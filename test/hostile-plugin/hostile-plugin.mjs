// A plugin that breaks one rule of the protocol, chosen by its first argument; a second one chooses the file in which it records what
// it sees, otherwise HOSTILE_RECORD does. FILE holds the bytes of its stdin, FILE.pids one process id a line. Plain JavaScript
// for Node 18 and newer, without dependencies.
import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, existsSync, writeSync } from 'node:fs';

const [scenario = 'well-behaved', record = process.env.HOSTILE_RECORD] = process.argv.slice(2);
const MIB = 1024 * 1024;
const VERSION = 'webcodex-plugin-v1';
const OPEN = { type: 'object' };

const note = (suffix, text) => {
  if (record !== undefined) appendFileSync(record + suffix, text);
};
const notePid = (pid) => note('.pids', `${pid}\n`);

// Synchronous, so that what was written is in the pipe before anything else happens.
const write = (fd, data) => {
  const bytes = Buffer.from(data);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
};
const out = (data) => write(1, data);
const line = (message) => out(`${JSON.stringify(message)}\n`);
const answer = (id, result) => line({ jsonrpc: '2.0', id, result });
const fail = (id, error) => line({ jsonrpc: '2.0', id, error });

const text = (value) => ({ content: [{ type: 'text', text: value }] });
const tool = (name, more = {}) => ({ name, inputSchema: OPEN, ...more });
const echoResult = (params) => text(JSON.stringify(params.arguments));
const stayAlive = () => setInterval(() => {}, 1 << 30);

// What a call does; `request` is the whole request.
const calls = {
  'well-behaved': (request) => answer(request.id, echoResult(request.params)),
  // Stays in flight until the file that the arguments name exists.
  gate: (request) => {
    const timer = setInterval(() => {
      if (!existsSync(request.params.arguments.until)) return;
      clearInterval(timer);
      answer(request.id, echoResult(request.params));
    }, 5);
  },
  'never-answers': () => {},
  'answers-late': (request) =>
    setTimeout(() => answer(request.id, text('late')), request.params.arguments.afterMs),
  'dies-on-call': () => process.exit(3),
  'closes-stdout-on-call': () => closeSync(1),
  'answers-then-dies': (request) => {
    answer(request.id, text('last words'));
    process.exit(0);
  },
  'leaves-pipe-holder-and-dies': () => {
    notePid(spawn('sleep', ['600'], { stdio: ['ignore', 1, 'ignore'] }).pid);
    process.exit(0);
  },
  'not-json': () => out('this is not JSON\n'),
  'invalid-utf8': (request) => {
    out(`{"jsonrpc":"2.0","id":${request.id},"result":{"content":[{"type":"text","text":"`);
    out(Buffer.from([0xff, 0xfe]));
    out('"}]}}\n');
  },
  'duplicate-key': (request) =>
    out(`{"jsonrpc":"2.0","id":${request.id},"id":${request.id},"result":${JSON.stringify(text('x'))}}\n`),
  'empty-line': () => out('\n'),
  'half-frame': (request) => out(`{"jsonrpc":"2.0","id":${request.id},"resu`),
  'half-frame-then-dies': (request) => {
    out(`{"jsonrpc":"2.0","id":${request.id},"resu`);
    process.exit(0);
  },
  'frame-of-1-mib': (request) => padded(request.id, MIB),
  'frame-of-1-mib-and-1': (request) => padded(request.id, MIB + 1),
  'line-without-end': () => out('x'.repeat(MIB + 1)),
  'wrong-jsonrpc': (request) => line({ jsonrpc: '1.0', id: request.id, result: text('x') }),
  'array-answer': (request) => line([{ jsonrpc: '2.0', id: request.id, result: text('x') }]),
  'asks-back': (request) =>
    line({ jsonrpc: '2.0', id: request.id, method: 'sampling/create', result: text('x') }),
  notification: () => line({ jsonrpc: '2.0', method: 'progress', params: {} }),
  'result-and-error': (request) =>
    line({ jsonrpc: '2.0', id: request.id, result: text('x'), error: { code: 1, message: 'x' } }),
  'neither-result-nor-error': (request) => line({ jsonrpc: '2.0', id: request.id }),
  'error-without-message': (request) => fail(request.id, { code: -32000, message: '' }),
  'error-with-text-code': (request) => fail(request.id, { code: 'E1', message: 'x' }),
  'error-with-long-message': (request) => fail(request.id, { code: -32000, message: 'x'.repeat(513) }),
  'id-is-text': (request) => answer(String(request.id), text('x')),
  'id-is-negative': () => answer(-1, text('x')),
  'id-is-fraction': () => answer(2.5, text('x')),
  'id-is-missing': () => line({ jsonrpc: '2.0', result: text('x') }),
  'id-of-earlier-request': (request) => answer(request.id - 1, text('x')),
  'id-of-later-request': (request) => answer(request.id + 1, text('x')),
  'rpc-error': (request) => fail(request.id, { code: -32000, message: 'planted-foreign-error-text' }),
  'ansi-escape': (request) => answer(request.id, text('\u001b[31mred\u001b[0m')),
  'image-item': (request) =>
    answer(request.id, { content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }] }),
  'unknown-result-member': (request) => answer(request.id, { ...text('x'), meta: {} }),
  'content-missing': (request) => answer(request.id, { structuredContent: {} }),
  '33-items': (request) =>
    answer(request.id, { content: Array.from({ length: 33 }, () => ({ type: 'text', text: 'x' })) }),
  'result-over-512-kib': (request) => answer(request.id, text('x'.repeat(512 * 1024 + 1))),
  'result-too-deep': (request) => answer(request.id, { ...text('x'), structuredContent: nested(17) }),
  'output-missing': (request) => answer(request.id, text('x')),
  'output-mismatch': (request) => answer(request.id, { ...text('x'), structuredContent: { sum: 'three' } }),
  'output-mismatch-with-is-error': (request) => answer(request.id, { ...text('x'), isError: true }),
  'output-match': (request) => answer(request.id, { ...text('x'), structuredContent: { sum: 3 } }),
  'is-error': (request) => answer(request.id, { ...text('no such file'), isError: true }),
  'answers-twice': (request) => {
    const message = `${JSON.stringify({ jsonrpc: '2.0', id: request.id, result: text('x') })}\n`;
    out(message + message);
  },
  'floods-stderr': (request) => {
    for (let index = 0; index < 64; index += 1) write(2, `${'e'.repeat(64 * 1024 - 1)}\n`);
    answer(request.id, text('x'));
  },
  'forks-setsid': (request) => {
    notePid(spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }).pid);
    answer(request.id, text('x'));
  },
  'forks-setsid-and-dies': () => {
    notePid(spawn('sleep', ['600'], { detached: true, stdio: 'ignore' }).pid);
    process.exit(0);
  },
  // The middle process ends, so that the last one belongs to nobody.
  'double-forks': (request) => daemon(request, ['sh', '-c', orphan(request)]),
  'double-forks-without-environment': (request) =>
    daemon(request, ['env', '-i', 'PATH=/usr/bin:/bin', 'sh', '-c', orphan(request)]),
};

// What happens right after tools/list was answered, while nothing is in flight.
const afterList = {
  'stops-reading': () => process.stdin.pause(),
  'closes-stdin': () => {
    process.stdin.destroy();
    closeSync(0);
  },
  // Idle faults wait for a file, so that the test has seen the provider ready.
  'idle-stray-line': () => onGate(() => line({ jsonrpc: '2.0', method: 'log', params: {} })),
  'idle-second-answer': () => onGate(() => answer(2, { tools: [] })),
  'idle-banner': () => onGate(() => out('plugin is ready\n')),
  'idle-empty-line': () => onGate(() => out('\n')),
  'idle-half-line-then-dies': () =>
    onGate(() => {
      out('{"half"');
      process.exit(0);
    }),
  'idle-huge-line': () => onGate(() => out('x'.repeat(MIB + 1))),
  'idle-death': () => onGate(() => process.exit(0)),
  'idle-closes-stdout': () => onGate(() => closeSync(1)),
};

const schema = (more) => ({ type: 'object', ...more });
// The tools of a scenario that is about tools/list.
const catalogs = {
  'no-tools': [],
  '128-tools': Array.from({ length: 128 }, (_, index) => tool(`tool-${index}`)),
  '129-tools': Array.from({ length: 129 }, (_, index) => tool(`tool-${index}`)),
  'tool-is-text': ['echo'],
  'tool-with-unknown-member': [tool('echo', { icon: 'x' })],
  'tool-without-name': [{ inputSchema: OPEN }],
  'tool-name-with-space': [tool('two words')],
  'tool-name-twice': [tool('echo'), tool('echo')],
  'title-with-escape': [tool('echo', { title: '\u001b[1m' })],
  'title-too-long': [tool('echo', { title: 'x'.repeat(129) })],
  'description-too-long': [tool('echo', { description: 'x'.repeat(4097) })],
  'description-is-number': [tool('echo', { description: 1 })],
  'input-schema-missing': [{ name: 'echo' }],
  'input-schema-root-string': [tool('echo', { inputSchema: { type: 'string' } })],
  'input-schema-misplaced-keyword': [tool('echo', { inputSchema: schema({ minLength: 1 }) })],
  'output-schema-root-array': [tool('echo', { outputSchema: { type: 'array' } })],
  'input-schema-ref': [tool('echo', { inputSchema: schema({ $ref: '#/x' }) })],
  'output-schema-any-of': [tool('echo', { outputSchema: schema({ anyOf: [] }) })],
  'annotations-list': [tool('echo', { annotations: [] })],
  'annotations-too-large': [tool('echo', { annotations: { note: 'x'.repeat(64 * 1024) } })],
  'input-schema-too-many-properties': [
    tool('echo', {
      inputSchema: schema({
        properties: Object.fromEntries(Array.from({ length: 129 }, (_, i) => [`p${i}`, OPEN])),
      }),
    }),
  ],
  'output-schema-too-large': [tool('echo', { outputSchema: schema({ description: 'x'.repeat(64 * 1024) }) })],
};

// How the first two requests are answered; a scenario may replace either.
const initialize = {
  'version-mismatch': (id) => answer(id, { protocolVersion: '2025-11-25' }),
  'version-missing': (id) => answer(id, {}),
  'initialize-extra-members': (id) => answer(id, { protocolVersion: VERSION, serverInfo: { name: 'x' } }),
  'initialize-too-deep': (id) => answer(id, { protocolVersion: VERSION, extra: nested(17) }),
  'initialize-rpc-error': (id) => fail(id, { code: -32602, message: 'planted-foreign-error-text' }),
  'initialize-never-answers': () => {},
  'initialize-dies': () => process.exit(1),
  'initialize-stray-before': (id) => {
    line({ jsonrpc: '2.0', method: 'log', params: {} });
    answer(id, { protocolVersion: VERSION });
  },
  'initialize-closes-stdout': () => closeSync(1),
};
const list = {
  'list-rpc-error': (id) => fail(id, { code: -32601, message: 'planted-foreign-error-text' }),
  'list-never-answers': () => {},
  'list-dies': () => process.exit(1),
  'list-not-json': () => out('tools: none\n'),
  'list-result-is-array': (id) => answer(id, []),
  'list-with-cursor': (id) => answer(id, { tools: [], nextCursor: 'x' }),
  'list-answers-twice': (id) => {
    const message = `${JSON.stringify({ jsonrpc: '2.0', id, result: { tools: [] } })}\n`;
    out(message + message);
  },
};

const withOutput = {
  name: 'echo',
  inputSchema: OPEN,
  outputSchema: schema({ properties: { sum: { type: 'number' } }, required: ['sum'] }),
};
const strict = {
  name: 'strict',
  inputSchema: schema({
    properties: { n: { type: 'integer' } },
    required: ['n'],
    additionalProperties: false,
  }),
};

function tools() {
  if (Object.hasOwn(catalogs, scenario)) return catalogs[scenario];
  return scenario.startsWith('output-') ? [withOutput] : [tool('echo', { title: 'Echo' }), strict];
}

function padded(id, bytes) {
  const empty = JSON.stringify({ jsonrpc: '2.0', id, result: text('x'), pad: '' });
  line({ jsonrpc: '2.0', id, result: text('x'), pad: 'p'.repeat(bytes - empty.length) });
}

function nested(depth) {
  let value = {};
  for (let level = 1; level < depth; level += 1) value = { value };
  return value;
}

// The number of seconds is how a test recognizes the process.
function orphan(request) {
  return `sleep ${Number(request.params.arguments.seconds ?? 600)} & echo $!`;
}

function daemon(request, [command, ...args]) {
  const child = spawn(command, args, { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
  child.stdout.once('data', (pid) => {
    notePid(String(pid).trim());
    child.stdout.destroy();
  });
  child.once('exit', () => answer(request.id, text('x')));
}

function onGate(then) {
  const timer = setInterval(() => {
    if (!existsSync(`${record}.gate`)) return;
    clearInterval(timer);
    then();
  }, 5);
}

function serve(request) {
  if (request.method === 'initialize') {
    if (Object.hasOwn(initialize, scenario)) initialize[scenario](request.id);
    else answer(request.id, { protocolVersion: VERSION });
  } else if (request.method === 'tools/list') {
    if (Object.hasOwn(list, scenario)) list[scenario](request.id);
    else answer(request.id, { tools: tools() });
    if (Object.hasOwn(afterList, scenario)) afterList[scenario]();
  } else {
    calls[Object.hasOwn(calls, scenario) ? scenario : 'well-behaved'](request);
  }
}

const known = [calls, afterList, catalogs, initialize, list].some((table) => Object.hasOwn(table, scenario));
if (!known && !['banner', 'dies-at-once', 'stderr-marker'].includes(scenario)) {
  process.stderr.write(`no scenario of the name ${scenario}\n`);
  process.exit(2);
}
notePid(process.pid);
if (scenario === 'banner') out('Echo plugin 1.0, listening on stdio\n');
if (scenario === 'dies-at-once') process.exit(1);
if (scenario === 'stderr-marker') write(2, `planted-stderr-marker ${process.env.HOSTILE_MARKER}\n`);

let received = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (chunk) => {
  note('', chunk);
  received += chunk;
  for (let end = received.indexOf('\n'); end >= 0; end = received.indexOf('\n')) {
    const request = JSON.parse(received.slice(0, end));
    received = received.slice(end + 1);
    serve(request);
  }
});
// What has lost its pipes goes on: only the Runner ends it.
stayAlive();
