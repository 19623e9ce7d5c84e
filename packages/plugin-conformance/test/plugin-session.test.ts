import assert from 'node:assert/strict';
import { PassThrough, Writable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '@fairlead/base';
import type { Exit } from '@fairlead/process';
import { manualClock } from '@fairlead/testing';
import { scenarioOf } from '../src/hostile/scenarios.ts';
import { INITIALIZE } from '../src/plugin/lab.ts';
import { PluginSession, type SessionOptions } from '../src/plugin/plugin-session.ts';
import { stagedPlugin } from './staged-plugin.ts';

const OPTIONS: SessionOptions = { timeoutMs: 400, quietMs: 60, exitMs: 300, kill: () => {} };

/** A plugin that is asked, and whose pipes have ended before anything is known of its process. */
async function withoutPipes() {
  const clock = manualClock();
  const exited = Promise.withResolvers<Exit>();
  const stdout = new PassThrough();
  const tree = {
    pid: 4_300_000,
    stdin: new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) }),
    stdout,
    stderr: new PassThrough(),
    exited: exited.promise,
    end: async () => ({ survivors: 0 }),
  };
  const exchange = new PluginSession(tree, clock, OPTIONS).ask('initialize', INITIALIZE);
  await nextTurn();
  stdout.end();
  await nextTurn();
  return { clock, exited, exchange };
}

test('a plugin that dies at once is said to have ended, though its pipes are found closed first', async () => {
  const { exited, exchange } = await withoutPipes();
  exited.resolve({ code: 1, signal: null });
  const came = await exchange;
  assert.deepEqual(came.kind === 'ended' && came.exit, { code: 1, signal: null });
});

test('a plugin that goes on without its pipes is said to have closed its stdin', async () => {
  const { clock, exchange } = await withoutPipes();
  await clock.advance(250);
  assert.equal((await exchange).kind, 'stdin_closed');
});

/** Asks a scenario; the kit gets no time until the time for the answer is up, and finds that first. */
async function askWithoutTime(name: string): Promise<string> {
  const scenario = scenarioOf(name);
  assert.ok(scenario !== undefined);
  let nowMs = 0;
  let fire = (): void => {};
  const clock: Clock = {
    monotonicMs: () => nowMs,
    wallMs: () => nowMs,
    setTimer: (_delayMs, due) => {
      fire = due;
      return { cancel() {} };
    },
  };
  const session = new PluginSession(stagedPlugin(scenario), clock, OPTIONS);
  const exchange = session.ask('initialize', INITIALIZE);
  nowMs = 600;
  fire();
  const { kind } = await exchange;
  await session.close();
  return kind;
}

test('an answer that came while the kit had no time is read before its time is said to be up', async () => {
  assert.equal(await askWithoutTime('well-behaved'), 'line');
});

test('an answer that has not come when its time is up is none, however late that is noticed', async () => {
  assert.equal(await askWithoutTime('initialize-never-answers'), 'timeout');
});
