// What other products did: a client or a proxy sent a call a second time because the first had no good answer.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { main } from '../src/index.ts';
import { apiServer, success } from './loopback-server.ts';
import { testContext } from './test-context.ts';

test('an answer 503, 502 or 429 to a call does not send the call again', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const description = {
    runner: 'local',
    plugin: 'p',
    pluginName: 'P',
    tool: { name: 'build', inputSchema: { type: 'object' } },
    binding: `wc_pbind_${'b'.repeat(22)}`,
  };
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, `fairlead_pat_${'t'.repeat(43)}\n`);
  for (const status of [503, 502, 429]) {
    const server = await apiServer(t, [
      { envelope: success(description) },
      { status, envelope: { message: 'later' } },
      { envelope: success({ content: [] }) },
    ]);
    const context = testContext(folder, {});
    const target = ['--runner', 'local', '--plugin', 'p', '--tool', 'build'];
    const args = ['plugin', 'call', ...target, '--server-url', server.url, '--token-file', tokenFile];
    const exit = await main(args, { cloneRoot: context.cloneRoot, context });
    assert.notEqual(exit, 0, String(status));
    const calls = server.requests.filter(({ body }) => JSON.stringify(body).includes('"call"'));
    assert.equal(calls.length, 1, String(status));
  }
});
