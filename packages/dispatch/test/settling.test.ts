// native-plugin-protocol §15, "Settling"; plugin-tool.md, "outcome"
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { completed, type JsonObject, type Outcome } from '@fairlead/base';
import type { CallOutcome, RunnerPayload, RunnerResponse } from '@fairlead/protocol';
import type { SqlValue, Store } from '@fairlead/store';
import { waitFor } from '@fairlead/testing';
import { createTools, Journal, type Principal, Settler } from '../src/index.ts';
import { type DispatchFloor, dispatchFloor, EVERYTHING, gist } from './dispatch-floor.ts';
import { fakeRunner, fault } from './fake-runners.ts';

const RESULT: JsonObject = { content: [{ type: 'text', text: 'done' }] };
const DONE: RunnerResponse = {
  dispatch_state: 'completed',
  payload: { kind: 'tools_call', result: RESULT },
};

/** What a Runner tells of any call. */
function telling(state: CallOutcome['state'], response?: RunnerResponse): Outcome<RunnerPayload> {
  const told = { kind: 'outcome', call: '', state } as const;
  return completed(response === undefined ? told : { ...told, response });
}

/** Lets the Runner tell this of every call from now on. */
function tells(floor: DispatchFloor, ...answers: readonly Outcome<RunnerPayload>[]): void {
  const queue = [...answers];
  floor.runners.answers.outcome = ({ request }) => {
    const answer = queue.length > 1 ? queue.shift() : queue[0];
    assert.ok(answer !== undefined && request.kind === 'outcome');
    return 'value' in answer && answer.value.kind === 'outcome'
      ? completed({ ...answer.value, call: request.call })
      : answer;
  };
}

/** A call whose answer is lost with the link: what the caller was told, and its id. */
async function lose(floor: DispatchFloor): Promise<string> {
  const { connected } = floor.runners;
  floor.runners.answers.tools_call = () => {
    floor.runners.connected = [];
    return fault('outcome_unknown', 'runner_unavailable');
  };
  const answer = await floor.invoke({
    action: 'call',
    binding: await floor.bind(),
    arguments: { text: 'x' },
  });
  assert.deepEqual(gist(answer), ['outcome_unknown', 'runner_unavailable']);
  assert.ok(answer.call !== undefined);
  floor.runners.answers.tools_call = () => completed({ kind: 'tools_call', result: RESULT });
  assert.equal(connected.length, 1);
  return answer.call;
}

/** The end of a call in the journal, and its settlement. */
async function row(floor: DispatchFloor, call: string): Promise<readonly unknown[]> {
  const [found] = await floor.store.read<JsonObject>(
    'SELECT certainty, code, settled_certainty, settled_code, settled_at FROM journal WHERE id = ?',
    [call],
  );
  return Object.values(found ?? {});
}

async function ask(floor: DispatchFloor, call: string, principal = EVERYTHING): Promise<JsonObject> {
  const answer = await floor.invoke({ action: 'outcome', call }, principal);
  assert.deepEqual(gist(answer), ['completed', undefined]);
  return answer.output ?? {};
}

/** A store that lets no read through that `refuses` names. */
const unreadable = (refuses: (sql: string) => boolean) => (store: Store) => ({
  read: async <Row>(sql: string, parameters?: readonly SqlValue[]) => {
    if (refuses(sql)) throw new Error('gone');
    return await store.read<Row>(sql, parameters);
  },
  write: store.write.bind(store),
  close: () => store.close(),
  [Symbol.asyncDispose]: () => store.close(),
});

const NAMES = { runner: 'local', plugin: 'echo', tool: 'say' };

