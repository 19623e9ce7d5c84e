import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { hygiene, pidIsAlive, temporaryFolder } from '@fairlead/testing';
import { allEnd, HOSTILE, notHanging } from './hostile-providers.ts';

for (const scenario of ['forks-setsid', 'double-forks']) {
  test(`a Runner that is killed leaves no process of its plugins, not even of one that ${scenario}`, async (t) => {
    hygiene(t);
    const folder = temporaryFolder(t);
    const configPath = join(folder, 'runner.toml');
    const args = JSON.stringify([HOSTILE, scenario, join(folder, 'p')]);
    writeFileSync(
      configPath,
      `[[plugins.providers]]\nid = "p"\nname = "P"\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${args}`,
    );
    const script = join(import.meta.dirname, 'fixtures/killed-runner.ts');
    const runner = spawn(process.execPath, [script, folder, configPath], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [answer] = await notHanging(once(runner.stdout, 'data'));
    assert.match(String(answer), /"dispatch_state":"completed"/);
    const pids = readFileSync(join(folder, 'p.pids'), 'utf8').trim().split('\n').map(Number);
    assert.equal(pids.length, 2);
    for (const pid of pids) assert.equal(pidIsAlive(pid), true);
    runner.kill('SIGKILL');
    await once(runner, 'exit');
    await allEnd(pids);
  });
}
