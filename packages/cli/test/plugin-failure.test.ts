import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '@fairlead/testing';
import type { Envelope } from '../src/client/api-client.ts';
import { outputOf, reportFailure } from '../src/client/plugin-failure.ts';
import type { PluginAction } from '../src/client/plugin-tool-request.ts';
import type { SentAnswer } from '../src/client/tool-request.ts';
import { testContext } from './test-context.ts';

type Report = { readonly exit: number; readonly stdout: string; readonly stderr: string };

async function report(
  t: { after(hook: () => void): void },
  action: PluginAction,
  answer: SentAnswer,
  json?: boolean,
): Promise<Report> {
  const context = testContext(temporaryFolder(t));
  const exit = await reportFailure(context, { action, json, answer });
  return { exit, ...context.printed };
}

function answered(
  code: string,
  certainty: Envelope['dispatch_certainty'],
  more: { readonly status?: number; readonly recovery?: string; readonly call?: string } = {},
): SentAnswer {
  const { status = 400, recovery = 'Do this.', call } = more;
  const error = { code, message: 'It did not work.', recovery };
  return {
    kind: 'answered',
    status,
    envelope: {
      success: false,
      output: null,
      error,
      dispatch_certainty: certainty,
      ...(call === undefined ? {} : { call }),
    },
  };
}

const actions: readonly PluginAction[] = ['list', 'describe', 'call', 'check', 'reload', 'outcome'];
const certainties = ['not_started', 'completed', 'outcome_unknown'] as const;
/** Exit status by action and certainty: 3 only where something may have happened. */
const exits: Readonly<Record<PluginAction, readonly [number, number, number]>> = {
  list: [1, 1, 1],
  describe: [1, 1, 1],
  call: [1, 1, 3],
  check: [1, 1, 3],
  reload: [1, 1, 3],
  outcome: [1, 1, 1],
};

for (const action of actions) {
  certainties.forEach((certainty, index) => {
    test(`${action} that failed ${certainty} says so and exits ${exits[action][index]}`, async (t) => {
      const result = await report(t, action, answered('plugin_eof', certainty, { call: 'call_x' }));
      assert.deepEqual(result, {
        exit: exits[action][index],
        stdout: '',
        stderr:
          'fairlead: It did not work. (plugin_eof)\n' +
          `  certainty:   ${certainty}\n` +
          '  call:        call_x\n' +
          '  next: Do this.\n',
      });
    });
  });
}

for (const action of ['call', 'check', 'reload'] as const) {
  test(`a lost answer to ${action} is an unknown outcome that was not tried again`, async (t) => {
    assert.deepEqual(await report(t, action, { kind: 'lost', reason: 'ECONNRESET' }), {
      exit: 3,
      stdout: '',
      stderr:
        'fairlead: The request was sent, and no whole answer came back. (answer_lost)\n' +
        '  reason:      ECONNRESET\n' +
        '  certainty:   outcome_unknown\n' +
        '  next: It may have been carried out; it was not tried again. After a call, check or reload look at the present state, with `fairlead plugin list` for one, before you decide to do it again.\n',
    });
  });
}

for (const action of ['list', 'describe'] as const) {
  test(`a lost answer to ${action} says that a question changes nothing, not that it was never sent`, async (t) => {
    assert.deepEqual(await report(t, action, { kind: 'lost', reason: 'no answer within 15 s' }), {
      exit: 1,
      stdout: '',
      stderr:
        'fairlead: The question was sent, and no whole answer came back. It only reads, so nothing was changed. (read_lost)\n' +
        '  reason:      no answer within 15 s\n' +
        '  certainty:   not_started\n' +
        '  next: Ask again.\n',
    });
  });
}

test('a successful envelope without an output is a lost answer', async (t) => {
  const answer: SentAnswer = {
    kind: 'answered',
    status: 200,
    envelope: { success: true, output: 'text', error: null, dispatch_certainty: 'completed' },
  };
  assert.equal(outputOf(answer), null);
  const result = await report(t, 'call', answer);
  assert.equal(result.exit, 3);
  assert.match(result.stderr, /reason: {6}an answer without its output\n/);
});

test('401 and 403 name the scope and say that nothing was changed; exit 1 for every action', async (t) => {
  for (const [action, scope] of [
    ['list', 'plugin:inspect'],
    ['describe', 'plugin:inspect'],
    ['call', 'plugin:invoke'],
    ['check', 'plugin:manage'],
    ['reload', 'plugin:manage'],
  ] as const) {
    const line = `  ${action} needs the scope ${scope}; no token was made or changed\n`;
    for (const answer of [
      answered('unauthorized', 'not_started', { status: 401 }),
      answered('insufficient_scope', 'not_started', { status: 403 }),
      { kind: 'refused', status: 401 },
      { kind: 'refused', status: 403 },
    ] as const) {
      const result = await report(t, action, answer);
      assert.equal(result.exit, 1);
      assert.equal(result.stderr.includes(line), true, result.stderr);
      assert.match(result.stderr, / {2}certainty: {3}not_started\n/);
    }
  }
});

test('another 403 is not blamed on the scope', async (t) => {
  const result = await report(t, 'call', answered('host_not_allowed', 'not_started', { status: 403 }));
  assert.doesNotMatch(result.stderr, /scope/);
});

test('a server that gives no next step gets ours', async (t) => {
  const answer = answered('plugin_unavailable', 'not_started');
  assert.equal(answer.kind, 'answered');
  if (answer.kind !== 'answered') return;
  const error = { code: 'plugin_unavailable', message: 'No.' };
  const known = await report(t, 'call', { ...answer, envelope: { ...answer.envelope, error } });
  assert.match(known.stderr, / {2}next: List the plugins of that Runner\.\n$/);
  const unknown = await report(t, 'call', {
    ...answer,
    envelope: { ...answer.envelope, error: { code: 'of_another_version', message: 'No.' } },
  });
  assert.equal(unknown.stderr, 'fairlead: No. (of_another_version)\n  certainty:   not_started\n');
});

test('what a server says cannot drive the terminal', async (t) => {
  const answer = answered('code\u001b[2J', 'not_started', { recovery: 'a\u202eb\nc', call: 'call\u0007' });
  const { stderr } = await report(t, 'call', answer);
  assert.doesNotMatch(stderr, /[\u001b\u202e\u0007]/);
  assert.match(stderr, /next: a b c\n/);
});

test('with --json the failure stands on stdout as MCP clients get it, and is explained on stderr all the same', async (t) => {
  const whole = await report(t, 'call', answered('plugin_eof', 'outcome_unknown', { call: 'call_x' }), true);
  assert.equal(
    whole.stdout,
    '{"error":{"code":"plugin_eof","message":"It did not work."},"dispatchState":"outcome_unknown","recovery":"Do this.","call":"call_x"}\n',
  );
  assert.match(whole.stderr, /^fairlead: It did not work\. \(plugin_eof\)\n/);
  const lost = await report(t, 'reload', { kind: 'lost', reason: 'x' }, true);
  assert.match(lost.stdout, /^\{"error":\{"code":"answer_lost",.*"dispatchState":"outcome_unknown"/);
  const refused = await report(t, 'list', { kind: 'refused', status: 401 }, true);
  assert.match(refused.stdout, /^\{"error":\{"code":"access_refused",.*"dispatchState":"not_started"/);
});
