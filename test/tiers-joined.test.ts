// One conversation over everything that an agent can use: a tool of the host, a native plugin, an MCP server, a page of the web.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { exportSession } from '@fairlead/host';
import { repositoryRoot } from '@fairlead/testing';
import { agentWithPlugin, call, PINS } from './plugins/agent-with-plugin.ts';

const SERVER = join(repositoryRoot, 'packages/mcp/test/fixtures/scripted-server.mjs');

const BY = { id: 'person:tok_ada', scopes: ['session:read', 'session:write', 'admin'] };

async function page(t: TestContext): Promise<string> {
  const http = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<title>Tides</title><p>High at <b>noon</b>.');
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    http.closeAllConnections();
    http.close();
  });
  return `http://127.0.0.1:${(http.address() as AddressInfo).port}/`;
}

/** A server `s` with one tool. */
function server(folder: string): string {
  const file = join(folder, 'server.json');
  const echo = { name: 'echo', inputSchema: { type: 'object' } };
  writeFileSync(file, JSON.stringify({ tools: [echo] }));
  return `
[[mcp.servers]]
name = "s"
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(SERVER)}, ${JSON.stringify(file)}]

[policy.grants]
network = { allow_private = true }
`;
}

test('one conversation uses a tool of the host, a plugin, an MCP server and a page; what is turned off is gone from the next turn; the export tells it all', async (t) => {
  const url = await page(t);
  const uses: readonly (readonly [tool: string, args: JsonObject, extension: string])[] = [
    ['get_time', {}, 'system'],
    ['tally_look', { text: 'the boat' }, 'plugins'],
    ['s__echo', { knots: 7 }, 'mcp-s'],
    ['web_fetch', { url }, 'web'],
  ];
  const left = (from: number) => uses.slice(from).map(([tool]) => tool);
  const h = await agentWithPlugin(t, {
    configuration: PINS,
    more: server,
    turns: [
      [...uses.map(([tool, args]) => call(tool, args)), { text: 'All four.' }],
      // A turn for each that was turned off: it calls what is gone, and what is left stands.
      ...uses.map(([tool, args], at) => [
        {
          calls: [{ tool, arguments: args }],
          expect: { absent: [tool], tools: left(at + 1) },
        },
        { text: `Without ${tool}.` },
      ]),
    ],
  });
  assert.equal((await h.ask()).text, 'All four.');
  for (const [tool, , extension] of uses) {
    await h.agents.command({ session: h.session, line: `/extensions remove ${extension}`, by: BY });
    assert.equal((await h.ask()).text, `Without ${tool}.`);
  }
  const results = new Map<string, JsonObject>();
  const lines: JsonObject[] = [];
  for await (const line of exportSession(await h.agents.sessions.open(h.session))) lines.push(line);
  for (const line of lines) if (line['type'] === 'tool_result') results.set(String(line['call']), line);
  const told = lines.flatMap(({ type, tool, tier, call: id }) => {
    const { certainty, code = null } = results.get(String(id)) ?? {};
    return type === 'tool_call' ? [[tool, tier, certainty, code]] : [];
  });
  assert.deepEqual(told, [
    ['get_time', 'in_process', 'completed', null],
    ['tally_look', 'native', 'completed', null],
    ['s__echo', 'mcp', 'completed', null],
    ['web_fetch', 'in_process', 'completed', null],
    ...uses.map(([tool]) => [tool, 'in_process', 'not_started', 'tool_inactive']),
  ]);
  assert.deepEqual(h.asked(), ['look the boat']);
  assert.match(String([...results.values()][3]?.['text']), /High at \*\*noon\*\*\./);
});
