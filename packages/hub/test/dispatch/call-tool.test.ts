import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { defineExtension, type Extension, s, ToolFault } from '@fairlead/extension';
import { hygiene, waitFor } from '@fairlead/testing';
import { deactivate } from '../../src/activation/switch.ts';
import { callTool, type FinalCall, type ToolRequest } from '../../src/dispatch/call-tool.ts';
import type { LiveSet } from '../../src/live/live-set.ts';
import type { HubReport } from '../../src/report.ts';
import { held } from '../fake-extension.ts';
import { type TestHubOptions, testHub } from '../test-hub.ts';

async function opened(t: TestContext, extensions: readonly Extension[], options: TestHubOptions = {}) {
  hygiene(t);
  const world = await testHub(t, { extensions, ...options });
  const session = await world.newSession();
  await world.hub.openSession(session);
  const set = await world.hub.liveSet({ session });
  t.after(() => set[Symbol.dispose]());
  return { ...world, session, set };
}

const call = (set: LiveSet, tool: string, args: object = {}, more: Partial<ToolRequest> = {}) =>
  callTool(set, { tool, args: args as never, call: 'call_1', ...more });

const oven = (journal: string[] = []) =>
  defineExtension({
    name: 'oven',
    version: '1.0.0',
    tools: {
      heat: {
        about: 'Heats.',
        args: { to: s.integer({ default: 180, maximum: 300 }) },
        run({ to }) {
          journal.push(`run ${to}`);
          return { text: `${to} degrees`, data: { to } };
        },
      },
    },
  });

test('a call goes through its steps in this order and no other', async (t) => {
  const journal: string[] = [];
  const watch = defineExtension({
    name: 'watch',
    version: '1.0.0',
    on: {
      toolCall({ tool, owner, args }) {
        journal.push(`gate ${tool} of ${owner} ${JSON.stringify(args)}`);
        return { args: { to: 200 } };
      },
      toolResult: ({ text, args }) => {
        journal.push(`result ${text} ${JSON.stringify(args)}`);
        return `${text} (checked)`;
      },
    },
  });
  const { set } = await opened(t, [oven(journal), watch]);
  const end = await call(
    set,
    'heat',
    {},
    {
      decide({ args, rewrittenBy, tool, call: id }) {
        journal.push(`decide ${tool.name} ${id} ${JSON.stringify(args)} ${rewrittenBy.join()}`);
        return { kind: 'run' };
      },
      settle(outcome) {
        journal.push(`settle ${outcome.certainty}`);
        return undefined;
      },
    },
  );
  assert.deepEqual(journal, [
    'gate heat of oven {"to":180}',
    'decide heat call_1 {"to":200} watch',
    'run 200',
    'settle completed',
    'result 200 degrees {"to":200}',
  ]);
  // The data no longer fits a text that was changed.
  assert.deepEqual(end, {
    certainty: 'completed',
    text: '200 degrees (checked)',
    isError: false,
    args: { to: 200 },
    rewrittenBy: ['watch'],
    changedBy: ['watch'],
  });
});

test('what is not there, or does not fit, was never started, and no hook hears of it', async (t) => {
  const heard: string[] = [];
  const ears = defineExtension({
    name: 'ears',
    version: '1.0.0',
    on: { toolCall: ({ tool }) => void heard.push(tool), toolResult: ({ tool }) => void heard.push(tool) },
  });
  const { set } = await opened(t, [oven(), ears]);
  const missing = await call(set, 'cool');
  assert.deepEqual(
    [missing.certainty, missing.code, missing.isError],
    ['not_started', 'tool_not_found', true],
  );
  const wrong = await call(set, 'heat', { to: 'hot' });
  assert.deepEqual([wrong.certainty, wrong.code], ['not_started', 'tool_arguments_invalid']);
  assert.match(wrong.text, /\/to must be/);
  assert.equal(wrong.text.includes('hot'), false);
  const excess = await call(set, 'heat', { to: 301 });
  assert.equal(excess.code, 'tool_arguments_invalid');
  assert.deepEqual(heard, []);
});

test('what there was of an answer is shown with its fault, as it was settled', async (t) => {
  const half = defineExtension({
    name: 'half',
    version: '1.0.0',
    tools: {
      bake: {
        about: 'Bakes.',
        run() {
          throw new ToolFault('outcome_unknown', 'it was stopped', { detail: { partial: 'half a loaf' } });
        },
      },
    },
  });
  const { set } = await opened(t, [half]);
  const end = await call(set, 'bake');
  assert.deepEqual(
    [end.certainty, end.text, end.detail],
    ['outcome_unknown', 'tool_failed: it was stopped\nhalf a loaf', { partial: 'half a loaf' }],
  );
  const redacted = await call(
    set,
    'bake',
    {},
    {
      settle: () => ({
        certainty: 'outcome_unknown',
        fault: { code: 'tool_failed', message: 'it was stopped', detail: { partial: 'half a […]' } },
      }),
    },
  );
  assert.equal(redacted.text, 'tool_failed: it was stopped\nhalf a […]');
});

