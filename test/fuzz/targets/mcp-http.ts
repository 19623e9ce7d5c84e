import { Agent, request } from 'node:http';
import { startGateway } from '../../../packages/gateway/test/fixture/gateway-fixture.ts';
import { hold, type Target } from '../engine/target.ts';
import { scratchFolder } from '../scratch-folder.ts';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'f', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const call = (name: string, args: object, more: object = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args, _meta: META, ...more },
});

/** An input is the body of a POST, which is sent as a client of each revision would. */
export const target: Target = {
  name: 'mcp-http',
  holds:
    'every body has one answer of the protocol, of a bounded size, that repeats nothing long; none is an internal error, and the gateway goes on',
  covers: [
    'packages/gateway/src/mcp',
    'packages/gateway/src/http/json-body.ts',
    'packages/dispatch/src/plugin-tool',
    'packages/dispatch/src/tools',
    'packages/dispatch/src/projects',
  ],
  form: 'json',
  maxBytes: 32_768,
  stepMs: 3_000,
  words: [
    'plugin_tool',
    'work_on_project',
    'read_tool_manifest',
    'call_runtime_tool',
    'tools/call',
    'tools/list',
    'ping',
    'server/discover',
    'initialize',
    'notifications/cancelled',
    'recording_session_id',
    '_meta',
    'wc_pbind_AAAAAAAAAAAAAAAAAAAAAA',
    'plugins.catalog',
  ],
  seeds: () =>
    [
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'f', version: '1' } },
      },
      { jsonrpc: '2.0', id: 'a', method: 'tools/list', params: { _meta: META } },
      { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: META } },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 1, result: {} },
      call('plugin_tool', { action: 'list' }),
      call('plugin_tool', { action: 'describe', runner: 'r', plugin: 'p', tool: 't' }),
      call('plugin_tool', {
        action: 'call',
        binding: 'wc_pbind_AAAAAAAAAAAAAAAAAAAAAA',
        arguments: { a: 1 },
      }),
      call('plugin_tool', { action: 'outcome', call: 'inv_x' }),
      call('work_on_project', {}),
      call('read_tool_manifest', { tool: 'plugin_tool' }),
      call('call_runtime_tool', { tool: 'check_runner_config', arguments: { runner: 'r' } }),
    ].map((body) => JSON.stringify(body)),
  open: async () => {
    const folder = scratchFolder();
    process.env['TMPDIR'] = folder.path;
    const hooks: (() => unknown)[] = [];
    const { port, token, lines } = await startGateway({ after: (hook) => void hooks.push(hook) });
    const agent = new Agent({ keepAlive: true, maxSockets: 2 });
    const url = { host: '127.0.0.1', port, path: '/mcp', method: 'POST', agent };
    const warm = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"ping"}');
    await post(url, headersOf(token, '2025-11-25', warm), warm);
    return {
      run: async (input) => {
        for (const era of ['2025-11-25', '2026-07-28']) {
          const { status, text } = await post(url, headersOf(token, era, input), input);
          judge(status, text, input.length);
        }
        const failed = lines.find((line) => line.includes('.failed"') && line.includes('"error"'));
        lines.length = 0;
        hold(failed === undefined, 'nothing fails inside the gateway', () => failed ?? '');
      },
      close: async () => {
        agent.destroy();
        for (const hook of hooks.reverse()) await hook();
        folder.remove();
      },
    };
  },
};

function headersOf(token: string, era: string, body: Uint8Array): Record<string, string> {
  const method = /"method"\s*:\s*"([A-Za-z/_-]{1,64})"/.exec(Buffer.from(body).toString('latin1'))?.[1];
  const name = /"name"\s*:\s*"([A-Za-z_]{1,64})"/.exec(Buffer.from(body).toString('latin1'))?.[1];
  return {
    'content-type': 'application/json',
    'content-length': String(body.length),
    accept: 'application/json, text/event-stream',
    authorization: `Bearer ${token}`,
    'mcp-protocol-version': era,
    ...(era === '2025-11-25' || method === undefined ? {} : { 'mcp-method': method }),
    ...(era === '2025-11-25' || name === undefined ? {} : { 'mcp-name': name }),
  };
}

function post(
  url: object,
  headers: Record<string, string>,
  body: Uint8Array,
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ ...url, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The longest list of tools is well below this. */
const ANSWER_MAX = 64 * 1_024;

function judge(status: number, text: string, sentBytes: number): void {
  hold(
    status === 200 || status === 202 || (status >= 400 && status < 500),
    'a status is an answer or a refusal',
    () => `${status} ${text}`,
  );
  hold(text.length <= ANSWER_MAX + (status === 200 ? sentBytes * 6 : 0), 'an answer is bounded');
  if (text === '') {
    hold(status === 202, 'only what needs no answer has none', () => String(status));
    return;
  }
  const answer = JSON.parse(text) as {
    jsonrpc?: unknown;
    id?: unknown;
    result?: unknown;
    error?: { code?: unknown; data?: unknown };
  };
  hold(answer.jsonrpc === '2.0' && 'id' in answer, 'an answer is one of the protocol', () => text);
  hold((answer.result === undefined) !== (answer.error === undefined), 'an answer is a result or an error');
  if (answer.error !== undefined) hold(Number.isInteger(answer.error.code), 'an error has a code');
  hold(answer.error?.code !== -32603, 'no body is an internal error', () => text);
}
