import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeExtension } from '../src/authoring/extension.ts';
import type { ToolCall } from '../src/authoring/part.ts';
import { ToolFault } from '../src/authoring/tool-fault.ts';
import { blockText, type GateResult } from '../src/dispatch/gate-fold.ts';
import { HookDispatcher } from '../src/dispatch/hook-dispatcher.ts';
import type { HookTarget } from '../src/dispatch/hook-target.ts';
import { extensionError } from '../src/errors.ts';
import { Guest } from '../src/guest/guest.ts';
import { jsonOf } from '../src/schema/any-schema.ts';
import { s } from '../src/schema/builder.ts';
import { compileSchema } from '../src/schema/compile-schema.ts';
import { bare, CONTEXT, dispatching, held, parseAny, targetOf } from './dispatching.ts';

const CALL = { tool: 'write_file', owner: 'fs', args: Object.freeze({ path: 'a/b' }) };
const gate = (owner: string, toolCall: (call: ToolCall, ctx: never) => unknown, more: object = {}) =>
  targetOf(owner, 'tool_call', { on: { toolCall }, ...more });

/** A block as code, owner and reason. */
function said(result: GateResult): unknown {
  return result.kind === 'pass' ? result.args : `${result.code} ${blockText(result)}`;
}

test('gates run in order, and all that answer at once answer at once', async () => {
  const { hooks } = dispatching();
  const order: string[] = [];
  const targets = [
    await gate('first', () => void order.push('first')),
    await gate('second', () => void order.push('second')),
  ];
  assert.deepEqual(hooks.toolCall(targets, CALL, parseAny), {
    kind: 'pass',
    args: { path: 'a/b' },
    rewrittenBy: [],
  });
  assert.deepEqual(order, ['first', 'second']);
  assert.deepEqual(hooks.toolCall([], CALL, parseAny), {
    kind: 'pass',
    args: { path: 'a/b' },
    rewrittenBy: [],
  });
});

test('the first block stops the chain, and what was rewritten before is seen by the next', async () => {
  const { hooks, reports } = dispatching();
  const seen: unknown[] = [];
  const targets = [
    await gate('tidy', async () => ({ args: { path: 'a' } })),
    await gate('watch', ({ args }) => void seen.push(args)),
    await gate('guard', () => ({ block: 'not there' })),
    await gate('never', () => void seen.push('never')),
  ];
  assert.equal(
    said(await hooks.toolCall(targets, CALL, parseAny)),
    'tool_blocked blocked by guard: not there',
  );
  assert.deepEqual(seen, [{ path: 'a' }]);
  assert.deepEqual(reports, []);
});

test('rewritten arguments are parsed again, with defaults, and named with who rewrote them', async () => {
  const { hooks, reports } = dispatching();
  const compiled = compileSchema(jsonOf({ path: s.string(), mode: s.string({ default: 'w' }) }));
  assert.ok(compiled.ok);
  const { parse } = compiled.schema;
  const good = [
    await gate('tidy', () => ({ args: { path: 'x' } })),
    await gate('also', async () => ({ args: { path: 'y' } })),
  ];
  assert.deepEqual(await hooks.toolCall(good, CALL, parse), {
    kind: 'pass',
    args: { path: 'y', mode: 'w' },
    rewrittenBy: ['tidy', 'also'],
  });
  const bad = [await gate('tidy', () => ({ args: { path: 5 } }))];
  assert.equal(
    said(await hooks.toolCall(bad, CALL, parse)),
    'tool_arguments_invalid blocked by tidy: its arguments do not fit the tool: /path must be a string',
  );
  assert.equal(reports.length, 1);
});

test('a gate that throws, at once or later, blocks and is named', async () => {
  const { hooks, reports } = dispatching();
  const sync = [
    await gate('guard', () => {
      throw new Error('no rules\nloaded');
    }),
    await gate('never', () => assert.fail()),
  ];
  assert.equal(
    said(await hooks.toolCall(sync, CALL, parseAny)),
    'hook_failed blocked by guard: it threw: no rules loaded',
  );
  const later = [await gate('guard', () => Promise.reject('odd'))];
  assert.equal(
    said(await hooks.toolCall(later, CALL, parseAny)),
    'hook_failed blocked by guard: it threw: odd',
  );
  assert.deepEqual(
    reports.map(({ owner, kind, code }) => [owner, kind, code]),
    Array(2).fill(['guard', 'tool_call', 'hook_failed']),
  );
});

