import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairleadError } from '@fairlead/base';
import { hygiene } from '@fairlead/testing';

import { startGateway } from './fixture/gateway-fixture.ts';
import { ask } from './fixture/http-client.ts';

test('a backup is asked for by this machine’s own commands, and told once it is there', async (t) => {
  hygiene(t);
  const asked: string[] = [];
  const { port, token, lines } = await startGateway(t, { backup: async (to) => void asked.push(to) });
  const done = await ask(port, { path: '/api/admin/backup', token, body: { to: '/srv/backup' } });
  assert.deepEqual([done.status, done.envelope.output], [200, { to: '/srv/backup' }]);
  assert.deepEqual(asked, ['/srv/backup']);
  assert.ok(lines.some((line) => line.includes('"backup.written"') && line.includes('/srv/backup')));
});

test('a backup without an absolute path, or without the scope admin, is refused', async (t) => {
  hygiene(t);
  const asked: string[] = [];
  const { port, token, mint } = await startGateway(t, { backup: async (to) => void asked.push(to) });
  for (const body of [{}, { to: 7 }, { to: '' }, { to: 'backup' }, { to: '/srv/\u0000' }, []]) {
    const answer = await ask(port, { path: '/api/admin/backup', token, body });
    assert.equal(answer.envelope.error?.code, 'invalid_body', JSON.stringify(body));
  }
  const narrow = await mint(['runner:manage']);
  const refused = await ask(port, { path: '/api/admin/backup', token: narrow, body: { to: '/srv/b' } });
  assert.equal(refused.envelope.error?.code, 'insufficient_scope');
  assert.deepEqual(asked, []);
});

test('a backup that failed answers with the store’s code', async (t) => {
  hygiene(t);
  const { port, token } = await startGateway(t, {
    backup: async () => {
      throw new FairleadError('backup_unwritable', 'It could not be written.', {
        detail: { reason: 'ENOSPC' },
      });
    },
  });
  const { envelope } = await ask(port, { path: '/api/admin/backup', token, body: { to: '/srv/b' } });
  assert.deepEqual(envelope.error, {
    code: 'backup_unwritable',
    message: 'It could not be written.',
    detail: { reason: 'ENOSPC' },
  });
});