describe('when the same Runner process registers again', () => {
  const cases: readonly (readonly [string, Outcome<RunnerPayload>, readonly unknown[], JsonObject])[] = [
    [
      'completed with its result',
      telling('completed', DONE),
      ['completed', null],
      { certainty: 'completed', settled: true, result: RESULT },
    ],
    [
      'completed by a result that reports an error',
      telling('completed', {
        dispatch_state: 'completed',
        payload: { kind: 'tools_call', result: { ...RESULT, isError: true } },
      }),
      ['completed', 'plugin_tool_error'],
      {
        certainty: 'completed',
        settled: true,
        code: 'plugin_tool_error',
        result: { ...RESULT, isError: true },
      },
    ],
    [
      'completed by an error of the plugin',
      telling('completed', {
        dispatch_state: 'completed',
        error: { code: 'plugin_rpc_error', message: 'FOREIGN TEXT' },
      }),
      ['completed', 'plugin_rpc_error'],
      { certainty: 'completed', settled: true, code: 'plugin_rpc_error' },
    ],
    [
      'completed by a result that is none',
      telling('completed', {
        dispatch_state: 'completed',
        payload: { kind: 'tools_call', result: { content: 7 } },
      }),
      ['completed', 'invalid_plugin_result'],
      { certainty: 'completed', settled: true, code: 'invalid_plugin_result' },
    ],
    [
      'refused before anything was written',
      telling('completed', {
        dispatch_state: 'not_started',
        error: { code: 'stale_plugin_provider', message: 'FOREIGN TEXT' },
      }),
      ['not_started', 'plugin_replaced'],
      { certainty: 'not_started', settled: true, code: 'plugin_replaced' },
    ],
    [
      'unknown to the Runner too',
      telling('completed', {
        dispatch_state: 'outcome_unknown',
        error: { code: 'plugin_eof', message: 'FOREIGN TEXT' },
      }),
      ['outcome_unknown', 'plugin_eof'],
      { certainty: 'outcome_unknown', settled: false, code: 'plugin_eof' },
    ],
    [
      'never seen',
      telling('never_seen'),
      ['not_started', 'call_not_delivered'],
      { certainty: 'not_started', settled: true, code: 'call_not_delivered' },
    ],
    [
      'forgotten',
      telling('forgotten'),
      ['outcome_unknown', 'call_forgotten'],
      { certainty: 'outcome_unknown', settled: false, code: 'call_forgotten' },
    ],
  ];
  for (const [what, answer, settlement, output] of cases) {
    test(`a call that is ${what} is settled so, and both records stay`, async (t) => {
      const floor = await dispatchFloor(t);
      const call = await lose(floor);
      assert.deepEqual(await row(floor, call), ['outcome_unknown', 'runner_unavailable', null, null, null]);
      tells(floor, answer);
      floor.runners.registers(fakeRunner('local'));
      await floor.settler.idle();
      const both = ['outcome_unknown', 'runner_unavailable', ...settlement, 1_000_000];
      assert.deepEqual(await row(floor, call), both);
      assert.deepEqual(
        floor.runners.asked.map(({ request, options }) => [request, options]),
        [[{ kind: 'outcome', call }, { budgetMs: 10_000 }]],
      );
      assert.deepEqual(await ask(floor, call), { call, ...NAMES, ...output });
      // The first settlement stands, whatever is told later.
      tells(floor, telling('never_seen'));
      floor.runners.registers(fakeRunner('local'));
      await ask(floor, call);
      await floor.settler.idle();
      assert.deepEqual(await row(floor, call), both);
      assert.doesNotMatch(JSON.stringify(floor.logged), /FOREIGN/);
    });
  }

  test('nothing is settled by an answer that is none, about something else, or lost again', async (t) => {
    const floor = await dispatchFloor(t);
    const call = await lose(floor);
    const useless: readonly Outcome<RunnerPayload>[] = [
      fault('not_started', 'invalid_plugin_request'),
      fault('outcome_unknown', 'plugin_gateway_timeout'),
      fault('completed', 'call_not_delivered'),
      completed({ kind: 'reload', providers: [], failures: [] }),
      telling('completed'),
      telling('completed', {
        dispatch_state: 'completed',
        payload: { kind: 'reload', providers: [], failures: [] },
      }),
      telling('completed', {
        dispatch_state: 'completed',
        payload: { kind: 'check', provider: 'echo', ready: true, phase: 'ready', tools: [] },
      }),
      telling('never_seen', DONE),
      completed({ kind: 'outcome', call, state: 'lost' } as unknown as RunnerPayload),
    ];
    for (const answer of useless) {
      tells(floor, answer);
      floor.runners.registers(fakeRunner('local'));
      await floor.settler.idle();
      assert.deepEqual((await row(floor, call)).slice(0, 3), ['outcome_unknown', 'runner_unavailable', null]);
    }
    floor.runners.answers.outcome = () =>
      completed({ kind: 'outcome', call: 'call_other', state: 'never_seen' });
    floor.runners.registers(fakeRunner('local'));
    await floor.settler.idle();
    assert.equal((await row(floor, call))[2], null);
    assert.deepEqual(await ask(floor, call), {
      call,
      ...NAMES,
      certainty: 'outcome_unknown',
      settled: false,
      code: 'runner_unavailable',
    });
  });

  test('another process of the Runner, and another Runner, are not asked; the call stays outcome_unknown', async (t) => {
    const floor = await dispatchFloor(t);
    const call = await lose(floor);
    tells(floor, telling('never_seen'));
    floor.runners.registers(fakeRunner('local', 'local-2'));
    floor.runners.registers(fakeRunner('other', 'local-1'));
    await floor.settler.idle();
    const output = await ask(floor, call);
    assert.deepEqual(floor.runners.asked, []);
    assert.equal((await row(floor, call))[2], null);
    const { certainty, settled: isSettled, code } = output;
    assert.deepEqual([certainty, isSettled, code], ['outcome_unknown', false, 'call_forgotten']);
  });

  test('a hundred calls are all asked for, sixteen at a time', async (t) => {
    const floor = await dispatchFloor(t);
    const calls: string[] = [];
    for (let index = 0; index < 100; index += 1) {
      floor.runners.connected = [fakeRunner('local')];
      calls.push(await lose(floor));
    }
    let running = 0;
    let most = 0;
    floor.runners.answers.outcome = async ({ request }) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      assert.ok(request.kind === 'outcome');
      return completed({ kind: 'outcome', call: request.call, state: 'never_seen' });
    };
    floor.runners.registers(fakeRunner('local'));
    await floor.settler.idle();
    assert.equal(most, 16);
    assert.equal(floor.runners.asked.length, 100);
    for (const call of calls) assert.equal((await row(floor, call))[2], 'not_started');
  });

  test('a Runner that goes away in the middle is not asked on; the rest is asked when it is back', async (t) => {
    const floor = await dispatchFloor(t);
    const calls: string[] = [];
    for (let index = 0; index < 20; index += 1) {
      floor.runners.connected = [fakeRunner('local')];
      calls.push(await lose(floor));
    }
    floor.runners.answers.outcome = () => {
      floor.runners.connected = [];
      return fault('outcome_unknown', 'runner_unavailable');
    };
    floor.runners.registers(fakeRunner('local'));
    await floor.settler.idle();
    assert.equal(floor.runners.asked.length, 16);
    tells(floor, telling('never_seen'));
    floor.runners.registers(fakeRunner('local'));
    await floor.settler.idle();
    for (const call of calls) assert.equal((await row(floor, call))[2], 'not_started');
  });
});

