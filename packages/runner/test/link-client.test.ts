import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { completed, type Outcome } from '@fairlead/base';
import { encodeResponse, type RunnerPayload } from '@fairlead/protocol';
import { manualClock } from '@fairlead/testing';
import { CallLedger } from '../src/calls/call-ledger.ts';
import { LinkClient } from '../src/link/link-client.ts';
import type { RequestHandler } from '../src/link/link-connection.ts';
import { type ConnectLink, type LinkSocketEvents, linkUrl } from '../src/link/link-socket.ts';

type FakeSocket = LinkSocketEvents & {
  readonly sent: string[];
  readonly written: (() => void)[];
  /** What was asked of it: pause, resume, close, terminate. */
  readonly did: string[];
  says(frame: unknown): void;
};

function linked(handler?: RequestHandler) {
  const clock = manualClock();
  const sockets: FakeSocket[] = [];
  const answers: ((outcome: Outcome<RunnerPayload>) => void)[] = [];
  const requests: unknown[] = [];
  const logged: string[] = [];
  let keepsWritten = false;
  const connect: ConnectLink = (_target, events) => {
    let closed = false;
    const socket: FakeSocket = {
      ...events,
      onClose: () => {
        if (!closed) events.onClose();
        closed = true;
      },
      sent: [],
      written: [],
      did: [],
      says: (frame) => events.onFrame(Buffer.from(JSON.stringify(frame))),
    };
    sockets.push(socket);
    const did = (what: string) => () => void socket.did.push(what);
    return {
      send: (text, written) => {
        socket.sent.push(text);
        if (keepsWritten) socket.written.push(written);
        else written();
      },
      pause: did('pause'),
      resume: did('resume'),
      close: did('close'),
      terminate: () => {
        socket.did.push('terminate');
        socket.onClose();
      },
    };
  };
  const client = new LinkClient({
    connect,
    target: { url: 'ws://gateway', token: 't', timeoutMs: 5000 },
    identity: {
      runner_id: 'r',
      instance_id: 'rin_1',
      capabilities: ['native_tool_plugins'],
      projects: [{ id: 'p', name: 'P', kind: 'git' }],
    },
    clock,
    log: (level, event, fields) => logged.push(`${level} ${event} ${JSON.stringify(fields)}`),
    handler:
      handler ??
      ((frame, reply) => {
        requests.push(frame.request);
        answers.push((outcome) => reply.answer(encodeResponse(outcome)));
      }),
  });
  const last = () => {
    const socket = sockets.at(-1);
    assert.ok(socket !== undefined);
    return socket;
  };
  const register = () => {
    last().onOpen();
    last().says({ type: 'registered' });
  };
  return {
    clock,
    client,
    sockets,
    answers,
    requests,
    logged,
    last,
    register,
    holdWritten: () => {
      keepsWritten = true;
    },
  };
}

const request = (id: number, more: unknown = { kind: 'providers_list' }) => ({
  type: 'request',
  id,
  deadline_ms: 10_000,
  request: more,
});
const EMPTY = completed<RunnerPayload>({ kind: 'providers_list', providers: [] });

describe('registration', () => {
  test('the first frame says who this is, and nothing of its providers', async () => {
    const { last, client, register } = linked();
    register();
    assert.deepEqual(
      last().sent.map((text) => JSON.parse(text)),
      [
        {
          type: 'register',
          runner_id: 'r',
          instance_id: 'rin_1',
          connection_epoch: 1,
          capabilities: ['native_tool_plugins'],
          projects: [{ id: 'p', name: 'P', kind: 'git' }],
        },
      ],
    );
    await client.registered;
    assert.equal(client.connected, true);
    // Said twice, it is registered once.
    last().says({ type: 'registered' });
    assert.equal(client.connected, true);
  });

  test('a gateway that never answers register is dropped after connect timeout and 15 s', async () => {
    const { clock, sockets, last } = linked();
    last().onOpen();
    await clock.advance(19_999);
    assert.deepEqual(last().did, []);
    await clock.advance(1);
    assert.deepEqual(sockets[0]?.did, ['terminate']);
  });
});

