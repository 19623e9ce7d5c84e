import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { defineExtension, type Extension, s } from '@fairlead/extension';
import { hygiene } from '@fairlead/testing';
import { deactivate } from '../../src/activation/switch.ts';
import { runCommand } from '../../src/dispatch/run-command.ts';
import { FakeExtension, held } from '../fake-extension.ts';
import { testHub } from '../test-hub.ts';

async function opened(t: TestContext, extensions: readonly Extension[]) {
  hygiene(t);
  const world = await testHub(t, { extensions });
  const session = await world.newSession();
  await world.hub.openSession(session);
  const set = await world.hub.liveSet({ session });
  t.after(() => set[Symbol.dispose]());
  return { ...world, session, set };
}

const greeter = defineExtension({
  name: 'greeter',
  version: '1.0.0',
  commands: {
    greet: {
      about: 'Greets.',
      args: { name: s.string(), loud: s.boolean({ default: false }), words: s.string({ default: 'Hello' }) },
      run: ({ name, loud, words }, ctx) => ({
        text: loud ? `${words}, ${name}!` : `${words}, ${name}.`,
        data: { agent: ctx.agent?.name ?? null, session: ctx.session.id },
      }),
    },
    quiet: { about: 'Says nothing.', run: () => {} },
  },
});

test('a line is parsed as a shell parses it, and runs in its session, for its agent if there is one', async (t) => {
  const { hub, set, session, newAgent } = await opened(t, [greeter]);
  assert.deepEqual(await runCommand(set, { line: `/greet "Ann Lee" Good evening` }), {
    certainty: 'completed',
    value: { text: 'Good evening, Ann Lee.', data: { agent: null, session } },
  });
  const ann = await newAgent('ann');
  using withAgent = await hub.liveSet({ session, agent: ann });
  assert.deepEqual(await runCommand(withAgent, { line: 'greet Bob --loud' }), {
    certainty: 'completed',
    value: { text: 'Hello, Bob!', data: { agent: 'ann', session } },
  });
  assert.deepEqual(await runCommand(set, { line: '/quiet' }), {
    certainty: 'completed',
    value: { text: '' },
  });
});

test('a line that does not fit answers the usage line, and starts nothing', async (t) => {
  const { set } = await opened(t, [greeter]);
  const outcome = await runCommand(set, { line: '/greet' });
  assert.deepEqual(outcome, {
    certainty: 'not_started',
    fault: {
      code: 'command_usage',
      message: 'name must be present',
      detail: { usage: '/greet <name> [--loud] [words="Hello"…]' },
    },
  });
});

test('a command that nobody has, one that is off and one that waits are told apart', async (t) => {
  const broken = defineExtension({
    name: 'broken',
    version: '1.0.0',
    session: {
      open() {
        throw new Error('no key');
      },
      commands: { fix: { about: 'Fixes.', run: () => 'fixed' } },
    },
  });
  const { hub, peer, clock, set, session } = await opened(t, [greeter, broken]);
  const text = async (live: typeof set, line: string) => {
    const outcome = await runCommand(live, { line });
    assert.ok('fault' in outcome);
    assert.deepEqual([outcome.certainty, outcome.fault.code], ['not_started', 'unknown_command']);
    return outcome.fault.message;
  };
  assert.equal(await text(set, '/nope'), 'There is no command of this name. (/nope)');
  assert.match(await text(set, '/fix'), /^\/fix belongs to broken, which cannot run here now: .*no key/);
  await deactivate(await peer.open(session), 'greeter', clock);
  using off = await hub.liveSet({ session });
  assert.equal(
    await text(off, '/greet Ann'),
    '/greet belongs to greeter, which is off in this session; /extensions add greeter turns it on',
  );
});