test('what was learnt of a call stands behind its result', async (t) => {
  const floor = await dispatchFloor(t);
  const { journal, store, runners, settler } = floor;
  const entry = { id: 'call_1', principal: EVERYTHING.id, action: 'call', bindingPresent: true };
  const place = { session: 'ses_1', extension: 'plugins', tier: 'native', target: 'native:echo/say' };
  const end = { certainty: 'outcome_unknown', code: 'tool_timeout' } as const;
  await store.write(journal.sessionIntent({ ...entry, ...NAMES, runnerInstance: 'local-1' }, place));
  await store.write([journal.sessionEnd('call_1', { ...end, text: 'too late' })]);
  tells(floor, telling('never_seen'));
  runners.registers(fakeRunner('local'));
  await settler.idle();
  const learnt = { certainty: 'not_started', code: 'call_not_delivered' } as const;
  assert.equal(await journal.settleUnknown('call_1', learnt), false);
  assert.equal((await row(floor, 'call_1'))[2], null);
  await store.write([journal.resultStands('call_1')]);
  journal.sessionEnded('call_1', end);
  await settler.idle();
  assert.deepEqual((await row(floor, 'call_1')).slice(2, 4), ['not_started', 'call_not_delivered']);
});

describe('running', () => {
  test('is asked again when the call ends, and only then', async (t) => {
    const floor = await dispatchFloor(t);
    const call = await lose(floor);
    tells(floor, telling('running'), telling('completed', DONE));
    floor.runners.registers(fakeRunner('local'));
    await floor.settler.idle();
    assert.equal((await row(floor, call))[2], null);
    floor.runners.ends(fakeRunner('local'), 'call_other');
    floor.runners.ends(fakeRunner('local', 'local-2'), call);
    await floor.settler.idle();
    assert.equal(floor.runners.asked.length, 1);
    floor.runners.ends(fakeRunner('local'), call);
    await floor.settler.idle();
    assert.deepEqual((await row(floor, call)).slice(2, 4), ['completed', null]);
    floor.runners.ends(fakeRunner('local'), call);
    await floor.settler.idle();
    assert.equal(floor.runners.asked.length, 2);
  });

  test('an end that overtakes the answer running is not missed', async (t) => {
    const floor = await dispatchFloor(t);
    const call = await lose(floor);
    let asked = 0;
    floor.runners.answers.outcome = () => {
      asked += 1;
      if (asked > 1) return completed({ kind: 'outcome', call, state: 'completed', response: DONE });
      // Both frames come in one packet: the end is heard before the answer is looked at.
      queueMicrotask(() => floor.runners.ends(fakeRunner('local'), call));
      return completed({ kind: 'outcome', call, state: 'running' });
    };
    floor.runners.registers(fakeRunner('local'));
    await floor.settler.idle();
    assert.equal(asked, 2);
    assert.deepEqual((await row(floor, call)).slice(2, 4), ['completed', null]);
  });

  test('said by outcome: the certainty as it is, and that it has not ended', async (t) => {
    const floor = await dispatchFloor(t);
    const call = await lose(floor);
    floor.runners.connected = [fakeRunner('local')];
    tells(floor, telling('running'));
    assert.deepEqual(await ask(floor, call), {
      call,
      ...NAMES,
      certainty: 'outcome_unknown',
      settled: false,
      code: 'call_running',
    });
  });

  test('a call whose end is heard while it is asked about again is followed no more', async (t) => {
    const reads: string[] = [];
    const floor = await dispatchFloor(t, { wrap: unreadable((sql) => reads.push(sql) === 0) });
    const call = await lose(floor);
    tells(floor, telling('running'));
    floor.runners.registers(fakeRunner('local'));
    await floor.settler.idle();
    floor.runners.answers.outcome = () => {
      queueMicrotask(() => floor.runners.ends(fakeRunner('local'), call));
      return completed({ kind: 'outcome', call, state: 'completed', response: DONE });
    };
    assert.equal((await ask(floor, call))['certainty'], 'completed');
    await floor.settler.idle();
    reads.length = 0;
    floor.runners.ends(fakeRunner('local'), call);
    await floor.settler.idle();
    assert.deepEqual(reads, []);
  });

  test('a Runner that says running and ended for ever is asked no more often than it says so', async (t) => {
    const floor = await dispatchFloor(t);
    const call = await lose(floor);
    floor.runners.answers.outcome = () => {
      queueMicrotask(() => floor.runners.ends(fakeRunner('local'), call));
      return completed({ kind: 'outcome', call, state: 'running' });
    };
    floor.runners.registers(fakeRunner('local'));
    await floor.settler.idle();
    assert.equal(floor.runners.asked.length, 2);
  });
});