test('a gate that throws an error without a text blocks and is named', async () => {
  const { hooks, reports } = dispatching();
  const thrown = [
    Object.assign(new Error('x'), { message: { code: 1 } }),
    Object.assign(new ToolFault('completed', 'x'), { message: { code: 1 } }),
  ];
  const reasons: string[] = [];
  for (const error of thrown) {
    const atOnce = await gate('guard', () => {
      throw error;
    });
    const later = await gate('guard', () => Promise.reject(error));
    for (const target of [atOnce, later])
      reasons.push(String(said(await hooks.toolCall([target], CALL, parseAny))));
  }
  assert.deepEqual(reasons, [
    ...Array(2).fill('hook_failed blocked by guard: it threw: [object Object]'),
    ...Array(2).fill('hook_failed blocked by guard: [object Object]'),
  ]);
  assert.equal(reports.length, 4);
});

test('whatever is no verdict blocks', async () => {
  const { hooks } = dispatching();
  const verdicts: readonly [unknown, string][] = [
    [true, 'it is no object'],
    ['no', 'it is no object'],
    [[], 'it is no object'],
    [{}, 'it must have one member, block or args'],
    [{ block: 'x', args: {} }, 'it must have one member, block or args'],
    [{ allow: true }, 'it must have one member, block or args'],
    [{ args: [] }, 'it must have one member, block or args'],
    [{ block: '' }, 'block must be a reason of 1 to 500 characters'],
    [{ block: 'x'.repeat(501) }, 'block must be a reason of 1 to 500 characters'],
    [{ block: 5 }, 'block must be a reason of 1 to 500 characters'],
    [{ args: { at: new Date(0) } }, '/args/at is a Date, which JSON cannot hold'],
    [() => 1, 'it is a function, which JSON cannot hold'],
  ];
  for (const [verdict, reason] of verdicts) {
    for (const answer of [() => verdict, async () => verdict]) {
      const result = await hooks.toolCall([await gate('guard', answer)], CALL, parseAny);
      assert.equal(said(result), `verdict_invalid blocked by guard: ${reason}`);
    }
  }
  for (const verdict of [undefined, null])
    assert.deepEqual(
      said(await hooks.toolCall([await gate('guard', () => verdict)], CALL, parseAny)),
      CALL.args,
    );
});

test('a gate that hangs blocks when its budget has passed, and what it then says is void', async () => {
  const { hooks, clock, reports } = dispatching();
  const { promise, settle } = held<unknown>();
  let code = '';
  let signal: AbortSignal | undefined;
  const targets = [
    await gate('slow', async (_call, ctx: { readonly signal: AbortSignal; readonly settings: object }) => {
      signal = ctx.signal;
      await promise;
      try {
        return ctx.settings;
      } catch (error) {
        code = (error as { code: string }).code;
        return { args: { path: 'late' } };
      }
    }),
  ];
  const result = Promise.resolve(hooks.toolCall(targets, CALL, parseAny));
  let over = false;
  void result.then(() => {
    over = true;
  });
  await clock.advance(9_999);
  assert.deepEqual([over, signal?.aborted], [false, false]);
  await clock.advance(1);
  assert.equal(said(await result), 'hook_timeout blocked by slow: it did not answer in time');
  assert.equal(signal?.aborted, true);
  settle({ args: { path: 'late' } });
  await clock.advance(0);
  assert.equal(code, 'context_expired');
  assert.equal(reports.length, 1);
  assert.equal(clock.pendingTimers, 0);
});

test('gates judge what they say they judge, by name or prefix', async () => {
  const { hooks } = dispatching();
  const asked: string[] = [];
  const all = await Promise.all(
    [['write_file'], ['write_*'], ['*'], ['read_file', 'read_*'], []].map((gates, index) =>
      gate(`g${index}`, () => void asked.push(gates.join()), { gates }),
    ),
  );
  await hooks.toolCall(all, CALL, parseAny);
  assert.deepEqual(asked, ['write_file', 'write_*', '*']);
});