test('a command that throws, at once or later, answers a fault and harms nobody', async (t) => {
  const rough = defineExtension({
    name: 'rough',
    version: '1.0.0',
    commands: {
      now: {
        about: 'Throws.',
        run() {
          throw new Error('at once');
        },
      },
      later: { about: 'Rejects.', run: () => Promise.reject(new Error('later')) },
      garbage: { about: 'Answers no JSON.', run: () => new Map() as never },
    },
  });
  const { set } = await opened(t, [rough, greeter]);
  for (const line of ['/now', '/later', '/garbage']) {
    const outcome = await runCommand(set, { line });
    assert.equal('fault' in outcome && outcome.fault.code, 'command_failed', line);
  }
  assert.equal((await runCommand(set, { line: '/quiet' })).certainty, 'completed');
});

test('a command that never answers is given up after 60 seconds, and one that is cancelled after one', async (t) => {
  const begun = [held(), held()];
  let calls = 0;
  const hangs = defineExtension({
    name: 'hangs',
    version: '1.0.0',
    commands: {
      wait: {
        about: 'Waits.',
        async run(_args, { progress }) {
          progress('waiting');
          begun[calls++]?.settle();
          await new Promise(() => {});
        },
      },
    },
  });
  const { set, clock } = await opened(t, [hangs]);
  const lines: string[] = [];
  const late = runCommand(set, { line: '/wait', onProgress: (line) => lines.push(line) });
  await begun[0]?.promise;
  await clock.advance(61_000);
  assert.deepEqual(await late, {
    certainty: 'outcome_unknown',
    fault: { code: 'command_timeout', message: 'The command did not answer within 60 seconds.' },
  });
  assert.deepEqual(lines, ['waiting']);
  const cancel = new AbortController();
  const cancelled = runCommand(set, { line: '/wait', signal: cancel.signal });
  await begun[1]?.promise;
  cancel.abort();
  await clock.advance(1000);
  const outcome = await cancelled;
  assert.equal('fault' in outcome && outcome.fault.code, 'call_cancelled');
});

test('a command of a set from before a reload, and of a session that closed, is refused', async (t) => {
  const { hub, set, session, source } = await opened(t, [greeter]);
  const newer = defineExtension({ name: 'greeter', version: '2.0.0' });
  assert.equal((await hub.replace('greeter', source(newer))).ok, true);
  const replaced = await runCommand(set, { line: '/quiet' });
  assert.equal('fault' in replaced && replaced.fault.code, 'extension_replaced');
  await hub.closeSession(session);
  const closed = await runCommand(set, { line: '/quiet' });
  assert.equal('fault' in closed && closed.fault.code, 'session_not_open');
});

test('what code without the guest runtime contributes or answers is not taken at its word', async (t) => {
  hygiene(t);
  const { hub, newSession } = await testHub(t);
  const odd = new FakeExtension('odd', { commands: ['bad', 'fine'], tools: ['heat'] });
  odd.onOpen = async () => ({
    tools: [
      {
        name: 'heat',
        about: 'x',
        args: { anyOf: [] } as never,
        risk: 'low',
        approval: 'never',
        timeout_ms: 1000,
        sensitive: [],
        effect: 'read',
        runtime: false,
      },
    ],
    commands: [
      { name: 'bad', about: 'x', args: { type: 'nonsense' } as never },
      { name: 'fine', about: 'x', args: { type: 'object' } },
    ],
    hooks: [],
    prompt: false,
    tail: false,
    status: false,
    caps: [],
    routines: [],
    uses: [],
  });
  await hub.install([odd.source()]);
  const session = await newSession();
  await hub.openSession(session);
  using set = await hub.liveSet({ session });
  const outcome = await runCommand(set, { line: '/bad' });
  assert.deepEqual('fault' in outcome && outcome.fault, {
    code: 'command_usage',
    message: 'its arguments cannot be read',
    detail: { usage: '/bad' },
  });
  assert.deepEqual(await runCommand(set, { line: '/fine' }), {
    certainty: 'completed',
    value: { text: '' },
  });
  const parsed = set.tools.get('heat')?.parse({});
  assert.equal(parsed?.ok, false);
});
