// What no cut of a log can show, because a killed process loses nothing that the kernel has: that FULL is asked of the disk. Counted where
// the kernel is asked.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { hygiene, repositoryRoot, requires, temporaryFolder, waitFor } from '@fairlead/testing';
import { bindingOf, pluginTool, type Ready, start, writeRunnerConfig } from '../fairlead-process.ts';

const CALLS = 5;
const TARGET = { runner: 'local', plugin: 'ledger', tool: 'work' };

/** A host under `strace`, and what it asked the kernel for: `sync` of the log, `answer` to a client. */
async function traced(t: TestContext) {
  hygiene(t);
  const folder = temporaryFolder(t);
  const [state, trace] = [join(folder, 'state'), join(folder, 'trace')];
  for (const name of ['ledger', 'marks']) mkdirSync(join(folder, name));
  const plugin = join(import.meta.dirname, 'ledger-plugin.mjs');
  const args = [plugin, join(folder, 'ledger'), join(folder, 'marks')];
  const config = writeRunnerConfig(join(folder, 'runner.toml'), 'local', [
    { id: 'ledger', command: process.execPath, args },
  ]);
  const program = [process.execPath, join(repositoryRoot, 'packages/cli/bin/fairlead.js')];
  const up = ['up', '--json', '--state-dir', state, '--port', '0', '--runner-config', config];
  const calls = ['-e', 'trace=fdatasync,fsync,write,writev', '-f', '-y', '-s', '12', '-o', trace];
  const host = start(t, 'strace', [...calls, ...program, ...up]);
  const ready = JSON.parse((await host.untilStdout('\n')).trimEnd()) as Ready;
  t.after(async () => {
    process.kill(ready.pid, 'SIGTERM');
    await host.ended;
  });
  const token = readFileSync(ready.tokenFile, 'utf8').trim();
  const asked = () =>
    readFileSync(trace, 'utf8')
      .split('\n')
      .flatMap((line) => {
        if (/f(?:data)?sync\(\d+<[^>]*fairlead\.db-wal>/.test(line)) return ['sync'];
        return /writev?\(.*HTTP\/1\.1/.test(line) ? ['answer'] : [];
      });
  let seen = 0;
  /** What was asked for since the last look, up to so many answers. */
  const since = async (answers: number) => {
    const now = () => asked().slice(seen);
    await waitFor(() => now().filter((what) => what === 'answer').length >= answers, { what: 'the trace' });
    const found = now();
    seen += found.length;
    return found;
  };
  return { host: { ready }, token, since };
}

test('an answer to a call leaves when its intent and its end have been synced, each by a sync of its own', {
  skip: requires('strace'),
}, async (t) => {
  const { host, token, since } = await traced(t);
  const binding = await bindingOf(host, token, TARGET);
  await since(1);
  for (let call = 0; call < CALLS; call += 1) {
    const fromMs = performance.now();
    const { body } = await pluginTool(host, token, {
      action: 'call',
      binding,
      arguments: { name: `c${call}` },
    });
    assert.equal(body['dispatch_certainty'], 'completed');
    const asked = await since(1);
    // Once a second what is in the log may be copied, which takes a sync, too.
    const most = 4 + Math.floor((performance.now() - fromMs) / 1000);
    assert.ok(asked.indexOf('answer') >= 2 && asked.length <= most, `asked for ${asked}`);
  }
});

test('what only reads waits for no sync', { skip: requires('strace') }, async (t) => {
  const { host, token, since } = await traced(t);
  await bindingOf(host, token, TARGET);
  await since(1);
  const asked: string[] = [];
  const fromMs = performance.now();
  for (let read = 0; read < CALLS; read += 1) {
    await pluginTool(host, token, { action: 'list' });
    asked.push(...(await since(1)));
  }
  assert.equal(asked.filter((what) => what === 'answer').length, CALLS);
  const most = CALLS + 1 + Math.floor((performance.now() - fromMs) / 1000);
  assert.ok(asked.length <= most, `asked for ${asked}`);
});