test('a gate that cannot run refuses what it judges, and nothing else', async () => {
  const { hooks, reports } = dispatching();
  const gone: HookTarget = { ...bare('guard', () => assert.fail()), gates: ['write_*'], gone: 'it crashed' };
  const later = await gate('later', async () => undefined);
  const reason =
    'gate_unavailable blocked by guard: it cannot run now (it crashed); /extensions remove guard takes it out of this session';
  assert.equal(said(await hooks.toolCall([gone, later], CALL, parseAny)), reason);
  assert.equal(said(await hooks.toolCall([later, gone], CALL, parseAny)), reason);
  assert.deepEqual(said(await hooks.toolCall([later, gone], { ...CALL, tool: 'read' }, parseAny)), CALL.args);
  // The same where the extension turns out to be gone.
  const dying = bare('guard', () => {
    throw extensionError('extension_crashed', 'it fell', { certainty: 'not_started' });
  });
  assert.equal(
    said(await hooks.toolCall([dying], CALL, parseAny)),
    'gate_unavailable blocked by guard: it cannot run now (extension_crashed); /extensions remove guard takes it out of this session',
  );
  assert.equal(await hooks.agentEnd([dying], { status: 'completed' }), undefined);
  assert.deepEqual(
    reports.map(({ kind, code }) => `${kind} ${code}`),
    [...Array(3).fill('tool_call gate_unavailable'), 'agent_end hook_failed'],
  );
});

test('a whole dispatch has 30 s: then the gate that runs blocks', async () => {
  const { hooks, clock } = dispatching();
  const slow = (owner: string) =>
    gate(owner, () => new Promise((resolve) => clock.setTimer(9_500, () => resolve(undefined))));
  const targets = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(slow));
  const result = Promise.resolve(hooks.toolCall(targets, CALL, parseAny));
  await clock.advance(30_000);
  assert.equal(said(await result), 'hook_timeout blocked by d: it did not answer in time');
});

test('a cancelled turn leaves the gate that runs, and blocks', async () => {
  const { hooks, clock, reports } = dispatching();
  const cancel = new AbortController();
  const targets = [await gate('slow', () => new Promise(() => {}))];
  const result = Promise.resolve(hooks.toolCall(targets, CALL, parseAny, { signal: cancel.signal }));
  await clock.advance(100);
  cancel.abort();
  assert.equal(said(await result), 'call_cancelled blocked by slow: the turn was cancelled');
  const again = Promise.resolve(hooks.toolCall(targets, CALL, parseAny, { signal: cancel.signal }));
  assert.equal(said(await again), 'call_cancelled blocked by slow: the turn was cancelled');
  assert.deepEqual(reports, []);
  assert.equal(clock.pendingTimers, 0);
});

test('a foreign thenable that answers twice, or throws, is heard once', async () => {
  const { hooks } = dispatching();
  const twice = {
    // biome-ignore lint/suspicious/noThenProperty: this is what is tested
    then(resolve: (value: unknown) => void) {
      resolve({ block: 'one' });
      resolve(undefined);
    },
  };
  assert.equal(
    said(await hooks.toolCall([await gate('odd', () => twice)], CALL, parseAny)),
    'tool_blocked blocked by odd: one',
  );
  const broken = {
    // biome-ignore lint/suspicious/noThenProperty: this is what is tested
    then() {
      throw new Error('broken');
    },
  };
  assert.match(
    String(said(await hooks.toolCall([await gate('odd', () => broken)], CALL, parseAny))),
    /^hook_failed blocked by odd: it threw: broken/,
  );
});

test('results are rewritten one after another; one that fails is left out and told', async () => {
  const { hooks, reports } = dispatching();
  const on = (owner: string, toolResult: (end: { readonly text: string }) => unknown) =>
    targetOf(owner, 'tool_result', { on: { toolResult } });
  const targets = [
    await on('one', ({ text }) => `${text}1`),
    await on('two', () => {
      throw new Error('no');
    }),
    await on('three', async ({ text }) => `${text}3`),
    await on('four', () => 4),
    await on('five', () => undefined),
    await on('six', ({ text }) => text),
    await on('seven', () => 'x'.repeat(64 * 1024 + 1)),
  ];
  const end = { ...CALL, text: 'r', isError: true };
  assert.deepEqual(await hooks.toolResult(targets, end), { text: 'r13', changedBy: ['one', 'three'] });
  assert.deepEqual(
    reports.map(({ owner, code, reason }) => [owner, code, reason]),
    [
      ['two', 'hook_failed', 'it threw: no'],
      ['four', 'hook_failed', 'it returned something that is not text'],
      ['seven', 'hook_failed', 'it returned text of more than 65536 bytes'],
    ],
  );
  assert.deepEqual(await hooks.toolResult([await on('one', () => '')], end), {
    text: '',
    changedBy: ['one'],
  });
});

