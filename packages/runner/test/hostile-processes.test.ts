import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { pidIsAlive, requires, waitFor } from '@fairlead/testing';
import { allEnd, callLine, HELLO, HostileProviders, notHanging, told } from './hostile-providers.ts';

/** Every process that this record names ends. */
async function assertAllEnd(providers: HostileProviders, record: string, processes: number): Promise<void> {
  const pids = providers.pids(record);
  assert.equal(pids.length, processes);
  await allEnd(pids);
}

test('a plugin that floods stderr with 4 MiB still answers, and its last 64 lines are kept', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'flood', scenario: 'floods-stderr' }]);
  assert.equal(told(await notHanging(providers.call('flood', { budgetMs: 60_000 }))), 'completed payload');
  const ring = () => providers.set.stderrOf('flood')?.committed?.lines() ?? [];
  await waitFor(() => ring().length === 32, { what: 'the flood to be drained' });
  assert.equal(
    ring().every(({ text, truncated }) => text.length === 1024 && truncated),
    true,
  );
  assert.equal(providers.state('flood'), 'ready');
});

test('a plugin that stops reading ends in plugin_timeout, although its frame was written', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'deaf', scenario: 'stops-reading' }]);
  const call = providers.call('deaf', { arguments: { text: 'x'.repeat(60_000) }, budgetMs: 200 });
  assert.equal(told(await notHanging(call)), 'outcome_unknown plugin_timeout');
  await assertAllEnd(providers, 'deaf', 1);
});

test('a banner on stdout is refused at the start, as plugin_malformed_json', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'banner', scenario: 'banner' }]);
  assert.equal(providers.state('banner'), 'plugin_malformed_json');
  await assertAllEnd(providers, 'banner', 1);
});

test('a descendant in a session of its own is ended with its plugin', async (t) => {
  const providers = await HostileProviders.start(t, [
    { id: 'lives', scenario: 'forks-setsid' },
    { id: 'dies', scenario: 'forks-setsid-and-dies' },
  ]);
  assert.equal(told(await providers.call('lives')), 'completed payload');
  assert.equal(told(await notHanging(providers.call('dies'))), 'outcome_unknown plugin_eof');
  await assertAllEnd(providers, 'dies', 2);
  await notHanging(providers.set.stop());
  await assertAllEnd(providers, 'lives', 2);
});

test('a descendant that a double fork gave away is ended with its plugin', async (t) => {
  const providers = await HostileProviders.start(t, [{ id: 'forks', scenario: 'double-forks' }]);
  assert.equal(told(await notHanging(providers.call('forks'))), 'completed payload');
  assert.equal(pidIsAlive(providers.pids('forks')[1] ?? 0), true);
  await notHanging(providers.set.stop());
  await assertAllEnd(providers, 'forks', 2);
});

test('the documented exception: a double fork with a session and an empty environment of its own outlives the plugin', async (t) => {
  const providers = await HostileProviders.start(t, [
    { id: 'forks', scenario: 'double-forks-without-environment' },
  ]);
  assert.equal(told(await notHanging(providers.call('forks'))), 'completed payload');
  const [plugin = 0, escaped = 0] = providers.pids('forks');
  await notHanging(providers.set.stop());
  await allEnd([plugin]);
  assert.equal(pidIsAlive(escaped), true);
  process.kill(escaped, 'SIGKILL');
  await allEnd([escaped]);
});

test('with isolation = "pid" nothing outlives the plugin', { skip: requires('bubblewrap') }, async (t) => {
  const providers = await HostileProviders.start(t, [
    { id: 'forks', scenario: 'double-forks-without-environment', more: 'isolation = "pid"' },
  ]);
  const seconds = 600 + process.pid;
  assert.equal(
    told(await notHanging(providers.call('forks', { arguments: { seconds } }))),
    'completed payload',
  );
  assert.equal(providers.stdin('forks'), HELLO + callLine(3, { seconds }));
  // Its numbers count inside the namespace, so it is found by its command.
  await waitFor(() => sleepers(seconds).length === 1, { what: 'the orphan' });
  await notHanging(providers.set.stop());
  await waitFor(() => sleepers(seconds).length === 0, {
    what: 'the end of the process that would have escaped',
  });
});

/** Processes of this machine that sleep for exactly this time. */
function sleepers(seconds: number): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8') === ['sleep', seconds, ''].join('\0');
    } catch {
      return false;
    }
  });
}
