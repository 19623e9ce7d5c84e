// What other products did: a program that a desktop started could not find the Node of a version manager.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock, systemRandom } from '@fairlead/base';
import { hygiene, temporaryFolder } from '@fairlead/testing';
import { prepareEnvironment, resolveExecutable, sensitiveNames } from '../src/index.ts';

test('with the four folders of a desktop’s PATH, an init script or path_prepend finds what a version manager installed', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const versions = join(folder, 'versions/v24/bin');
  mkdirSync(versions, { recursive: true });
  const program = join(versions, 'managed-program');
  writeFileSync(program, '#!/bin/sh\nexit 0\n');
  chmodSync(program, 0o755);
  const shell = { program: '/bin/sh', args: ['-c'], dialect: 'posix', pathPrepend: [], env: {} } as const;
  const found = async (more: object) => {
    const prepared = await prepareEnvironment({
      base: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' },
      shell: { ...shell, ...more },
      cwd: folder,
      platform: process.platform,
      sensitive: sensitiveNames(),
      clock: systemClock(),
      random: systemRandom(),
    });
    assert.ok(prepared.ok);
    const { platform } = process;
    return await resolveExecutable({ command: 'managed-program', cwd: folder, env: prepared.env, platform });
  };
  assert.deepEqual(await found({}), { ok: false, code: 'plugin_executable_unavailable' });
  assert.deepEqual(await found({ pathPrepend: [versions] }), { ok: true, path: program });
  const initScript = `PATH="${versions}:$PATH"; export PATH`;
  assert.deepEqual(await found({ initScript }), { ok: true, path: program });
});