test('messages are gathered in the order of the extensions; one that fails adds none', async () => {
  const { hooks, reports, clock } = dispatching();
  const on = (owner: string, beforeAgentStart: () => unknown) =>
    targetOf(owner, 'before_agent_start', { on: { beforeAgentStart } });
  const targets = [
    await on('text', async () => 'Be brief.'),
    await on('list', () => [
      { role: 'user', text: 'Hi.' },
      { role: 'system', text: ' ' },
    ]),
    await on('nothing', () => undefined),
    await on('hangs', () => new Promise(() => {})),
    await on('number', () => 5),
    await on('role', () => [{ role: 'assistant', text: 'x' }]),
    await on('more', () => [{ role: 'user', text: 'x', data: 1 }]),
    await on('odd', () => [5]),
    await on('long', () => [{ role: 'user', text: 'é'.repeat(40_000) }]),
    await on('many', () => Array(17).fill({ role: 'user', text: 'x' })),
    await on('last', () => 'End.'),
  ];
  const result = Promise.resolve(hooks.beforeAgentStart(targets));
  await clock.advance(10_000);
  assert.deepEqual(await result, [
    { owner: 'text', role: 'system', text: 'Be brief.' },
    { owner: 'list', role: 'user', text: 'Hi.' },
    { owner: 'last', role: 'system', text: 'End.' },
  ]);
  assert.deepEqual(
    reports.map(({ owner, code }) => `${owner} ${code}`),
    [
      'hangs hook_timeout',
      'number hook_failed',
      'role hook_failed',
      'more hook_failed',
      'odd hook_failed',
      'long hook_failed',
      'many hook_failed',
    ],
  );
});

test('after 30 s what was not asked yet is left out and told', async () => {
  const { hooks, clock, reports } = dispatching();
  const slow = (owner: string, ms: number) =>
    targetOf(owner, 'before_agent_start', {
      on: {
        beforeAgentStart: () => new Promise((resolve) => clock.setTimer(ms, () => resolve(owner))),
      },
    });
  const targets = await Promise.all([
    slow('a', 9_000),
    slow('b', 9_000),
    slow('c', 9_000),
    slow('d', 9_000),
    slow('e', 1),
  ]);
  const result = Promise.resolve(hooks.beforeAgentStart(targets));
  await clock.advance(30_000);
  assert.deepEqual(
    (await result).map(({ owner }) => owner),
    ['a', 'b', 'c'],
  );
  assert.deepEqual(
    reports.map(({ owner, code }) => `${owner} ${code}`),
    ['d hook_timeout', 'e hook_timeout'],
  );
});

test('what a handler answers after its budget is not taken for the next one’s answer', async () => {
  for (const late of ['answers', 'throws'] as const) {
    const { hooks, clock, reports } = dispatching();
    const first = held<string>();
    const second = held<string>();
    const on = (owner: string, answer: Promise<string>) =>
      targetOf(owner, 'before_agent_start', { on: { beforeAgentStart: () => answer } });
    const targets = [await on('slow', first.promise), await on('next', second.promise)];
    const result = Promise.resolve(hooks.beforeAgentStart(targets));
    await clock.advance(10_000);
    if (late === 'answers') first.settle('too late');
    else first.fail(new Error('too late'));
    await clock.advance(1000);
    second.settle('in time');
    assert.deepEqual(await result, [{ owner: 'next', role: 'system', text: 'in time' }]);
    assert.deepEqual(
      reports.map(({ owner, code }) => `${owner} ${code}`),
      ['slow hook_timeout'],
    );
  }
});

