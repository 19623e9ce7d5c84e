import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { hygiene, temporaryFolder, waitFor } from '@fairlead/testing';

/** Only catches hanging. */
const PATIENCE_MS = 120_000;

/** The command, the leader of a process group as it is in a terminal. */
function command(t: TestContext, args: readonly string[], env: NodeJS.ProcessEnv) {
  const main = [join(import.meta.dirname, 'main.ts'), ...args];
  const child: ChildProcess = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...main], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  t.after(() => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  });
  return { child, said, ended };
}

for (const adversary of ['fill-disk', 'exhaust-descriptors'])
  test(`a run of which nothing can be run has not succeeded: ${adversary}`, async (t) => {
    hygiene(t);
    const env = { ...process.env, PATH: temporaryFolder(t) };
    const { said, ended } = command(t, ['--only', adversary, '--rounds', '2'], env);
    assert.equal(await ended, 1);
    assert.match(said.stdout, new RegExp(`^not run: ${adversary}: `, 'm'));
    assert.match(said.stderr, /^nothing was run here$/m);
  });

test('Ctrl-C in a terminal, which all processes of a round get, is told as no fault', async (t) => {
  hygiene(t);
  const folder = temporaryFolder(t);
  const env = { ...process.env, TMPDIR: folder };
  const { child, said, ended } = command(t, ['--only', 'none', '--rounds', '1000'], env);
  const isUnderWay = () => {
    try {
      const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
      return paths.some((path) => path.endsWith('plugin.pid'));
    } catch (error) {
      // A folder of a round went while it was read.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return false;
    }
  };
  await waitFor(isUnderWay, { what: 'a plugin of a round', timeoutMs: PATIENCE_MS });
  process.kill(-(child.pid ?? 0), 'SIGINT');
  assert.equal(await ended, 0, said.stderr);
  assert.doesNotMatch(said.stdout, /FAULT/);
  assert.match(said.stdout, /^seed \d+, \d+ rounds, /m);
  assert.match(said.stderr, /^ends when the rounds under way have ended/m);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.startsWith('f-')),
    [],
  );
});