test('a tool of an extension that is off says whose it is, and what to do', async (t) => {
  const { hub, peer, clock, session, newAgent } = await opened(t, [oven()]);
  const ann = await newAgent('ann');
  await deactivate(await peer.open(ann.id), 'oven', clock);
  {
    using set = await hub.liveSet({ session, agent: ann });
    assert.deepEqual(
      (await call(set, 'heat')).text,
      'tool_inactive: heat belongs to oven, which is off for this agent; /extensions add oven agent turns it on',
    );
  }
  await deactivate(await peer.open(session), 'oven', clock);
  using set = await hub.liveSet({ session, agent: ann });
  assert.deepEqual(
    (await call(set, 'heat')).text,
    'tool_inactive: heat belongs to oven, which is off in this session; /extensions add oven turns it on',
  );
});

test('a block stops the chain; what was rewritten before it stays seen, and who took a lease is told', async (t) => {
  const told: string[] = [];
  const gate = (name: string, verdict: object | undefined) =>
    defineExtension({
      name,
      version: '1.0.0',
      on: {
        toolCall({ args }) {
          told.push(`${name} judges ${JSON.stringify(args)}`);
          return verdict as undefined;
        },
        toolResult: ({ text, isError }) => void told.push(`${name} hears ${text} ${isError}`),
      },
    });
  const { set } = await opened(t, [
    oven(told),
    gate('first', { args: { to: 100 } }),
    gate('second', { block: 'It is Sunday.' }),
    gate('third', undefined),
  ]);
  const end = await call(set, 'heat', { to: 5 });
  assert.deepEqual(told, [
    'first judges {"to":5}',
    'second judges {"to":100}',
    'first hears blocked by second: It is Sunday. true',
    'second hears blocked by second: It is Sunday. true',
    'third hears blocked by second: It is Sunday. true',
  ]);
  assert.deepEqual(
    [end.certainty, end.code, end.text, end.isError],
    ['not_started', 'tool_blocked', 'blocked by second: It is Sunday.', true],
  );
});

test('a rewrite that does not fit the tool blocks, and names who made it', async (t) => {
  const clumsy = defineExtension({
    name: 'clumsy',
    version: '1.0.0',
    on: { toolCall: () => ({ args: { to: 999 } }) },
  });
  const journal: string[] = [];
  const { set, reports } = await opened(t, [oven(journal), clumsy]);
  const end = await call(set, 'heat');
  assert.deepEqual([end.certainty, end.code], ['not_started', 'tool_arguments_invalid']);
  assert.match(end.text, /^blocked by clumsy: its arguments do not fit the tool: \/to/);
  assert.deepEqual(journal, []);
  assert.deepEqual(
    reports.map(({ code, extension }) => [code, extension]),
    [['tool_arguments_invalid', 'clumsy']],
  );
});

test('what the host refuses was never started; a host that cannot decide refuses', async (t) => {
  const journal: string[] = [];
  const { set } = await opened(t, [oven(journal)]);
  const denied = await call(
    set,
    'heat',
    {},
    { decide: () => ({ kind: 'refuse', fault: { code: 'approval_denied', message: 'A person said no.' } }) },
  );
  assert.deepEqual(
    [denied.certainty, denied.code, denied.text],
    ['not_started', 'approval_denied', 'approval_denied: A person said no.'],
  );
  const broken = await call(
    set,
    'heat',
    {},
    {
      decide() {
        throw Object.assign(new Error('secret path'), { code: 'store_closed' });
      },
    },
  );
  assert.deepEqual([broken.certainty, broken.code], ['not_started', 'call_not_decided']);
  assert.match(broken.text, /\(store_closed\)$/);
  const bare = await call(set, 'heat', {}, { decide: () => Promise.reject('no error at all') });
  assert.equal(bare.code, 'call_not_decided');
  assert.deepEqual(journal, []);
});