test('an observer changes nothing; one that throws or hangs is told, and the next one runs', async () => {
  const { hooks, clock, reports } = dispatching();
  const seen: string[] = [];
  const on = (owner: string, agentEnd: (event: { readonly status: string }) => unknown) =>
    targetOf(owner, 'agent_end', { on: { agentEnd } });
  const targets = [
    await on('throws', () => {
      throw new Error('no');
    }),
    await on('hangs', () => new Promise(() => {})),
    await on('last', ({ status }) => void seen.push(status)),
  ];
  const over = Promise.resolve(hooks.agentEnd(targets, { status: 'failed' }));
  await clock.advance(10_000);
  await over;
  assert.deepEqual(seen, ['failed']);
  assert.deepEqual(
    reports.map(({ owner, code }) => `${owner} ${code}`),
    ['throws hook_failed', 'hangs hook_timeout'],
  );
});

test('starting and ending a session have budgets of 10 and 5 s', async () => {
  for (const [kind, member, budgetMs] of [
    ['session_start', 'sessionStart', 10_000],
    ['session_shutdown', 'sessionShutdown', 5000],
  ] as const) {
    const { hooks, clock, reports } = dispatching();
    const hangs = await targetOf('hangs', kind, { on: { [member]: () => new Promise(() => {}) } });
    const over = Promise.resolve(hooks[member]([hangs]));
    await clock.advance(budgetMs - 1);
    assert.equal(reports.length, 0);
    await clock.advance(1);
    await over;
    assert.equal(reports[0]?.code, 'hook_timeout');
    assert.equal(hooks[member]([]), undefined);
  }
});

test('blocks for the prompt are asked all at once, and stand in the order of the extensions', async () => {
  const { hooks, clock, reports } = dispatching();
  const prompt = (owner: string, handler: (event: { readonly tools: readonly string[] }) => unknown) =>
    targetOf(owner, 'prompt', { prompt: handler });
  const targets = [
    await prompt('slow', () => new Promise((resolve) => clock.setTimer(1900, () => resolve('slow')))),
    await prompt('quick', ({ tools }) => tools.join()),
    await prompt('hangs', () => new Promise(() => {})),
    await prompt('also hangs', () => new Promise(() => {})),
    await prompt('throws', () => {
      throw new Error('no');
    }),
    await prompt('rejects', () => Promise.reject(new Error('no'))),
    await prompt('blank', () => ' \n'),
    await prompt('number', () => 5),
    { ...(await prompt('gone', () => 'x')), gone: 'waiting' },
  ];
  const result = Promise.resolve(hooks.prompt(targets, { tools: ['a', 'b'] }));
  await clock.advance(2000);
  assert.deepEqual(await result, [
    { owner: 'slow', text: 'slow' },
    { owner: 'quick', text: 'a,b' },
  ]);
  assert.deepEqual(reports.map(({ owner, code }) => `${owner} ${code}`).sort(), [
    'also hangs hook_timeout',
    'hangs hook_timeout',
    'number hook_failed',
    'rejects hook_failed',
    'throws hook_failed',
  ]);
  assert.equal(clock.pendingTimers, 0);
});

test('tails and segments of a status are gathered alike', async () => {
  const { hooks, reports } = dispatching();
  const tail = await targetOf('wx', 'tail', { tail: ({ recent }: { recent: string[] }) => recent.join('+') });
  assert.deepEqual(hooks.tail([tail], { recent: ['a', 'b'] }), [{ owner: 'wx', text: 'a+b' }]);
  const status = (owner: string, answer: unknown) => targetOf(owner, 'status', { status: () => answer });
  const targets = [
    await status('good', { mcp: '3 mcp\n', empty: ' ' }),
    await status('none', undefined),
    await status('later', Promise.resolve({ n: '1' })),
    await status('number', { n: 1 }),
    await status('list', ['x']),
    await status('long', { ['k'.repeat(33)]: 'x' }),
    await status('many', Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`k${index}`, 'x']))),
  ];
  assert.deepEqual(await hooks.status(targets), [
    { owner: 'good', segments: { mcp: '3 mcp' } },
    { owner: 'later', segments: { n: '1' } },
  ]);
  assert.deepEqual(
    reports.map(({ owner }) => owner),
    ['number', 'list', 'long', 'many'],
  );
  const [first] = targets;
  assert.ok(first !== undefined);
  assert.deepEqual(hooks.status([first]), [{ owner: 'good', segments: { mcp: '3 mcp' } }]);
});