describe('an unknown end that is written while its Runner is connected', () => {
  test('is asked for at once: the gateway gave up, the Runner did not', async (t) => {
    const floor = await dispatchFloor(t);
    floor.runners.answers.tools_call = () => fault('outcome_unknown', 'plugin_gateway_timeout');
    tells(floor, telling('completed', DONE));
    const answer = await floor.invoke({ action: 'call', binding: await floor.bind(), arguments: {} });
    assert.deepEqual(gist(answer), ['outcome_unknown', 'plugin_gateway_timeout']);
    await floor.settler.idle();
    const { call = '' } = answer;
    assert.deepEqual((await row(floor, call)).slice(0, 4), [
      'outcome_unknown',
      'plugin_gateway_timeout',
      'completed',
      null,
    ]);
  });

  test('check and reload are settled by their own answers', async (t) => {
    const floor = await dispatchFloor(t);
    const report = { kind: 'check', provider: 'echo', ready: true, phase: 'ready', tools: [] } as const;
    const swap = {
      kind: 'reload',
      providers: [],
      failures: [{ provider_id: 'b', code: 'plugin_eof' }],
    } as const;
    for (const [params, payload, code, result] of [
      [
        { action: 'check', runner: 'local', plugin: 'echo' },
        report,
        null,
        { runner: 'local', plugin: 'echo', ready: true, phase: 'ready', toolCount: 0, tools: [] },
      ],
      [
        { action: 'reload', runner: 'local' },
        swap,
        'plugin_reload_failed',
        { runner: 'local', plugins: [], failures: [{ provider_id: 'b', code: 'plugin_eof' }] },
      ],
    ] as const) {
      floor.runners.answers[params.action] = () => fault('outcome_unknown', 'plugin_gateway_timeout');
      tells(floor, telling('completed', { dispatch_state: 'completed', payload }));
      const { call = '' } = await floor.invoke(params);
      await floor.settler.idle();
      assert.deepEqual((await row(floor, call)).slice(2, 4), ['completed', code]);
      const { action: _, ...names } = params;
      assert.deepEqual(await ask(floor, call), {
        call,
        ...names,
        certainty: 'completed',
        settled: true,
        ...(code === null ? {} : { code }),
        result,
      });
    }
  });
});