test('what is settled goes on, redacted; what could not be settled is not claimed', async (t) => {
  const { set } = await opened(t, [oven()]);
  const redacted = await call(
    set,
    'heat',
    {},
    { settle: async () => ({ certainty: 'completed', value: { text: '[REDACTED]', isError: false } }) },
  );
  assert.deepEqual([redacted.text, 'data' in redacted], ['[REDACTED]', false]);
  const seen: FinalCall[] = [];
  const lost = await call(
    set,
    'heat',
    {},
    {
      settle(_outcome, final) {
        seen.push(final);
        throw Object.assign(new Error('x'), { code: 'disk_full' });
      },
    },
  );
  assert.deepEqual([lost.certainty, lost.code], ['outcome_unknown', 'call_not_settled']);
  assert.deepEqual(seen[0]?.args, { to: 180 });
  const neverBegun = await call(
    set,
    'heat',
    {},
    {
      decide: () => ({ kind: 'refuse', fault: { code: 'no', message: 'No.' } }),
      settle: () => Promise.reject(new Error('x')),
    },
  );
  assert.deepEqual([neverBegun.certainty, neverBegun.code], ['not_started', 'call_not_settled']);
});

test('the words of a gate that blocks are settled like any other end, so that none of them escapes the redaction', async (t) => {
  const heard: string[] = [];
  const gate = defineExtension({
    name: 'gate',
    version: '1.0.0',
    on: { toolCall: () => ({ block: 'The key is K-1.' }), toolResult: ({ text }) => void heard.push(text) },
  });
  const { set } = await opened(t, [oven(), gate]);
  const settle: ToolRequest['settle'] = (outcome) =>
    'fault' in outcome
      ? {
          ...outcome,
          fault: { ...outcome.fault, message: outcome.fault.message.replace('K-1', '[REDACTED]') },
        }
      : outcome;
  const end = await call(set, 'heat', {}, { settle });
  assert.deepEqual([end.code, end.text], ['tool_blocked', 'blocked by gate: The key is [REDACTED].']);
  assert.deepEqual(heard, ['blocked by gate: The key is [REDACTED].']);
});

const throwing = defineExtension({
  name: 'throwing',
  version: '1.0.0',
  tools: {
    writes: {
      about: 'Writes.',
      run() {
        throw new Error('mid-way');
      },
    },
    reads: { about: 'Reads.', effect: 'read', run: () => Promise.reject(new Error('could not read')) },
    knows: {
      about: 'Knows.',
      run() {
        throw new ToolFault('not_started', 'the door was locked');
      },
    },
    garbage: { about: 'Answers no JSON.', run: () => new Map() as never },
    error: { about: 'Says that it failed.', run: () => ({ text: 'no such city', isError: true }) },
  },
});

test('a throw, garbage and an error of a tool end its call alone, with the certainty that they prove', async (t) => {
  const { set } = await opened(t, [throwing]);
  const ends = [];
  for (const tool of ['writes', 'reads', 'knows', 'garbage', 'error']) {
    const { certainty, code, isError } = await call(set, tool);
    ends.push([tool, certainty, code, isError]);
  }
  assert.deepEqual(ends, [
    ['writes', 'outcome_unknown', 'tool_failed', true],
    ['reads', 'completed', 'tool_failed', true],
    ['knows', 'not_started', 'tool_failed', true],
    ['garbage', 'completed', 'tool_output_invalid', true],
    ['error', 'completed', undefined, true],
  ]);
});

const slow = (begun: { settle: () => void }, seen: string[] = []) =>
  defineExtension({
    name: 'slow',
    version: '1.0.0',
    tools: {
      wait: {
        about: 'Waits for ever.',
        timeoutMs: 5000,
        async run(_args, { signal }) {
          signal.addEventListener('abort', () => seen.push('aborted'));
          begun.settle();
          await new Promise(() => {});
        },
      },
      obey: {
        about: 'Ends when told.',
        timeoutMs: 5000,
        async run(_args, { signal }) {
          begun.settle();
          await new Promise((resolve) => signal.addEventListener('abort', resolve));
          return 'stopped in time';
        },
      },
    },
  });

test('a tool that is late is aborted, and unknown unless it says so itself', async (t) => {
  const seen: string[] = [];
  const [one, two] = [held(), held()];
  let begun = one;
  const { set, clock } = await opened(t, [slow({ settle: () => begun.settle() }, seen)]);
  const waiting = call(set, 'wait');
  await one.promise;
  await clock.advance(5000);
  assert.deepEqual(seen, ['aborted']);
  await clock.advance(1000);
  const late = await waiting;
  assert.deepEqual([late.certainty, late.code], ['outcome_unknown', 'tool_timeout']);
  begun = two;
  const obeying = call(set, 'obey');
  await two.promise;
  await clock.advance(5000);
  assert.deepEqual((await obeying).text, 'stopped in time');
});

