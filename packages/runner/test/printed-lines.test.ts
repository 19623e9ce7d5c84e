// What other products did: a few lines printed before the handshake made a plugin hang until its time was over.
import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { HOSTILE, HostileProviders, told } from './hostile-providers.ts';

test('36 plain lines before the handshake end that start at once with its code, and the other plugin answers', async (t) => {
  const providers = HostileProviders.prepare(t);
  const command = join(providers.folder, 'noisy');
  const lines = Array.from({ length: 36 }, (_, index) => `echo "loading part ${index}"`).join('\n');
  const plugin = [process.execPath, HOSTILE, 'well-behaved', join(providers.folder, 'record')];
  writeFileSync(
    command,
    `#!/bin/sh\n${lines}\nexec ${plugin.map((word) => JSON.stringify(word)).join(' ')}\n`,
  );
  chmodSync(command, 0o755);
  providers.write([
    { id: 'noisy', command, more: 'timeout_secs = 120' },
    { id: 'quiet', scenario: 'well-behaved' },
  ]);
  const startedMs = performance.now();
  await providers.begin();
  providers.observe();
  // Its time is two minutes: nobody waited for that.
  assert.ok(performance.now() - startedMs < 60_000);
  assert.equal(providers.state('noisy'), 'plugin_malformed_json');
  assert.equal(providers.state('quiet'), 'ready');
  assert.equal(told(await providers.call('quiet')), 'completed payload');
});