test('reload_runner_config is settled by its own answer, and has its result where it applied something', async (t) => {
  const floor = await dispatchFloor(t);
  const tool = createTools(floor.ports).find(({ definition }) => definition.name === 'reload_runner_config');
  const operator: Principal = { id: EVERYTHING.id, scopes: ['runner:manage', 'plugin:invoke'] };
  const applied = {
    kind: 'config_reload',
    generation: 2,
    applied: true,
    changed: [],
    changed_count: 0,
    plugins_restarted: false,
    providers: [],
    failures: [],
  } as const;
  const failures = [{ provider_id: 'b', code: 'plugin_eof' }];
  for (const [payload, code, result] of [
    [
      applied,
      null,
      {
        ...{ runner: 'local', generation: 2, applied: true },
        ...{ changed: [], changedCount: 0, pluginsRestarted: false, plugins: [] },
      },
    ],
    [{ ...applied, generation: 1, applied: false, failures }, 'plugin_reload_failed', undefined],
  ] as const) {
    floor.runners.answers.config_reload = () => fault('outcome_unknown', 'plugin_gateway_timeout');
    tells(floor, telling('completed', { dispatch_state: 'completed', payload }));
    const { call = '' } = (await tool?.invoke({ params: { runner: 'local' }, principal: operator })) ?? {};
    await floor.settler.idle();
    assert.deepEqual((await row(floor, call)).slice(2, 4), ['completed', code]);
    assert.deepEqual((await ask(floor, call, operator))['result'], result);
  }
});

test('a call that a killed host left open is settled when the Runner’s process still lives and knows', async (t) => {
  const floor = await dispatchFloor(t);
  const never = new Promise<never>(() => undefined);
  floor.runners.answers.tools_call = () => never;
  const binding = await floor.bind();
  void floor.invoke({ action: 'call', binding, arguments: { text: 'x' } });
  const open = 'SELECT id FROM journal WHERE finished IS NULL';
  const call = await waitFor(async () => (await floor.store.read<{ id: string }>(open))[0]?.id, {
    what: 'the intent of the call',
  });
  assert.deepEqual(await ask(floor, call), {
    call,
    ...NAMES,
    certainty: 'outcome_unknown',
    settled: false,
    code: 'call_running',
  });
  assert.deepEqual(floor.runners.asked, [], 'what is under way is never asked for: it would be entombed');
  const { store, clock, runners } = floor;
  const journal = new Journal({ store, clock, boot: 'boot_next' });
  assert.equal(await journal.recoverAtStart(), 1);
  await using settler = new Settler({ runners, journal });
  tells(floor, telling('completed', DONE));
  runners.registers(fakeRunner('local'));
  await settler.idle();
  assert.deepEqual((await row(floor, call)).slice(0, 4), [
    'outcome_unknown',
    'invocation_interrupted',
    'completed',
    null,
  ]);
  await journal.close();
});