test('the host may give a call another time than the tool asks for', async (t) => {
  const begun = held();
  const { set, clock } = await opened(t, [slow(begun)]);
  const waiting = call(set, 'wait', {}, { decide: () => ({ kind: 'run', timeoutMs: 20 }) });
  await begun.promise;
  await clock.advance(20);
  await clock.advance(1000);
  const end = await waiting;
  assert.deepEqual([end.certainty, end.code], ['outcome_unknown', 'tool_timeout']);
});

test('a cancelled call is unknown once its handler ran, and not started before', async (t) => {
  const begun = held();
  const { set, clock } = await opened(t, [slow(begun)]);
  const cancel = new AbortController();
  const waiting = call(set, 'wait', {}, { signal: cancel.signal });
  await begun.promise;
  cancel.abort();
  await clock.advance(1000);
  const end = await waiting;
  assert.deepEqual([end.certainty, end.code], ['outcome_unknown', 'call_cancelled']);
  const again = await call(set, 'wait', {}, { signal: cancel.signal });
  assert.deepEqual([again.certainty, again.code], ['not_started', 'call_cancelled']);
});

test('a call through a set of before a reload, or of before an unload, is refused', async (t) => {
  const { hub, set, session, source } = await opened(t, [oven()]);
  const newer = defineExtension({
    name: 'oven',
    version: '2.0.0',
    tools: { heat: { about: 'Heats.', run: () => 'newer' } },
  });
  const replaced = await hub.replace('oven', source(newer));
  assert.equal(replaced.ok, true);
  const refused = await call(set, 'heat');
  assert.deepEqual([refused.certainty, refused.code], ['not_started', 'extension_replaced']);
  using next = await hub.liveSet({ session });
  assert.equal((await call(next, 'heat')).text, 'newer');
  assert.equal((await hub.unload('oven')).found, true);
  const gone = await call(next, 'heat');
  assert.deepEqual([gone.certainty, gone.code], ['not_started', 'extension_unknown']);
});

test('an extension that goes while a person still decides is asked no more', async (t) => {
  const journal: string[] = [];
  const { hub, set } = await opened(t, [oven(journal)]);
  const end = await call(
    set,
    'heat',
    {},
    {
      async decide() {
        await hub.unload('oven');
        return { kind: 'run' };
      },
    },
  );
  assert.deepEqual([end.certainty, end.code], ['not_started', 'extension_unknown']);
  assert.deepEqual(journal, []);
});

test('a call of a set that was given back is refused where its instance was evicted meanwhile', async (t) => {
  const local = defineExtension({
    name: 'local',
    version: '1.0.0',
    session: { tools: { here: { about: 'Is here.', run: () => 'here' } } },
  });
  const { hub, peer, clock, session, set } = await opened(t, [local]);
  set[Symbol.dispose]();
  await deactivate(await peer.open(session), 'local', clock);
  (await hub.liveSet({ session }))[Symbol.dispose]();
  const end = await call(set, 'here');
  assert.deepEqual([end.certainty, end.code], ['not_started', 'extension_ended']);
});

test('settings that were saved hold for the next call, also of a set that is held', async (t) => {
  const mood = defineExtension({
    name: 'mood',
    version: '1.0.0',
    settings: { word: s.string({ default: 'calm' }), other: s.string({ default: 'x' }) },
    tools: {
      say: { about: 'Says.', run: (_args, { settings }) => settings.word },
      change: { about: 'Changes.', run: (_args, ctx) => ctx.save({ word: 'wild' }) },
    },
    prompt: (_event, { settings }) => settings.word,
  });
  const { set, hub, session } = await opened(t, [mood], {
    settings: { values: { mood: { other: 'of the file' } }, secrets: [], missing: [] },
  });
  assert.equal((await call(set, 'say')).text, 'calm');
  await call(set, 'change');
  assert.equal((await call(set, 'say')).text, 'wild');
  // A setting is no switch: the set is the same.
  using next = await hub.liveSet({ session });
  assert.equal(next.version, set.version);
});

test('settings that cannot be read refuse the call, and are read again at the next one', async (t) => {
  const journal: string[] = [];
  const { set, peer, session } = await opened(t, [oven(journal)]);
  const database = await peer.open(session);
  await database.doc('extension_settings').set(['oven', 'x'], 1);
  const read = database.doc('extension_settings');
  const broken = t.mock.method(Object.getPrototypeOf(read), 'get', () =>
    Promise.reject(Object.assign(new Error('disk'), { code: 'store_failed' })),
  );
  const end = await call(set, 'heat');
  assert.deepEqual([end.certainty, end.code], ['not_started', 'store_failed']);
  broken.mock.restore();
  assert.equal((await call(set, 'heat')).text, '180 degrees');
  assert.deepEqual(journal, ['run 180']);
});