describe('requests', () => {
  test('each is answered under its own id, in whatever order they end', () => {
    const { register, last, answers, requests } = linked();
    register();
    last().says(request(1));
    last().says(request(2, { kind: 'tools_list', provider: 'x' }));
    assert.deepEqual(requests, [{ kind: 'providers_list' }, { kind: 'tools_list', provider: 'x' }]);
    answers[1]?.({ certainty: 'not_started', fault: { code: 'plugin_unavailable', message: 'no' } });
    answers[0]?.(EMPTY);
    assert.deepEqual(
      last()
        .sent.slice(1)
        .map((text) => JSON.parse(text)),
      [
        {
          type: 'result',
          id: 2,
          response: { dispatch_state: 'not_started', error: { code: 'plugin_unavailable', message: 'no' } },
        },
        {
          type: 'result',
          id: 1,
          response: { dispatch_state: 'completed', payload: { kind: 'providers_list', providers: [] } },
        },
      ],
    );
  });

  test('a malformed request in a good frame is answered invalid_plugin_request, not_started', () => {
    const { register, last, requests } = linked();
    register();
    last().says(request(7, { kind: 'providers_list', extra: 1 }));
    assert.deepEqual(requests, []);
    const { id, response } = JSON.parse(last().sent.at(-1) ?? '');
    assert.equal(id, 7);
    assert.deepEqual(
      [response.dispatch_state, response.error.code],
      ['not_started', 'invalid_plugin_request'],
    );
  });

  test('a frame that cannot be read ends the connection, which is dialled again', async () => {
    const { register, last, sockets, clock } = linked();
    register();
    last().onFrame(Buffer.from('{'));
    assert.equal(JSON.parse(last().sent.at(-1) ?? '').code, 'link_frame_malformed');
    assert.deepEqual(last().did, ['close']);
    last().onClose();
    await clock.advance(1000);
    assert.equal(sockets.length, 2);
  });

  test('an answer whose connection is lost is dropped, never sent on the next one', async () => {
    const { register, last, answers, clock, sockets } = linked();
    register();
    last().says(request(1));
    last().onClose();
    await clock.advance(1000);
    register();
    answers[0]?.(EMPTY);
    assert.equal(sockets.length, 2);
    assert.deepEqual(
      sockets.map(({ sent }) => sent.map((text) => JSON.parse(text).type)),
      [['register'], ['register']],
    );
    assert.equal(JSON.parse(sockets[1]?.sent[0] ?? '').connection_epoch, 2);
  });

  test('frames after the end of their connection are not carried out', () => {
    const { register, last, requests } = linked();
    register();
    last().onClose();
    last().says(request(1));
    assert.deepEqual(requests, []);
  });

  test('a gateway that does not read is not read from: 64 frames unwritten pause, 31 resume', () => {
    const { register, last, answers, holdWritten } = linked();
    register();
    holdWritten();
    for (let id = 1; id <= 64; id += 1) {
      last().says(request(id));
      answers.at(-1)?.(EMPTY);
    }
    assert.deepEqual(last().did, ['pause']);
    for (const written of last().written.slice(0, 32)) written();
    assert.deepEqual(last().did, ['pause']);
    last().written[32]?.();
    assert.deepEqual(last().did, ['pause', 'resume']);
  });
});

test('what a Runner denied on its new connection is not carried out, however late it comes and on whichever', async () => {
  const carriedOut: unknown[] = [];
  const ledger = new CallLedger({ clock: manualClock(), carryOut: (asked) => void carriedOut.push(asked) });
  const { register, last, sockets, clock } = linked((frame, reply) => ledger.handle(frame, reply));
  const call = {
    ...request(1, {
      kind: 'tools_call',
      provider: 'p',
      provider_instance: 'pin_1',
      tool: 't',
      observation: 'o',
      arguments: {},
    }),
    call: 'call_1',
  };
  register();
  last().onClose();
  assert.equal(sockets.length, 1, 'the next is dialled when the last has closed');
  await clock.advance(1000);
  register();
  last().says(request(1, { kind: 'outcome', call: 'call_1' }));
  assert.equal(JSON.parse(last().sent.at(-1) ?? '').response.payload.state, 'never_seen');
  sockets[0]?.says(call);
  assert.deepEqual(sockets[0]?.sent.length, 1, 'nothing but its register');
  last().says({ ...call, id: 2 });
  assert.equal(JSON.parse(last().sent.at(-1) ?? '').response.error.code, 'plugin_call_entombed');
  assert.deepEqual(carriedOut, []);
});