test('a cancelled turn leaves what adds text, without a report', async () => {
  const { hooks, reports, clock } = dispatching();
  const cancel = new AbortController();
  const hangs = await targetOf('hangs', 'tail', { tail: () => new Promise(() => {}) });
  const result = Promise.resolve(hooks.tail([hangs], { recent: [] }, { signal: cancel.signal }));
  cancel.abort();
  assert.deepEqual(await result, []);
  assert.deepEqual(await hooks.tail([hangs], { recent: [] }, { signal: cancel.signal }), []);
  assert.deepEqual(reports, []);
  assert.equal(clock.pendingTimers, 0);
});

test('a handler that asks something is a call of its own', async () => {
  const { hooks } = dispatching();
  const one = bare('one', ({ nextCall }) => void ids.push(nextCall()));
  const two = bare('two', async ({ nextCall }) => void ids.push(nextCall()));
  const ids: number[] = [];
  await hooks.toolCall([one, two, one], CALL, parseAny);
  await hooks.tail([one], { recent: [] });
  assert.equal(new Set(ids).size, 4);
  assert.deepEqual(
    one.firings.map(({ endpoint, name }) => `${endpoint} ${name}`),
    ['hook tool_call', 'hook tool_call', 'tail '],
  );
});

test('a hook that asks is known to the host as the call that it is', async () => {
  const { hooks } = dispatching();
  const asked: unknown[] = [];
  const host = {
    ask: (ask: unknown, caller: unknown) => {
      asked.push(ask, caller);
      return null;
    },
    log: () => {},
    changed: () => {},
  };
  const extension = makeExtension(
    {
      name: 'guard',
      version: '1',
      on: {
        toolCall: async (_call: unknown, { progress }: { progress(text: string): void }) => {
          progress('one');
          progress('two');
        },
      },
    },
    false,
  );
  const guest = new Guest(extension, { host });
  await guest.open({ instance: 'g', kind: 'global', key: '', settings: {} });
  const target = { owner: 'guard', endpoint: guest.hook('g', 'tool_call'), context: CONTEXT };
  await hooks.toolCall([target], CALL, parseAny);
  const [first, caller, second, again] = asked as {
    call: number;
    text?: string;
    instance?: string;
    input?: unknown;
  }[];
  assert.deepEqual([first?.text, second?.text, caller?.instance, caller?.input], ['one', 'two', 'g', CALL]);
  assert.equal(caller?.call, first?.call);
  assert.equal(caller, again);
});

test('a tier’s own fault keeps its code', async () => {
  const { hooks, reports } = dispatching();
  const faulty = bare('guard', () => {
    throw extensionError('verdict_invalid', 'its answer is a function');
  });
  assert.match(
    String(said(await hooks.toolCall([faulty], CALL, parseAny))),
    /^verdict_invalid blocked by guard/,
  );
  const lost = bare('guard', () => Promise.reject(extensionError('frame_too_large')));
  assert.match(String(said(await hooks.toolCall([lost], CALL, parseAny))), /^hook_failed blocked by guard/);
  assert.equal(reports.length, 2);
});

test('what cannot run and is no gate is left out in silence', async () => {
  const { hooks, reports } = dispatching();
  const gone = { ...bare('gone', () => assert.fail()), gone: 'waiting' };
  const later = await targetOf('later', 'tool_result', { on: { toolResult: async () => 'x' } });
  const end = { ...CALL, text: 'r', isError: false };
  assert.deepEqual(await hooks.toolResult([gone, later, gone], end), { text: 'x', changedBy: ['later'] });
  assert.deepEqual(reports, []);
});

test('a report that throws ends the dispatch, and not the host', async () => {
  const { clock, wheel } = dispatching();
  const failing = new HookDispatcher({
    wheel,
    report() {
      throw new Error('log is full');
    },
  });
  const run = async (toolCall: (call: ToolCall, ctx: never) => unknown) =>
    failing.toolCall([await gate('guard', toolCall)], CALL, parseAny);
  await assert.rejects(
    run(() => Promise.reject(new Error('no'))),
    /log is full/,
  );
  await assert.rejects(
    run(async () => 5),
    /log is full/,
  );
  const late = assert.rejects(
    run(() => new Promise(() => {})),
    /log is full/,
  );
  await clock.advance(10_000);
  await late;
  assert.equal(clock.pendingTimers, 0);
});
