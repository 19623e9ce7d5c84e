import assert from 'node:assert/strict';
import { test } from 'node:test';
import { manualClock } from '@fairlead/testing';
import { createLog, silentLog } from '../src/index.ts';
import { redact } from '../src/log/redact.ts';
import { createRefusalLog } from '../src/log/refusal-log.ts';

function lines(level?: 'debug' | 'warn') {
  const written: string[] = [];
  const clock = manualClock({ startWallMs: 1_000 });
  const log = createLog({
    write: (line) => written.push(line),
    clock,
    ...(level === undefined ? {} : { level }),
  });
  return { log, written };
}

test('a line is one JSON object with time, level, event and fields', () => {
  const { log, written } = lines();
  log('info', 'runner.registered', { runner: 'here\nthere', count: 2, gone: undefined });
  assert.deepEqual(written, [
    '{"at":1000,"level":"info","event":"runner.registered","runner":"here\\nthere","count":2}\n',
  ]);
});

test('lines under the level are not written', () => {
  const quiet = lines('warn');
  quiet.log('info', 'a.b');
  quiet.log('warn', 'a.c');
  assert.equal(quiet.written.length, 1);
  const usual = lines();
  usual.log('debug', 'a.b');
  assert.equal(usual.written.length, 0);
  silentLog('error', 'a.b');
});

test('tokens, credentials and bindings are taken out of every text', () => {
  const pat = `fairlead_pat_${'a'.repeat(43)}`;
  assert.equal(
    redact(`x ${pat} y fairlead_runner_abc`),
    'x fairlead_pat_[redacted] y fairlead_runner_[redacted]',
  );
  assert.equal(redact('Authorization: Bearer abcdefghijk'), 'Authorization: Bearer [redacted]');
  assert.equal(redact('basic QWxhZGRpbjpvcGVu'), 'basic [redacted]');
  assert.equal(redact('wc_pbind_AAAA-BBBB rest'), 'wc_pbind_[redacted] rest');
  assert.equal(redact('a plain sentence'), 'a plain sentence');
});

test('a field that is called like a secret is masked whole', () => {
  const { log, written } = lines();
  log('warn', 'a.b', {
    authorization: 'x',
    token: 'y',
    api_token: 'z',
    cookie: 'c',
    token_id: 'tok_1',
    password: 'p',
  });
  assert.deepEqual(JSON.parse(written[0] ?? ''), {
    at: 1000,
    level: 'warn',
    event: 'a.b',
    authorization: '[redacted]',
    token: '[redacted]',
    api_token: '[redacted]',
    cookie: '[redacted]',
    token_id: 'tok_1',
    password: '[redacted]',
  });
});

test('a line over 8 KiB is cut to its event', () => {
  const { log, written } = lines();
  log('error', 'a.b', { reason: 'x'.repeat(9_000) });
  assert.deepEqual(written, ['{"at":1000,"level":"error","event":"a.b","cut":true}\n']);
});

test('of a flood of refusals 50 lines in 10 s are written, and then how many there were', async () => {
  const { log, written } = lines();
  const clock = manualClock();
  const refusals = createRefusalLog(log, clock);
  for (let count = 0; count < 1_000; count += 1) refusals('warn', 'http.refused', { code: 'unauthorized' });
  assert.equal(written.length, 50);
  await clock.advance(9_999);
  refusals('warn', 'http.refused');
  assert.equal(written.length, 50);
  await clock.advance(1);
  refusals('warn', 'http.refused');
  assert.equal(written.length, 52);
  assert.match(written[50] ?? '', /"event":"refusals.not_logged","count":951/);
});