test('who was told running is told the end, on the connection where it was told and on no other', async () => {
  let end = (_outcome: Outcome<RunnerPayload>): void => {};
  const ledger = new CallLedger({
    clock: manualClock(),
    carryOut: (_request, _budgetMs, answer) => {
      end = answer;
    },
  });
  const { register, last, sockets, clock } = linked((frame, reply) => ledger.handle(frame, reply));
  register();
  last().says({ ...request(1, { kind: 'reload' }), call: 'call_1' });
  last().onClose();
  await clock.advance(1000);
  register();
  last().says(request(1, { kind: 'outcome', call: 'call_1' }));
  end(EMPTY);
  const types = sockets.map(({ sent }) => sent.map((text) => JSON.parse(text).type));
  assert.deepEqual(types, [['register'], ['register', 'result', 'ended']]);
  assert.equal(sockets[1]?.sent.at(-1), '{"type":"ended","call":"call_1"}');
});

describe('pings', () => {
  test('a ping is answered with its own time', () => {
    const { register, last } = linked();
    register();
    last().says({ type: 'ping', ts: 12 });
    assert.equal(last().sent.at(-1), '{"type":"pong","ts":12}');
  });

  test('the Runner pings each 30 s, and gives a silent gateway up after two of them', async () => {
    const { register, last, clock } = linked();
    register();
    await clock.advance(30_000);
    assert.equal(JSON.parse(last().sent.at(-1) ?? '').type, 'ping');
    last().says({ type: 'pong', ts: 1 });
    const first = last();
    await clock.advance(59_999);
    assert.deepEqual(first.did, []);
    await clock.advance(1);
    assert.deepEqual(first.did, ['terminate']);
  });
});

describe('reconnecting', () => {
  test('waits 1, 2, 5, 10, 30, 30 s while the gateway cannot be reached', async () => {
    const { clock, sockets, last, logged } = linked();
    for (const [index, waitMs] of [1000, 2000, 5000, 10_000, 30_000, 30_000].entries()) {
      last().onClose();
      await clock.advance(waitMs - 1);
      assert.equal(sockets.length, index + 1);
      await clock.advance(1);
      assert.equal(sockets.length, index + 2);
    }
    assert.equal(logged[0], 'warn link.retry {"reason":"unreachable","retry_ms":1000}');
  });

  test('starts over after a link of 60 s, and goes on counting after a shorter one', async () => {
    const { clock, sockets, last, register, logged } = linked();
    last().onClose();
    await clock.advance(1000);
    last().onClose();
    await clock.advance(2000);
    register();
    const answering = async (ms: number) => {
      for (let at = 0; at < ms; at += 10_000) {
        await clock.advance(Math.min(10_000, ms - at));
        last().says({ type: 'pong', ts: 1 });
      }
    };
    await answering(59_999);
    last().onClose();
    await clock.advance(5000);
    assert.equal(sockets.length, 4);
    register();
    await answering(60_000);
    last().onClose();
    await clock.advance(1000);
    assert.equal(sockets.length, 5);
    assert.equal(logged.filter((line) => line.includes('"reason":"lost"')).length, 2);
  });

  test('a goodbye of the gateway is followed by a new attempt', async () => {
    const { clock, sockets, last, register } = linked();
    register();
    last().says({ type: 'goodbye' });
    assert.deepEqual(last().did, ['close']);
    last().onClose();
    await clock.advance(1000);
    assert.equal(sockets.length, 2);
  });

  test('any other refusal of the gateway is tried again', async () => {
    const { clock, sockets, last, logged } = linked();
    last().onRefused(503);
    last().onClose();
    await clock.advance(1000);
    assert.equal(sockets.length, 2);
    last().onOpen();
    last().says({ type: 'error', code: 'register_failed', message: 'x' });
    last().onClose();
    await clock.advance(2000);
    assert.equal(sockets.length, 3);
    assert.deepEqual(logged, [
      'warn link.retry {"reason":"refused","status":503,"retry_ms":1000}',
      'warn link.retry {"reason":"error","code":"register_failed","retry_ms":2000}',
    ]);
  });
});

