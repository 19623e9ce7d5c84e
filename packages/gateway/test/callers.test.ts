import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { PersonalClaim } from '../src/auth/tokens.ts';
import { Callers } from '../src/calls/callers.ts';

type Response = EventEmitter & { closed: boolean; writableFinished: boolean };

function kit() {
  const revoked = new Set<(id: string) => void>();
  const callers = new Callers({
    onRevoked(listener) {
      revoked.add(listener);
      return () => void revoked.delete(listener);
    },
  });
  let isLive = true;
  const claim: PersonalClaim = {
    tokenId: 'tok_1',
    name: 'desk',
    principal: { id: 'token:tok_1', scopes: [] },
    expiresAtMs: null,
    isLive: () => isLive,
  };
  const response: Response = Object.assign(new EventEmitter(), { closed: false, writableFinished: false });
  const caller = callers.of(claim, response as unknown as ServerResponse);
  const told: string[] = [];
  return {
    callers,
    caller,
    response,
    told,
    hear: (as = 'gone') => caller.onGone(() => told.push(as)),
    /** The connection is closed, after an answer or without one. */
    close(writableFinished: boolean) {
      Object.assign(response, { closed: true, writableFinished });
      response.emit('close');
    },
    revoke: (id: string) => [...revoked].forEach((listener) => void listener(id)),
    end: () => {
      isLive = false;
    },
    listeners: () => response.listenerCount('close') + revoked.size,
  };
}

test('who hangs up before the answer has gone, once; who got the answer has not', () => {
  const left = kit();
  left.hear();
  left.close(false);
  left.close(false);
  assert.deepEqual(left.told, ['gone']);
  const answered = kit();
  answered.hear();
  answered.close(true);
  assert.deepEqual(answered.told, []);
});

test('who has gone already is told so at once, and nothing is kept', () => {
  const left = kit();
  left.close(false);
  left.hear();
  assert.deepEqual(left.told, ['gone']);
  const ended = kit();
  ended.end();
  ended.hear();
  assert.equal(ended.caller.isLive(), false);
  assert.deepEqual(ended.told, ['gone']);
  assert.equal(ended.response.listenerCount('close'), 0);
});

test('a revoked token ends what is held for it, and nothing of another’s', () => {
  const { hear, revoke, told } = kit();
  hear();
  revoke('tok_2');
  assert.deepEqual(told, []);
  revoke('tok_1');
  revoke('tok_1');
  assert.deepEqual(told, ['gone']);
});

test('what has begun hears of nothing any more', () => {
  const { hear, revoke, close, told, listeners } = kit();
  const stop = hear();
  assert.equal(listeners(), 2);
  stop();
  stop();
  assert.equal(listeners(), 1);
  revoke('tok_1');
  close(false);
  assert.deepEqual(told, []);
});

test('a gateway that stops ends everything that is held, and lets nothing be held after', () => {
  const { callers, hear, told, listeners, caller } = kit();
  hear('before');
  callers.close();
  hear('after');
  assert.deepEqual(told, ['before', 'after']);
  assert.equal(listeners(), 0);
  assert.equal(caller.name, 'desk');
});
