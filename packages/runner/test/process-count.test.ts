// What other products did: each reconnect, session or client left one more process behind.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { systemClock, systemRandom } from '@fairlead/base';
import { hygiene, manualClock, temporaryFolder, waitFor } from '@fairlead/testing';
import { type RunnerOptions, startRunner } from '../src/runner.ts';
import { callLine, HELLO, HOSTILE, notHanging, told } from './hostile-providers.ts';
import { LinkPeer } from './link-peer.ts';

/** A Runner with one good plugin, and what that plugin was told. */
async function start(t: TestContext, peer: LinkPeer, options: Partial<RunnerOptions> = {}) {
  const folder = temporaryFolder(t);
  const configPath = join(folder, 'runner.toml');
  const args = JSON.stringify([HOSTILE, 'well-behaved', join(folder, 'told')]);
  writeFileSync(
    configPath,
    `[[plugins.providers]]\nid = "one"\nname = "One"\ncommand = ${JSON.stringify(process.execPath)}\nargs = ${args}\nmax_queued = 16\n`,
  );
  const runner = await startRunner({
    configPath,
    runnerId: 'r1',
    gatewayUrl: peer.url,
    token: 'fairlead_runner_planted-token',
    stateDirectory: folder,
    env: process.env,
    cwd: folder,
    platform: process.platform,
    clock: systemClock(),
    random: systemRandom(),
    log: () => {},
    ...options,
  });
  t.after(() => runner.close());
  const path = join(folder, 'told');
  return { runner, told: () => (existsSync(path) ? readFileSync(path, 'utf8') : '') };
}

async function callOf(peer: LinkPeer, args: { readonly n: number }) {
  const listed = await peer.ask({ kind: 'tools_list', provider: 'one' });
  assert.ok('payload' in listed && listed.payload.kind === 'tools_list');
  const { provider_instance, tools } = listed.payload;
  return {
    kind: 'tools_call',
    provider: 'one',
    provider_instance: provider_instance ?? '',
    tool: 'echo',
    observation: tools[0]?.observation ?? '',
    arguments: args,
  } as const;
}

test('a link that is lost and dialled again starts no plugin a second time', async (t) => {
  hygiene(t);
  const peer = await LinkPeer.listen(t);
  const clock = manualClock();
  const { runner, told: heard } = await start(t, peer, { clock });
  await Promise.all([runner.registered, runner.settled]);
  for (let time = 2; time <= 6; time += 1) {
    peer.drop();
    await waitFor(
      async () => {
        await clock.advance(1_000);
        return peer.frames.filter(({ type }) => type === 'register').length >= time;
      },
      { what: `registration ${time}` },
    );
  }
  assert.equal(told(await notHanging(peer.ask(await callOf(peer, { n: 1 })))), 'completed payload');
  assert.equal(heard(), HELLO + callLine(3, { n: 1 }));
});

test('ten callers at once share the one process of a plugin', async (t) => {
  hygiene(t);
  const peer = await LinkPeer.listen(t);
  const { runner, told: heard } = await start(t, peer);
  await Promise.all([runner.registered, runner.settled]);
  const calls = await Promise.all(Array.from({ length: 10 }, (_, n) => callOf(peer, { n })));
  const answers = await notHanging(Promise.all(calls.map((call) => peer.ask(call))));
  assert.deepEqual(
    answers.map(told),
    Array.from({ length: 10 }, () => 'completed payload'),
  );
  assert.equal(heard().split('"method":"initialize"').length - 1, 1);
  assert.equal(heard().split('"method":"tools/call"').length - 1, 10);
});