describe('what ends it for good', () => {
  for (const [status, code] of [
    [401, 'runner_unauthorized'],
    [403, 'runner_forbidden'],
  ] as const) {
    test(`HTTP status ${status}: ${code}`, async () => {
      const { clock, client, sockets, last } = linked();
      last().onRefused(status);
      last().onClose();
      assert.equal((await client.fatal).code, code);
      await clock.advance(600_000);
      assert.equal(sockets.length, 1);
    });
  }

  test('a token that is bound to another runner id: runner_forbidden', async () => {
    const { client, last } = linked();
    last().onOpen();
    last().says({ type: 'error', code: 'register_forbidden', message: 'x' });
    last().onClose();
    assert.equal((await client.fatal).code, 'runner_forbidden');
  });

  test('a runner id that stays taken for 75 s, tried again by the backoff and once more at the end', async () => {
    const { clock, client, sockets, last, logged } = linked();
    const refused = () => {
      last().onOpen();
      last().says({ type: 'error', code: 'runner_id_taken', message: 'x' });
      last().onClose();
    };
    let fatal: string | undefined;
    void client.fatal.then(({ code }) => {
      fatal = code;
    });
    refused();
    for (const waitMs of [1000, 2000, 5000, 10_000, 30_000, 27_000]) {
      const before = sockets.length;
      await clock.advance(waitMs);
      assert.equal(sockets.length, before + 1);
      assert.equal(fatal, undefined);
      refused();
    }
    await nextTurn();
    assert.equal(fatal, 'runner_id_taken');
    assert.equal(clock.monotonicMs(), 75_000);
    assert.equal(logged.at(-1)?.startsWith('error link.ended {"code":"runner_id_taken"'), true);
    await clock.advance(600_000);
    assert.equal(sockets.length, 7);
  });

  test('a taken id that is freed in time registers', async () => {
    const { clock, client, last, register } = linked();
    last().onOpen();
    last().says({ type: 'error', code: 'runner_id_taken', message: 'x' });
    last().onClose();
    await clock.advance(1000);
    register();
    await client.registered;
  });
});

describe('closing', () => {
  test('says goodbye, waits for the socket to close, and dials no more', async () => {
    const { client, last, register, clock, sockets } = linked();
    register();
    const closed = client.close();
    assert.equal(last().sent.at(-1), '{"type":"goodbye"}');
    assert.deepEqual(last().did, ['close']);
    last().onClose();
    await closed;
    await clock.advance(60_000);
    assert.equal(sockets.length, 1);
    assert.equal(clock.pendingTimers, 0);
  });

  test('does not wait longer than half a second', async () => {
    const { client, last, register, clock } = linked();
    register();
    const closed = client.close();
    await clock.advance(500);
    await closed;
    assert.deepEqual(last().did, ['close', 'terminate']);
    assert.equal(clock.pendingTimers, 0);
  });

  test('between two attempts there is nothing to close', async () => {
    const { client, last, clock, sockets } = linked();
    last().onClose();
    await client[Symbol.asyncDispose]();
    await clock.advance(60_000);
    assert.equal(sockets.length, 1);
    assert.equal(clock.pendingTimers, 0);
  });
});

test('the address of the link follows from the gateway’s', () => {
  assert.equal(linkUrl('http://127.0.0.1:7420'), 'ws://127.0.0.1:7420/api/runner/link');
  assert.equal(
    linkUrl('https://fairlead.example/base/?q=1#x'),
    'wss://fairlead.example/base/api/runner/link',
  );
});
