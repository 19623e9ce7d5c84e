import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@fairlead/testing';
import { commands } from './soak/actions/commands.ts';
import { reloadPlugins } from './soak/actions/disruptions.ts';
import { disturbanceFaults, type Envelope } from './soak/outcome.ts';
import type { SoakWorld } from './soak/soak-world.ts';
import { Tally } from './soak/tally.ts';

const answer = (code: string | null): Envelope => ({
  success: code === null,
  output: null,
  error: code === null ? null : { code },
  dispatch_certainty: 'not_started',
});

/** What a Runner answers to reloads, and to the calls that follow. */
function runnerThat(answers: { readonly reload: readonly (string | null)[]; readonly call: string | null }) {
  const tally = new Tally();
  const reloads = [...answers.reload];
  const done: string[] = [];
  const world = {
    tally,
    async binding() {
      return 'a handle';
    },
    async plugin(_lane: number, { action }: { readonly action?: unknown }) {
      done.push(String(action));
      return answer(action === 'reload' ? (reloads.shift() ?? null) : answers.call);
    },
    took(_target: unknown, { error }: Envelope) {
      if (error !== null) tally.disturbed(error.code);
    },
  } satisfies Partial<SoakWorld>;
  return { world, done };
}

test('a plugin that stays dead explains no more than a fifth of what is done', () => {
  const tally = new Tally();
  for (let left = 1_000; left > 0; left -= 1) tally.did('call over HTTP');
  for (let left = 200; left > 0; left -= 1) tally.disturbed('plugin_unavailable');
  // Two calls that meet say nothing of whether the plugin lives, and there are many of them on a slow machine.
  for (let left = 200; left > 0; left -= 1) tally.disturbed('plugin_provider_busy');
  assert.deepEqual(disturbanceFaults(tally), []);
  tally.disturbed('runner_unavailable');
  assert.deepEqual(disturbanceFaults(tally), [
    '201 disturbances in 1000 actions, 200 allowed: {"plugin_unavailable":200,"plugin_provider_busy":200,"runner_unavailable":1}',
  ]);
});

test('of few actions, twenty may be disturbed: each disruption is done once', () => {
  const tally = new Tally();
  for (let left = 20; left > 0; left -= 1) tally.disturbed('plugin_replaced');
  assert.deepEqual(disturbanceFaults(tally), []);
  tally.disturbed('plugin_replaced');
  assert.equal(disturbanceFaults(tally).length, 1);
});

test('a reload that says that it was done, and leaves the plugin dead, is a fault', async () => {
  const { world, done } = runnerThat({ reload: [], call: 'plugin_provider_unavailable' });
  await assert.rejects(reloadPlugins(world, { lane: 0, runner: 'near', limitMs: 0 }), {
    message: 'waited 0 ms in vain: a call on near to succeed after a reload',
  });
  assert.deepEqual(done, ['reload', 'call']);
});

test('a reload that another one keeps out is tried again until it is done, and no more', async () => {
  const { world, done } = runnerThat({ reload: ['plugin_reload_busy'], call: null });
  await reloadPlugins(world, { lane: 0, runner: 'near' });
  assert.deepEqual(done, ['reload', 'reload', 'call']);
  assert.deepEqual(world.tally.disturbances, { plugin_reload_busy: 1 });
});

test('a command that is refused for what no crash explains is a fault, with its code or without', async () => {
  const [call] = commands;
  assert.ok(call !== undefined);
  const run = async (exit: number, stderr: string) => {
    const tally = new Tally();
    const command = async () => ({ exit, signal: null, stdout: '', stderr });
    await call.run({ tally, command } as unknown as SoakWorld, { random: seededRandom(1), lane: 0 });
    return tally.disturbances;
  };
  const refused = (code: string) =>
    `fairlead: it did not work (so it seems) (${code})\n  certainty: not_started\n`;
  assert.deepEqual(await run(1, refused('plugin_replaced')), { plugin_replaced: 1 });
  assert.deepEqual(await run(3, refused('plugin_eof')), { plugin_eof: 1 });
  await assert.rejects(run(1, refused('internal_error')), {
    message: 'plugin call ended with 1 (internal_error)',
  });
  await assert.rejects(run(3, 'TypeError: (intermediate value) is not a function\n'), {
    message: 'plugin call ended with 3 (no code)',
  });
  await assert.rejects(run(2, refused('plugin_replaced')), /ended with 2/);
});