const silence = fault('outcome_unknown', 'plugin_gateway_timeout');
/** A call whose answer did not come in time, as long as the question does not either. */
async function standstill(floor: DispatchFloor): Promise<string> {
  tells(floor, silence);
  floor.runners.answers.tools_call = () => silence;
  const { call = '' } = await floor.invoke({ action: 'call', binding: await floor.bind(), arguments: {} });
  await floor.settler.idle();
  return call;
}

describe('a Runner that stays linked and does not answer', () => {
  const questions = ({ runners }: DispatchFloor) => runners.asked.length;

  test('is asked again after pauses that grow, until it answers', async (t) => {
    const floor = await dispatchFloor(t);
    const call = await standstill(floor);
    assert.equal(questions(floor), 1);
    for (const [asked, pauseMs] of [5_000, 10_000, 20_000].entries()) {
      await floor.clock.advance(pauseMs - 1);
      await floor.settler.idle();
      assert.equal(questions(floor), asked + 1);
      if (pauseMs === 20_000) tells(floor, telling('completed', DONE));
      await floor.clock.advance(1);
      await floor.settler.idle();
      assert.equal(questions(floor), asked + 2);
    }
    assert.deepEqual((await row(floor, call)).slice(2, 4), ['completed', null]);
    await floor.clock.advance(600_000);
    await floor.settler.idle();
    assert.equal(questions(floor), 4, 'nothing is left to ask for');
  });

  test('is not asked any more when it is gone, and at once when it registers', async (t) => {
    const floor = await dispatchFloor(t);
    const call = await standstill(floor);
    const [runner] = floor.runners.connected;
    assert.ok(runner !== undefined);
    floor.runners.connected = [];
    await floor.clock.advance(600_000);
    await floor.settler.idle();
    assert.equal(questions(floor), 1);
    tells(floor, telling('never_seen'));
    floor.runners.registers(runner);
    await floor.settler.idle();
    assert.equal(questions(floor), 2);
    assert.deepEqual((await row(floor, call)).slice(2, 4), ['not_started', 'call_not_delivered']);
  });

  test('is asked about one batch at a time, and about all once it answers', async (t) => {
    const floor = await dispatchFloor(t);
    const calls: string[] = [];
    tells(floor, silence);
    floor.runners.answers.tools_call = () => silence;
    const binding = await floor.bind();
    for (let each = 0; each < 40; each += 1)
      calls.push((await floor.invoke({ action: 'call', binding, arguments: {} })).call ?? '');
    await floor.settler.idle();
    const before = questions(floor);
    await floor.clock.advance(5_000);
    await floor.settler.idle();
    assert.equal(questions(floor) - before, 16);
    tells(floor, telling('completed', DONE));
    await floor.clock.advance(10_000);
    await floor.settler.idle();
    for (const call of calls) assert.equal((await row(floor, call))[2], 'completed');
  });
});