test('lines of progress reach whoever made the call, and nobody else', async (t) => {
  const chatty = defineExtension({
    name: 'chatty',
    version: '1.0.0',
    tools: { count: { about: 'Counts.', run: async (_args, { progress }) => progress('half\nway') } },
  });
  const { set } = await opened(t, [chatty]);
  const lines: string[] = [];
  await Promise.all([call(set, 'count', {}, { onProgress: (text) => lines.push(text) }), call(set, 'count')]);
  assert.deepEqual(lines, ['half way']);
});

test('a session that closes cancels its calls, waits for how they end, and takes no others', async (t) => {
  const begun = held();
  const { hub, set, clock, session } = await opened(t, [slow(begun), oven()]);
  const waiting = call(set, 'wait', {}, { signal: new AbortController().signal });
  await begun.promise;
  const closed = hub.closeSession(session);
  await clock.advance(0);
  assert.equal((await call(set, 'heat')).code, 'session_not_open');
  await clock.advance(1000);
  assert.deepEqual((await waiting).certainty, 'outcome_unknown');
  await closed;
});

test('a run-time tool that became another one while a person decided is not started', async (t) => {
  const ran: string[] = [];
  let does = 'list';
  let changed = (): void => {};
  const shifty = defineExtension({
    name: 'shifty',
    version: '1.0.0',
    open(scope) {
      changed = () => scope.changed();
    },
    moreTools() {
      const doing = does;
      return [
        {
          name: 'run_3',
          about: `Does ${doing}.`,
          args: { type: 'object', properties: {}, additionalProperties: false } as const,
          run: () => void ran.push(doing),
        },
      ];
    },
  });
  const { hub, session, set } = await opened(t, [shifty]);
  const end = await call(
    set,
    'run_3',
    {},
    {
      async decide() {
        does = 'delete';
        changed();
        await waitFor(
          async () => {
            using next = await hub.liveSet({ session });
            return next.tools.get('run_3')?.contribution.about === 'Does delete.';
          },
          { what: 'the other tool' },
        );
        return { kind: 'run' };
      },
    },
  );
  assert.deepEqual([end.certainty, end.code, ran], ['not_started', 'tool_not_found', []]);
  using next = await hub.liveSet({ session });
  assert.equal((await call(next, 'run_3')).certainty, 'completed');
  assert.deepEqual(ran, ['delete']);
});

test('a tool whose list came after its time can be called once it has come', async (t) => {
  const letGo: (() => void)[] = [];
  let does = 'list';
  let changed = (): void => {};
  const slowly = defineExtension({
    name: 'slowly',
    version: '1.0.0',
    open(scope) {
      changed = () => scope.changed();
    },
    async moreTools() {
      const doing = does;
      if (doing !== 'list') await new Promise<void>((resolve) => letGo.push(resolve));
      return [
        {
          name: 'run_3',
          about: `Does ${doing}.`,
          args: { type: 'object', properties: {}, additionalProperties: false } as const,
          run: () => doing,
        },
      ];
    },
  });
  const reports: HubReport[] = [];
  const { hub, session, clock } = await opened(t, [slowly], { report: (told) => void reports.push(told) });
  const shown = async () => {
    using next = await hub.liveSet({ session });
    const { text } = await call(next, 'run_3');
    return [next.tools.get('run_3')?.contribution.about, text];
  };
  does = 'write';
  changed();
  await waitFor(() => letGo.length === 1, { what: 'the first reading' });
  await clock.advance(30_000);
  assert.equal(reports.length, 1);
  assert.deepEqual(await shown(), ['Does list.', 'list']);
  letGo[0]?.();
  await clock.advance(0);
  assert.deepEqual(await shown(), ['Does write.', 'write']);

  // The next one is late too, and overtaken by the one after it.
  await clock.advance(100);
  does = 'delete';
  changed();
  await waitFor(() => letGo.length === 2, { what: 'the second reading' });
  await clock.advance(30_000);
  assert.equal(reports.length, 2);
  await clock.advance(100);
  does = 'send';
  changed();
  await waitFor(() => letGo.length === 3, { what: 'the third reading' });
  letGo[2]?.();
  await clock.advance(0);
  assert.deepEqual(await shown(), ['Does send.', 'send']);
  letGo[1]?.();
  await clock.advance(0);
  assert.deepEqual(await shown(), ['Does send.', 'send']);
});
