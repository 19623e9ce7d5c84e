import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '@fairlead/base';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { endHost, fairlead, pluginTool, startHost } from './fairlead-process.ts';

type Made = { readonly secret: string; readonly token: { readonly id: string } };

test('a token is made, listed and revoked through the running host; its end holds from that line on', async (t) => {
  hygiene(t);
  const stateDirectory = join(temporaryFolder(t), 'state');
  const host = await startHost(t, { stateDirectory });
  const at = ['--state-dir', stateDirectory, '--json'];
  const create = ['token', 'create', '--name', 'ci', '--scopes', 'plugin:inspect', '--expires', '1h'];
  const { secret, token } = JSON.parse((await fairlead(t, [...create, ...at])).stdout) as Made;
  assert.equal((await pluginTool(host, secret, { action: 'list' })).status, 200);

  const listed = await fairlead(t, ['token', 'list', ...at]);
  const { tokens } = JSON.parse(listed.stdout) as { tokens: JsonObject[] };
  assert.deepEqual(
    tokens.map(({ name, kind }) => [name, kind]),
    [
      ['operator', 'personal'],
      ['fairlead up', 'runner'],
      ['ci', 'personal'],
    ],
  );
  assert.equal(listed.stdout.includes(secret.slice('fairlead_pat_'.length)), false);

  const revoked = await fairlead(t, ['token', 'revoke', token.id, ...at]);
  assert.equal(revoked.stdout, `{"id":"${token.id}","revoked":true}\n`);
  const refused = await pluginTool(host, secret, { action: 'list' });
  assert.equal(refused.status, 401);
  assert.deepEqual((refused.body['error'] as JsonObject)['detail'], { reason: 'token_revoked' });
  assert.equal((await endHost(host)).exit, 0);

  // Without a host the same commands work on the same table, and what they do holds in the next one.
  const offline = JSON.parse((await fairlead(t, [...create, ...at])).stdout) as Made;
  const again = await startHost(t, { stateDirectory });
  assert.equal((await pluginTool(again, offline.secret, { action: 'list' })).status, 200);
  assert.equal((await pluginTool(again, secret, { action: 'list' })).status, 401);
  assert.equal((await endHost(again)).exit, 0);
  assert.equal((await fairlead(t, ['token', 'revoke', offline.token.id, ...at])).exit, 0);
  const last = await startHost(t, { stateDirectory });
  assert.equal((await pluginTool(last, offline.secret, { action: 'list' })).status, 401);
});

test('a start keeps the operator’s token, and ends the Runner token of the start before', async (t) => {
  hygiene(t);
  const stateDirectory = join(temporaryFolder(t), 'state');
  const first = await startHost(t, { stateDirectory });
  await endHost(first);
  const second = await startHost(t, { stateDirectory });
  assert.equal(second.token, first.token);
  const { stdout } = await fairlead(t, ['token', 'list', '--state-dir', stateDirectory, '--json']);
  const { tokens } = JSON.parse(stdout) as { tokens: JsonObject[] };
  const runners = tokens.filter(({ kind }) => kind === 'runner');
  assert.deepEqual(
    runners.map(({ revokedAtMs }) => revokedAtMs === null),
    [false, true],
  );
});

test('a revoked operator token is told apart, and the next start makes a new one', async (t) => {
  hygiene(t);
  const stateDirectory = join(temporaryFolder(t), 'state');
  const host = await startHost(t, { stateDirectory });
  const at = ['--state-dir', stateDirectory];
  const { stdout } = await fairlead(t, ['token', 'list', ...at, '--json']);
  const { tokens } = JSON.parse(stdout) as { tokens: JsonObject[] };
  const operator = tokens.find(({ name }) => name === 'operator');
  assert.equal((await fairlead(t, ['token', 'revoke', String(operator?.['id']), ...at])).exit, 0);
  const refused = await fairlead(t, ['stop', ...at]);
  assert.equal(refused.exit, 1);
  assert.match(refused.stderr, /\(operator_token_refused\)\n/);
  await endHost(host);
  const again = await startHost(t, { stateDirectory });
  assert.notEqual(again.token, host.token);
  assert.equal((await fairlead(t, ['status', ...at])).exit, 0);
});

test('no secret stands in the state directory but in its own file', async (t) => {
  hygiene(t);
  const stateDirectory = join(temporaryFolder(t), 'state');
  const host = await startHost(t, { stateDirectory });
  const at = ['--state-dir', stateDirectory, '--json'];
  const create = ['token', 'create', '--name', 'ci', '--scopes', 'plugin:inspect'];
  const { secret } = JSON.parse((await fairlead(t, [...create, ...at])).stdout) as Made;
  const files = readdirSync(stateDirectory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  assert.equal(
    files.some((path) => path.endsWith('fairlead.db')),
    true,
  );
  for (const path of files) {
    const bytes = readFileSync(path);
    assert.equal(bytes.includes(secret), false, path);
    assert.equal(bytes.includes(host.token), path.endsWith('operator.token'), path);
  }
});