describe('a journal that cannot be read for once', () => {
  /** Refuses the next read when it is told to. */
  async function forgetfulFloor(t: Parameters<typeof dispatchFloor>[0]) {
    let refuses = false;
    const wrap = unreadable(() => {
      const now = refuses;
      refuses = false;
      return now;
    });
    const floor = await dispatchFloor(t, { wrap });
    return { floor, refuseOne: () => (refuses = true) };
  }
  /** Told to the settler alone, once its read was refused. */
  async function afterRefusal(floor: DispatchFloor, call: string, pauseMs: number): Promise<void> {
    await floor.settler.idle();
    assert.equal((await row(floor, call))[2], null);
    tells(floor, telling('completed', DONE));
    await floor.clock.advance(pauseMs);
    await floor.settler.idle();
    assert.deepEqual((await row(floor, call)).slice(2, 4), ['completed', null]);
  }

  test('when a silent Runner is asked again, leaves it asked once more', async (t) => {
    const { floor, refuseOne } = await forgetfulFloor(t);
    const call = await standstill(floor);
    refuseOne();
    await floor.clock.advance(5_000);
    await afterRefusal(floor, call, 10_000);
  });

  test('when its Runner registers, leaves that asked a moment later', async (t) => {
    const { floor, refuseOne } = await forgetfulFloor(t);
    const call = await lose(floor);
    refuseOne();
    floor.runners.registers(fakeRunner('local'));
    await afterRefusal(floor, call, 5_000);
  });

  test('when a call ended, leaves its Runner asked a moment later', async (t) => {
    const { floor, refuseOne } = await forgetfulFloor(t);
    const call = await lose(floor);
    tells(floor, telling('running'));
    floor.runners.registers(fakeRunner('local'));
    await floor.settler.idle();
    refuseOne();
    floor.runners.ends(fakeRunner('local'), call);
    await afterRefusal(floor, call, 5_000);
  });
});

describe('outcome', () => {
  test('of a call that had its answer gives the result again while the Runner has it', async (t) => {
    const floor = await dispatchFloor(t);
    const { call = '' } = await floor.invoke({ action: 'call', binding: await floor.bind(), arguments: {} });
    tells(floor, telling('completed', DONE));
    assert.deepEqual(await ask(floor, call), {
      call,
      ...NAMES,
      certainty: 'completed',
      settled: true,
      result: RESULT,
    });
    for (const less of [telling('forgotten'), telling('never_seen'), telling('running')]) {
      tells(floor, less);
      const { certainty, settled: isSettled, result } = await ask(floor, call);
      assert.deepEqual([certainty, isSettled, result], ['completed', true, undefined]);
    }
    floor.runners.connected = [];
    assert.deepEqual(await ask(floor, call), { call, ...NAMES, certainty: 'completed', settled: true });
  });

  test('of a call that never began is read from the journal, and nobody is asked', async (t) => {
    const floor = await dispatchFloor(t);
    floor.runners.answers.tools_call = () => fault('not_started', 'plugin_provider_busy');
    const { call = '' } = await floor.invoke({ action: 'call', binding: await floor.bind(), arguments: {} });
    assert.deepEqual(await ask(floor, call), {
      call,
      ...NAMES,
      certainty: 'not_started',
      settled: true,
      code: 'plugin_provider_busy',
    });
    assert.deepEqual(floor.runners.asked, []);
  });

  test('is for the principal of the call alone; another’s and none at all look alike', async (t) => {
    const floor = await dispatchFloor(t);
    const call = await lose(floor);
    const other: Principal = { ...EVERYTHING, id: 'token:tok_other' };
    const theirs = await floor.invoke({ action: 'outcome', call }, other);
    const none = await floor.invoke({ action: 'outcome', call: 'call_AAAAAAAAAAAAAAAAAAAAAA' });
    assert.deepEqual(gist(theirs), ['not_started', 'call_not_found']);
    assert.deepEqual(theirs.error, none.error);
    assert.equal(none.output, undefined);
  });

  test('needs plugin:invoke, and nothing else', async (t) => {
    const floor = await dispatchFloor(t);
    const call = await lose(floor);
    const reader: Principal = { id: EVERYTHING.id, scopes: ['plugin:inspect', 'plugin:manage', 'admin'] };
    assert.deepEqual(gist(await floor.invoke({ action: 'outcome', call }, reader)), [
      'not_started',
      'insufficient_scope',
    ]);
    const invoker: Principal = { id: EVERYTHING.id, scopes: ['plugin:invoke'] };
    assert.equal((await ask(floor, call, invoker))['certainty'], 'outcome_unknown');
  });

  test('is a read: it is allowed in every authority mode, has one row, and never ends outcome_unknown', async (t) => {
    const floor = await dispatchFloor(t, { authority: 'restricted' });
    const denied = await floor.invoke({ action: 'call', binding: await floor.bind(), arguments: {} });
    assert.deepEqual(gist(denied), ['not_started', 'permission_denied']);
    assert.equal((await ask(floor, denied.call ?? ''))['code'], 'permission_denied');
    const rows = await floor.rows();
    assert.deepEqual(rows.at(-1), {
      principal: EVERYTHING.id,
      action: 'outcome',
      runner: null,
      plugin: null,
      tool: null,
      binding_present: 0,
      arguments_digest: null,
      certainty: 'completed',
      code: null,
    });
  });

  test('asks a Runner only for a principal that may use it', async (t) => {
    const floor = await dispatchFloor(t);
    const call = await lose(floor);
    floor.runners.connected = [fakeRunner('local')];
    tells(floor, telling('completed', DONE));
    const output = await ask(floor, call, { ...EVERYTHING, runners: ['other'] });
    assert.deepEqual(floor.runners.asked, []);
    assert.equal(output['certainty'], 'outcome_unknown');
  });

  test('takes a call id and nothing else', async (t) => {
    const floor = await dispatchFloor(t);
    for (const [params, detail] of [
      [{}, { member: 'call', problem: 'missing' }],
      [{ call: 7 }, { member: 'call', problem: 'invalid' }],
      [{ call: 'call_' }, { member: 'call', problem: 'invalid' }],
      [{ call: 'wc_pbind_x' }, { member: 'call', problem: 'invalid' }],
      [{ call: 'call_a b' }, { member: 'call', problem: 'invalid' }],
      [{ call: `call_${'x'.repeat(124)}` }, { member: 'call', problem: 'invalid' }],
      [
        { call: 'call_x', runner: 'local' },
        { member: 'runner', problem: 'not_allowed' },
      ],
    ] as const) {
      const { error } = await floor.invoke({ action: 'outcome', ...params });
      assert.deepEqual(error?.detail, detail);
    }
  });
});

test('a settlement that the journal cannot take is told all the same, logged, and tried again', async (t) => {
  let isFull = false;
  const floor = await dispatchFloor(t, {
    wrap: (store) => ({
      read: (sql, parameters) => store.read(sql, parameters),
      write: async (statements, durability) => {
        if (isFull && statements[0]?.sql.includes('settled_at = ?') === true) throw new Error('full');
        return await store.write(statements, durability);
      },
      close: () => store.close(),
      [Symbol.asyncDispose]: () => store.close(),
    }),
  });
  const call = await lose(floor);
  isFull = true;
  tells(floor, telling('completed', DONE));
  floor.runners.registers(fakeRunner('local'));
  await floor.settler.idle();
  assert.deepEqual(floor.logged.slice(-1), ['error journal.settlement_not_written']);
  assert.equal((await ask(floor, call))['certainty'], 'completed');
  isFull = false;
  await floor.clock.advance(10_000);
  await floor.settler.idle();
  assert.deepEqual((await row(floor, call)).slice(2, 4), ['completed', null]);
});

test('a journal that cannot be read settles nothing and stops nothing', async (t) => {
  let isBroken = false;
  const floor = await dispatchFloor(t, { wrap: unreadable(() => isBroken) });
  const call = await lose(floor);
  isBroken = true;
  floor.runners.registers(fakeRunner('local'));
  await floor.settler.idle();
  assert.deepEqual(floor.logged.slice(-1), ['error call.not_settled']);
  assert.deepEqual(gist(await floor.invoke({ action: 'outcome', call })), ['not_started', 'dispatch_failed']);
});

for (const params of [
  { action: 'check', runner: 'local', plugin: 'echo' },
  { action: 'reload', runner: 'local' },
]) {
  test(`a ${params.action} goes to the Runner process that its intent names, or nowhere`, async (t) => {
    const floor = await dispatchFloor(t);
    const { start } = floor.journal;
    floor.journal.start = async (entry) => {
      const begun = await start.call(floor.journal, entry);
      floor.runners.connected = [fakeRunner('local', 'local-2')];
      return begun;
    };
    assert.deepEqual(gist(await floor.invoke(params)), ['not_started', 'plugin_replaced']);
    assert.deepEqual(floor.runners.sent, []);
  });
}
